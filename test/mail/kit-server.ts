/** What the suites with a real server share: it is closed, and so is the console, when a test has ended. */
import { afterEach } from 'vitest';
import type { MailServer } from '../../src-main/mail/deliver.ts';
import { type ScriptedSmtpServer, type SmtpServerOptions, startSmtpServer } from '../support/smtp-server.ts';
import { account, mailServer } from './kit.ts';

export const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

export async function witness(options: SmtpServerOptions = {}): Promise<ScriptedSmtpServer> {
  const server = await startSmtpServer(options);
  cleanUp.push(() => server.close());
  return server;
}
export function console_(...args: Parameters<typeof mailServer>): MailServer {
  const server = mailServer(...args);
  cleanUp.push(() => server.close());
  return server;
}
export async function pair(options: SmtpServerOptions = {}, smtp: Parameters<typeof account>[1] = {}) {
  const server = await witness(options);
  return { server, mails: console_(account(server.port, smtp)) };
}
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export const phasesOf = () => {
  const seen: string[] = [];
  return { seen, onPhase: (phase: string) => seen.push(phase) };
};
