/** How a connection to the mail server is to be made. */
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, rootCertificates } from 'node:tls';
import type { SmtpAccount } from '../contract/profile.ts';
import { SmtpFault } from './smtp-fault.ts';
import { asSocket } from './tunnel-socket.ts';

/** ms */
export interface SmtpTimeouts {
  /** from the DNS lookup to the end of a STARTTLS upgrade */
  connect: number;
  /** until the greeting, and again until the login is through */
  greeting: number;
  /** for each answer before the message: RFC 5321 4.5.3.2 says 5 minutes for MAIL and RCPT, 2 for DATA */
  command: number;
  /** silence of the server; above the 10 minutes after the dot of RFC 5321 4.5.3.2.6 (FINDINGS 6) */
  socket: number;
}

export const defaultTimeouts: SmtpTimeouts = {
  connect: 30_000,
  greeting: 30_000,
  command: 5 * 60_000,
  socket: 11 * 60_000,
};

export interface SessionSetup {
  account: SmtpAccount;
  timeouts: SmtpTimeouts;
  name: string | undefined;
  openSocket: (() => Duplex) | undefined;
}

/** All spellings of the password that could turn up in a server's answer. */
export function secretsOf(account: SmtpAccount): string[] {
  const { user, password } = account;
  if (!password) return [];
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return [password, base64(password), ...(user === null ? [] : [base64(`\0${user}\0${password}`)])];
}

/** Options of nodemailer's SMTPConnection. Throws SmtpFault when the account's CA file cannot be read. */
export function connectionOptions(setup: SessionSetup) {
  const { account, timeouts } = setup;
  return {
    host: account.host,
    port: account.port,
    secure: account.security === 'tls',
    requireTLS: account.security === 'starttls',
    ignoreTLS: account.security === 'none',
    tls: tlsOptions(account),
    ...(setup.name === undefined ? {} : { name: setup.name }),
    ...(setup.openSocket === undefined ? {} : { connection: asSocket(setup.openSocket()) }),
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    dnsTimeout: timeouts.connect,
    socketTimeout: timeouts.socket,
    // what we end is to end at once: a half-closed connection could still flush
    socketCloseTimeout: 0,
  };
}

/** Certificates are always verified; an own authority is added to the public ones. Throws when its file is unreadable. */
function tlsOptions(account: SmtpAccount): ConnectionOptions {
  if (account.security === 'none') return {};
  if (account.ca === undefined) return { rejectUnauthorized: true };
  let own: string;
  try {
    own = readFileSync(account.ca, 'utf8');
  } catch (error) {
    throw new SmtpFault(
      'ECAFILE',
      `the certificate file ${account.ca} cannot be read: ${error instanceof Error ? error.message : error}`,
      null,
      'CONN',
    );
  }
  return { rejectUnauthorized: true, ca: [...rootCertificates, own] };
}
