import type { ShellClient } from './ssh-session.ts';

/**
 * The other Nagle cure: OpenSSH sets TCP_NODELAY on its side only when a session channel starts something (FINDINGS 17).
 * Best effort: a login without SFTP and commands is slower, not broken.
 */
export function primeNoDelay(client: ShellClient): Promise<void> {
  return new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 1_000); // it may still come to pass after that
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    const attempt = (start: () => void) => {
      try {
        start();
      } catch {
        done(); // lost already: whoever uses it next hears so
      }
    };
    attempt(() => {
      client.sftp((error, sftp) => {
        if (!error) {
          sftp.on('error', () => {});
          sftp.end();
          return done();
        }
        // this callback also comes when the session is lost, and then the next call throws
        attempt(() =>
          client.exec('true', (refused, channel) => {
            if (refused) return done();
            channel.on('close', done).resume();
          }),
        );
      });
    });
  });
}
