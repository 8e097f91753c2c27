import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { selfSignedCertificate } from './certificate.ts';
import { endWithUs, freePort, serverPath } from './ports.ts';

/** A private, real Postfix on loopback: own configuration, queue, logins and mailboxes; nothing of /etc/postfix. */
export interface PostfixServer {
  /** plain with STARTTLS */
  readonly port: number;
  /** TLS from the first byte */
  readonly tlsPort: number;
  /** PEM file of the authority (its own certificate) */
  readonly ca: string;
  /** name that the certificate is good for */
  readonly host: 'localhost';
  /** its log so far: what the server itself says of each connection */
  log(): string;
  /** resolves with the log when it has `count` matches of `pattern`; postlogd writes a moment later */
  logged(pattern: RegExp, count?: number): Promise<string>;
  /** what lies in the mailboxes, as it was delivered (with Delivered-To before it), in no order */
  mails(): string[];
  /** resolves with the mails when there are `count` of them; delivery follows the 250 */
  delivered(count: number): Promise<string[]>;
  /** sets a login's password, from now on */
  setPassword(user: string, password: string): void;
  stop(): Promise<void>;
  /** on the same ports, with the same mailboxes */
  start(): Promise<void>;
  /** ends it and deletes everything */
  remove(): Promise<void>;
}

export interface PostfixOptions {
  /** logins with their passwords; without any it asks for none and relays nothing */
  users?: Readonly<Record<string, string>>;
  /** addresses with a mailbox here; the rest of their domains is unknown (550 5.1.1), other domains are refused (554 5.7.1) */
  mailboxes?: readonly string[];
  /** bytes that a message may have, announced by SIZE */
  sizeLimit?: number;
  /** names in its certificate */
  names?: readonly string[];
  /** lines of main.cf, which win over ours */
  main?: Readonly<Record<string, string>>;
}

const env = { ...process.env, PATH: serverPath };
/** who owns the delivered mails: nobody, since Postfix delivers as neither root nor itself */
const nobody = 65_534;

/** the part after the @ of a login without one */
const realm = 'postfix.test';

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }).toString();
}

/** About 1 s. Postfix drops root's rights by itself, so it starts as root alone. */
export async function startPostfix(options: PostfixOptions = {}): Promise<PostfixServer> {
  if (userInfo().uid !== 0)
    throw new Error(
      'Postfix starts as root alone: run these tests as root (sudo npm test, or in a container)',
    );
  const folder = mkdtempSync(join(openTo(tmpdir()) ? tmpdir() : '/tmp', 'postroom-postfix-'));
  chmodSync(folder, 0o755);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const at = (name: string) => join(folder, name);
  const mailDir = at('mail');
  const logFile = at('log');
  let running: { child: ChildProcess; exited: Promise<void>; callOff: () => void } | null = null;
  let output = '';

  for (const name of ['etc', 'etc/sasl', 'queue', 'data', 'mail']) mkdirSync(at(name));
  const [uid, gid] = ['-u', '-g'].map((what) => Number(execFileSync('id', [what, 'postfix'], { env })));
  chownSync(at('data'), uid as number, gid as number);
  chownSync(mailDir, nobody, nobody);
  const { key, cert } = selfSignedCertificate(options.names ? { names: options.names } : {});
  const ca = at('cert.pem');
  writeFileSync(ca, cert);
  writeFileSync(at('key.pem'), key, { mode: 0o600 });

  const users = options.users ?? {};
  const mailboxes = options.mailboxes ?? [];
  const domains = [...new Set(mailboxes.map((address) => address.split('@').at(-1) ?? ''))];
  writeFileSync(at('mailboxes'), mailboxes.map((address) => `${address} ${address}/\n`).join(''));
  // Cyrus SASL with a file of its own: the only logins that there are
  const sasldb = at('sasldb');
  writeFileSync(
    at('etc/sasl/smtpd.conf'), // where Debian's Postfix looks, whatever cyrus_sasl_config_path says
    `pwcheck_method: auxprop\nauxprop_plugin: sasldb\nsasldb_path: ${sasldb}\nmech_list: PLAIN LOGIN\n`,
  );
  for (const [user, password] of Object.entries(users)) setPassword(user, password);
  writeMain();
  writeFileSync(
    at('etc/master.cf'),
    `${services(port, tlsPort)
      .map((words) => words.join(' '))
      .join('\n')}\n`,
  );

  function writeMain(): void {
    const login = Object.keys(users).length > 0;
    const main: Record<string, string> = {
      compatibility_level: '3.6',
      queue_directory: at('queue'),
      data_directory: at('data'),
      maillog_file: logFile,
      maillog_file_prefixes: folder,
      myhostname: 'mx.postfix.test',
      mydestination: '',
      mynetworks: '',
      inet_interfaces: '127.0.0.1',
      inet_protocols: 'ipv4',
      smtpd_banner: '$myhostname ESMTP $mail_name',
      biff: 'no',
      alias_maps: '',
      alias_database: '',
      local_recipient_maps: '',
      // nothing ever leaves this machine, whatever a test asks for
      default_transport: 'error:no mail leaves a test',
      relay_transport: 'error:no mail leaves a test',
      smtp_dns_support_level: 'disabled',
      // loopback is watched for floods as any other client is, but not as strictly
      smtpd_client_event_limit_exceptions: '127.0.0.0/8',
      virtual_mailbox_domains: domains.join(', '),
      virtual_mailbox_base: mailDir,
      virtual_mailbox_maps: `texthash:${at('mailboxes')}`,
      virtual_mailbox_limit: '0',
      virtual_uid_maps: `static:${nobody}`,
      virtual_gid_maps: `static:${nobody}`,
      message_size_limit: String(options.sizeLimit ?? 30_000_000),
      smtpd_tls_cert_file: ca,
      smtpd_tls_key_file: at('key.pem'),
      smtpd_tls_security_level: 'may',
      smtpd_tls_auth_only: 'yes',
      smtpd_tls_loglevel: '1',
      smtpd_sasl_auth_enable: login ? 'yes' : 'no',
      smtpd_sasl_type: 'cyrus',
      smtpd_sasl_path: 'smtpd',
      cyrus_sasl_config_path: at('etc/sasl'),
      smtpd_sasl_local_domain: realm,
      // a submission server: who has logged in may send, whoever has not is told so
      smtpd_client_restrictions: login ? 'permit_sasl_authenticated, reject' : 'permit',
      smtpd_relay_restrictions: 'reject_unauth_destination',
      smtpd_delay_reject: 'yes',
      ...options.main,
    };
    writeFileSync(
      at('etc/main.cf'),
      Object.entries(main)
        .map(([name, value]) => `${name} = ${value}\n`)
        .join(''),
    );
  }

  function setPassword(user: string, password: string): void {
    const args = ['-p', '-c', '-f', sasldb, '-u', realm, user];
    execFileSync('saslpasswd2', args, { input: password, env, stdio: ['pipe', 'ignore', 'pipe'] });
    chownSync(sasldb, uid as number, gid as number);
  }

  const log = () => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : '');

  async function start(): Promise<void> {
    if (running) return;
    const began = log().length;
    // not `postfix start-fg`: it stays a shell before its master, which then outlives it
    run('postfix', '-c', at('etc'), 'check');
    const daemons = run('postconf', '-c', at('etc'), '-h', 'daemon_directory').trim();
    const child = spawn(join(daemons, 'master'), ['-s', '-c', at('etc')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
      detached: true, // in a session of its own, out of reach of the terminal's Ctrl+C
    });
    let ended = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        output += bytes.toString();
      });
      (stream as unknown as { unref?: () => void }).unref?.();
    }
    const exited = new Promise<void>((resolve) => {
      for (const event of ['exit', 'error'])
        child.once(event, () => {
          ended = true;
          resolve();
        });
    });
    child.unref();
    running = { child, exited, callOff: child.pid ? endWithUs(child.pid, folder) : () => {} };
    for (const until = Date.now() + 20_000; !/daemon started/.test(log().slice(began)); ) {
      if (ended || Date.now() > until)
        throw new Error(
          `postfix does not start (on Debian: apt-get install postfix sasl2-bin):\n${output}\n${log()}`,
        );
      await sleep(20);
    }
  }

  async function stop(): Promise<void> {
    if (!running) return;
    const { child, exited, callOff } = running;
    child.kill('SIGTERM'); // the master ends what it started
    await exited;
    // which end a moment later, and hold the ports until then
    while (await listens(port)) await sleep(10);
    callOff();
    running = null;
  }

  function mails(): string[] {
    return mailboxes.flatMap((address) => {
      const fresh = join(mailDir, address, 'new');
      return existsSync(fresh)
        ? readdirSync(fresh).map((name) => readFileSync(join(fresh, name), 'utf8'))
        : [];
    });
  }

  async function until<T>(what: string, look: () => T | null): Promise<T> {
    for (const end = Date.now() + 15_000; ; await sleep(20)) {
      const found = look();
      if (found !== null) return found;
      if (Date.now() > end) throw new Error(`${what} after 15 s:\n${log().slice(-4000)}`);
    }
  }

  await start();
  return {
    port,
    tlsPort,
    ca,
    host: 'localhost',
    log,
    logged: (pattern, count = 1) =>
      until(`not ${count} times ${pattern} in postfix's log`, () => {
        const text = log();
        const all = text.match(new RegExp(pattern.source, `${pattern.flags.replace('g', '')}g`));
        return (all?.length ?? 0) >= count ? text : null;
      }),
    mails,
    delivered: (count) =>
      until(`not ${count} mails in the mailboxes`, () => {
        const all = mails();
        return all.length >= count ? all : null;
      }),
    setPassword,
    stop,
    start,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Whether everybody may walk into a folder: Postfix's parts run as users of their own. */
function openTo(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** master.cf: what such a server needs and no more; nothing in a chroot, whose libraries it would have to hold. */
function services(port: number, tlsPort: number): string[][] {
  const unix = (name: string, isPrivate: string, wakeup: string, most: string, program = name) =>
    [name, 'unix', isPrivate, '-', 'n', wakeup, most, program] as string[];
  return [
    [`127.0.0.1:${port}`, 'inet', 'n', '-', 'n', '-', '-', 'smtpd'],
    [`127.0.0.1:${tlsPort}`, 'inet', 'n', '-', 'n', '-', '-', 'smtpd', '-o', 'smtpd_tls_wrappermode=yes'],
    ['postlog', 'unix-dgram', 'n', '-', 'n', '-', '1', 'postlogd'],
    unix('pickup', 'n', '60', '1'),
    unix('cleanup', 'n', '-', '0'),
    unix('qmgr', 'n', '300', '1'),
    unix('tlsmgr', '-', '1000?', '1'),
    unix('rewrite', '-', '-', '-', 'trivial-rewrite'),
    unix('bounce', '-', '-', '0'),
    unix('defer', '-', '-', '0', 'bounce'),
    unix('trace', '-', '-', '0', 'bounce'),
    unix('verify', '-', '-', '1'),
    unix('flush', 'n', '1000?', '0'),
    unix('proxymap', '-', '-', '-'),
    unix('error', '-', '-', '-'),
    unix('discard', '-', '-', '-'),
    unix('anvil', '-', '-', '1'),
    ['virtual', 'unix', '-', 'n', 'n', '-', '-', 'virtual'],
  ];
}
