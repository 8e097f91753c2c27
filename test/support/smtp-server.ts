/** The scripted SMTP server for suites, in this process or in one of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { AcceptedMail, SmtpRule, SmtpServerOptions } from './smtp-core.mjs';

export { selfSignedCertificate } from './certificate.ts';
export {
  type AcceptedMail,
  behaviourOf,
  mostInWindow,
  type ScriptedSmtpServer,
  type SmtpAction,
  type SmtpBehaviour,
  type SmtpEvent,
  type SmtpRule,
  type SmtpServerOptions,
  startSmtpServer,
} from './smtp-core.mjs';

export type ReportedMail = Omit<AcceptedMail, 'raw'>;

export interface SmtpReport {
  mails: ReportedMail[];
  conversations: { at: number; connection: number; from: string }[];
  connections: number;
  mostOpen: number;
  dots: number;
}

/** A server that lives on when its suite's workers are killed, and whose clock nobody touches. */
export interface SmtpProcess {
  readonly port: number;
  /** in the order of acceptance, as told so far */
  readonly mails: ReportedMail[];
  setRules(rules: readonly SmtpRule[]): Promise<void>;
  report(): Promise<SmtpReport>;
  cutAll(how?: 'fin' | 'rst'): void;
  stop(): Promise<void>;
}

/** Options and rules cross a process border: no functions, so `behaviour` is left out. */
export async function startSmtpProcess(
  options: Omit<SmtpServerOptions, 'behaviour'> = {},
  rules: readonly SmtpRule[] = [],
): Promise<SmtpProcess> {
  const child = fork(fileURLToPath(new URL('./smtp-main.mjs', import.meta.url)), { execArgv: [] });
  const mails: ReportedMail[] = [];
  child.on('message', (told: { ev: string; mail?: ReportedMail }) => {
    if (told.ev === 'mail' && told.mail) mails.push(told.mail);
  });
  child.send({ do: 'start', options, rules });
  const { port } = await told<{ port: number }>(child, 'up');
  return {
    port,
    mails,
    async setRules(next) {
      child.send({ do: 'rules', rules: next });
      await told(child, 'rules');
    },
    report() {
      child.send({ do: 'report' });
      return told<SmtpReport>(child, 'report');
    },
    cutAll(how = 'rst') {
      child.send({ do: 'cut', how });
    },
    stop() {
      return new Promise<void>((resolve) => {
        child.once('exit', () => resolve());
        child.send({ do: 'stop' });
      });
    },
  };
}

function told<T>(child: ChildProcess, ev: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onMessage = (message: unknown) => {
      if ((message as { ev?: unknown }).ev !== ev) return;
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(message as T);
    };
    const onExit = (code: number | null) => reject(new Error(`the SMTP server ended with ${code}`));
    child.on('message', onMessage);
    child.once('exit', onExit);
  });
}
