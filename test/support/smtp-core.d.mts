export type SmtpStep =
  | 'greet'
  | 'ehlo'
  | 'starttls'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'body'
  | 'dot'
  | 'rset'
  | 'noop'
  | 'quit';

export interface SmtpEvent {
  step: SmtpStep;
  /** number of the connection, from 1 */
  connection: number;
  /** number of the conversation (MAIL FROM), from 1 */
  sequence: number;
  sender: string | null;
  /** accepted so far */
  recipients: string[];
  /** of the RCPT TO at hand */
  recipient: string | null;
  messageId: string | null;
  raw: Buffer | null;
  user: string | null;
  text: string;
}

export interface SmtpAction {
  /** in place of the usual answer; `\r\n` parts lines */
  reply?: string;
  delayMs?: number;
  /** cuts the connection instead of answering; with `reply`, the decision counts but is never heard */
  drop?: 'fin' | 'rst';
  /** never answers again */
  silent?: boolean;
  /** answers, then cuts */
  thenDrop?: 'fin' | 'rst';
  /** answers in two pieces */
  split?: boolean;
  /** false: `reply` is said but the mail is not recorded as accepted */
  decide?: boolean;
}

export type SmtpBehaviour = (event: SmtpEvent) => SmtpAction | string | undefined;

export interface SmtpRule {
  step: SmtpStep;
  action: SmtpAction;
  /** part of a recipient's address */
  recipient?: string;
  /** first conversation that it applies to */
  from?: number;
  /** how often it acts; without it, always */
  times?: number;
}

export interface SmtpServerOptions {
  port?: number;
  host?: string;
  behaviour?: SmtpBehaviour;
  /** user -> password; AUTH is offered, and MAIL needs it unless requireLogin is false */
  users?: Record<string, string>;
  requireLogin?: boolean;
  authMethods?: string[];
  /** key and certificate: STARTTLS is offered */
  tls?: { key: string; cert: string };
  /** TLS from the first byte */
  secure?: boolean;
  pipelining?: boolean;
  smtpUtf8?: boolean;
  /** SIZE in bytes */
  size?: number;
  /** ms after which a silent session is ended, with `idleReply` before the FIN where given */
  idleMs?: number;
  idleReply?: string;
  /** answers DATA with 354 although every recipient was refused, as some servers do */
  dataWithoutRecipients?: boolean;
  keepRaw?: boolean;
  keepCommands?: boolean;
}

export interface AcceptedMail {
  /** ms since 1970 at MAIL FROM, and at the answer to the dot */
  startedAt: number;
  at: number;
  connection: number;
  sequence: number;
  from: string;
  /** SIZE=, BODY=, SMTPUTF8 of MAIL FROM */
  parameters: string;
  to: string[];
  refused: string[];
  user: string | null;
  secure: boolean;
  messageId: string | null;
  /** as received, dot-stuffing included */
  bytes: number;
  /** without dot-stuffing; empty when keepRaw is false */
  raw: Buffer;
}

export interface ScriptedSmtpServer {
  readonly port: number;
  behaviour: SmtpBehaviour;
  readonly mails: AcceptedMail[];
  readonly conversations: { at: number; connection: number; from: string }[];
  readonly commands: string[];
  readonly logins: { at: number; user: string; ok: boolean }[];
  /** connections ever, open ones now, and the most at one time */
  readonly connections: number;
  readonly open: number;
  readonly mostOpen: number;
  /** final dots received */
  readonly dots: number;
  onMail: ((mail: AcceptedMail) => void) | null;
  waitForMails(count: number, ms?: number): Promise<void>;
  cutAll(how?: 'fin' | 'rst'): void;
  close(): Promise<void>;
}

export function startSmtpServer(options?: SmtpServerOptions): Promise<ScriptedSmtpServer>;
export function behaviourOf(rules: readonly SmtpRule[]): SmtpBehaviour;
export function mostInWindow(stamps: readonly number[], ms: number): number;
