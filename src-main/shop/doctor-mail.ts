/** The mail server's part of the doctor: name, greeting, encryption, login, sender. No mail is begun. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { PostroomError } from '../contract/errors.ts';
import type { SmtpAccount } from '../contract/profile.ts';
import { type Finding, redirect, type Steps } from './doctor-steps.ts';
import { socketWords } from './faults.ts';
import type { SshSession } from './ssh-types.ts';

/** ms to resolve a name, to connect, and for the greeting, which servers delay on purpose by some seconds */
const reachMs = 15_000;
/** bytes: a mail with a few invoices; a server that takes less is worth a word */
const usualMail = 10 * 1024 * 1024;

/** A connection that is looked at; mail/ knows how to speak. */
export interface MailLooks {
  connect(): Promise<{ encrypted: boolean; largestMessage: number; extensions: string[] }>;
  login(): Promise<void>;
  sender(address: string): Promise<string>;
  close(): Promise<void>;
}

export interface MailParts {
  smtp: SmtpAccount;
  /** the address of MAIL FROM; null where the form does not say it yet */
  sender: string | null;
  ssh: SshSession | null;
  examine: () => MailLooks;
  signal?: AbortSignal | undefined;
}

export async function lookAtMail(steps: Steps, parts: MailParts): Promise<void> {
  const { smtp, sender, ssh } = parts;
  const place = `${smtp.host}:${smtp.port}`;
  const tunnel = smtp.via === 'tunnel' ? ssh : null;
  if (!tunnel)
    await steps.run('mail.name', 'Name of the mail server', [], async () => {
      const { address } = await lookup(smtp.host).catch((error: unknown) => {
        throw new PostroomError('unreachable', socketWords(error, place), { cause: error });
      });
      return { color: 'green', found: `It leads to ${address}.` };
    });
  await steps.run('mail.greeting', 'Mail server answers', tunnel ? ['ssh.login'] : ['mail.name'], () =>
    greeting(parts, place),
  );
  const look = parts.examine();
  try {
    await steps.run('mail.encryption', 'Encryption of the mail server', ['mail.greeting'], async () =>
      encryption(smtp, await look.connect()),
    );
    await steps.run('mail.login', 'Login at the mail server', ['mail.encryption'], async () => {
      if (smtp.user === null && isOwn(smtp))
        return { color: 'green', found: 'It takes mail without a login.' };
      if (smtp.user === null)
        return {
          color: 'amber',
          found: 'The profile has no login for it.',
          advice: 'It works with a server that knows this machine; most others want user and password.',
        };
      await look.login();
      return { color: 'green', found: `It takes the login of ${smtp.user}.` };
    });
    if (sender !== null)
      await steps.run('mail.sender', 'Sender is accepted', ['mail.login'], async () =>
        redirect(
          async () => ({
            color: 'green',
            found: `Mail from ${sender} is accepted: ${await look.sender(sender)}`,
          }),
          'Use the mail account’s own address as the sender, or let the mail provider allow this one for the account.',
        ),
      );
  } finally {
    await look.close();
  }
}

/** TCP, and the server's first line where it speaks first. A TLS port that is spoken to without TLS says nothing. */
async function greeting({ smtp, ssh, signal }: MailParts, place: string): Promise<Finding> {
  const way: Duplex =
    smtp.via === 'tunnel' && ssh ? ssh.forward(smtp.host, smtp.port) : connect(smtp.port, smtp.host);
  const late = AbortSignal.timeout(reachMs);
  const until = signal ? AbortSignal.any([late, signal]) : late;
  try {
    await once(way, 'connect', { signal: until });
    if (smtp.security === 'tls') return { color: 'green', found: `${place} takes connections.` };
    const [first] = (await once(way, 'data', { signal: until })) as [Buffer];
    const line = first.toString('latin1').split(/\r?\n/)[0]?.slice(0, 120) ?? '';
    if (line.startsWith('220')) return { color: 'green', found: line };
    return {
      color: 'red',
      found: `${place} answers, but not as a mail server that is ready: "${line}".`,
      advice: /^\d{3}/.test(line)
        ? 'Wait a while and look again; if it stays so, ask the mail provider.'
        : 'Correct the port (587 is usual) or the encryption.',
    };
  } catch (error) {
    if (error instanceof PostroomError) throw error;
    if (error instanceof Error && error.name === 'AbortError')
      return {
        color: 'red',
        found: `${place} says nothing within ${reachMs / 1000} s.`,
        advice:
          'A port that wants encryption from the first byte (465) is silent without it: set "TLS from the start". Else check the port.',
      };
    throw new PostroomError('unreachable', socketWords(error, place), { cause: error });
  } finally {
    way.on('error', () => {});
    way.destroy();
  }
}

function encryption(
  smtp: SmtpAccount,
  { encrypted, largestMessage, extensions }: Awaited<ReturnType<MailLooks['connect']>>,
): Finding {
  const size =
    largestMessage > 0
      ? `takes messages up to ${Math.floor(largestMessage / 1024 / 1024)} MB`
      : 'names no largest message';
  const knows = ['8BITMIME', 'SMTPUTF8', 'PIPELINING'].filter((name) => extensions.includes(name)).join(', ');
  const more = `The server ${size}${knows ? `, and knows ${knows}` : ''}.`;
  if (largestMessage > 0 && largestMessage < usualMail && encrypted)
    return {
      color: 'amber',
      found: `The connection is encrypted. ${more}`,
      advice:
        'Mails with large attachments will fail there: ask the provider for more, or keep attachments small.',
    };
  if (encrypted)
    return { color: 'green', found: `The connection is encrypted, its certificate is valid. ${more}` };
  if (isOwn(smtp))
    return { color: 'green', found: `Not encrypted, but it does not cross the network in the open. ${more}` };
  return {
    color: 'amber',
    found: `The connection is not encrypted: password and mails can be read on the way. ${more}`,
    advice: 'Set STARTTLS or TLS, which nearly every provider has.',
  };
}

/** On this machine, or on the shop's own: nothing of it crosses a network in the open. */
const isOwn = ({ via, host }: SmtpAccount): boolean =>
  via === 'tunnel' || /^(localhost|127\.|::1)/.test(host);
