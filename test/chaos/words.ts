/** What the driver, the workers and the SMTP process say to each other. Types and names only. */
import type { Profile } from '../../src-main/contract/profile.ts';
import type { SmtpAction, SmtpStep } from '../support/smtp-core.mjs';

/** Named points of a row's life that a worker process sees itself. */
export const workerPoints = [
  'in-grant', // inside the claim's transaction, everything written but the COMMIT
  'after-claim',
  'guard-before',
  'guard-after',
  'before-journal', // after the 2xx
  'after-journal',
  'in-settle', // inside the settle's transaction, the row written
  'after-settle',
  'in-reap', // inside the transaction that takes a dead claim over
  'in-replay', // inside the transaction that settles out of the journal
  'grant-locked', // pace row and first candidates locked, nothing written yet
  'settle-locked', // rows locked, nothing written yet
] as const;
export type WorkerPoint = (typeof workerPoints)[number];

/** Named points that only the mail server sees. */
export const wirePoints = { 'before-data': 'rcpt', 'mid-body': 'body', dot: 'dot' } as const;
export type WirePoint = keyof typeof wirePoints;

export type Point = WorkerPoint | WirePoint;
export function isWirePoint(point: Point): point is WirePoint {
  return point in wirePoints;
}

/** A fault that waits in a worker for its point. `hold`: the worker stands there until the driver says go. */
export interface WorkerArm {
  id: string;
  point: WorkerPoint;
  action: 'kill' | 'stop' | 'hold';
  /** how often the point is passed before it acts */
  skip: number;
}

/** A fault that waits in the SMTP process. It acts once, or `times`. */
export interface WireArm {
  id: string;
  step: SmtpStep;
  /** a signal to the worker of this login, sent before anything is answered; or an answer of the server */
  action: { signal: 'SIGKILL' | 'SIGSTOP' } | SmtpAction;
  /** of this login only */
  user?: string;
  /** only mails to an address that begins so */
  recipient?: string;
  skip: number;
  times?: number;
}

export type WorkerOrder =
  | { do: 'start'; profile: Profile; stateDir: string; name: string; arms: WorkerArm[]; quirks: Quirks }
  | { do: 'arm'; arms: WorkerArm[] }
  | { do: 'go'; arm: string }
  | { do: 'clock'; ms: number }
  | { do: 'wake'; reason: 'resume' | 'network' | 'manual' }
  | { do: 'quiet' }
  | { do: 'end' };

/** What is odd about a worker from its start. */
export interface Quirks {
  /** the journal cannot be made longer until `quiet` */
  diskFull?: boolean;
  /** so many answers cannot be written into the journal although room was reserved (an I/O error) */
  journalErrors?: number;
  /** the database ends this console's idle sessions after a second */
  shortWait?: boolean;
}

export type WorkerTold =
  | { ev: 'ready' }
  | { ev: 'id'; id: string }
  | { ev: 'at'; arm: string; point: WorkerPoint; claims: string[] }
  | { ev: 'trace'; point: WorkerPoint; claims: string[] }
  | { ev: 'felt'; what: string }
  | { ev: 'clock' }
  | { ev: 'ended' };

export type WireOrder =
  | { do: 'start'; users: Record<string, string> }
  | { do: 'arms'; arms: WireArm[] }
  /** 0 = that process is gone */
  | { do: 'pid'; user: string; pid: number }
  | { do: 'slow'; most: number }
  | { do: 'cut'; how: 'fin' | 'rst' }
  | { do: 'quiet' }
  | { do: 'report' };

/** One fault of the wire that acted. */
export interface WireDeed {
  arm: string;
  at: number;
  step: SmtpStep;
  user: string | null;
  recipients: string[];
  messageId: string | null;
}

/** A mail that the server decided to take. */
export interface Accepted {
  at: number;
  /** when its dot had come */
  handedOverAt: number;
  startedAt: number;
  messageId: string | null;
  to: string[];
  refused: string[];
  user: string | null;
}

export type WireTold =
  | { ev: 'up'; port: number }
  | ({ ev: 'deed' } & WireDeed)
  | { ev: 'done' }
  | { ev: 'report'; mails: Accepted[]; deeds: WireDeed[]; dots: number };
