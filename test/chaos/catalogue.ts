/** Every fault kind there is. A run fails unless each of them really fired at its point. */
import type { SmtpAction, SmtpStep } from '../support/smtp-core.mjs';
import type { Point, Quirks, WorkerPoint } from './words.ts';

/** What the driver does while a worker stands still at a point. */
export type HeldDeed = 'db-kill' | 'db-stop' | 'db-cut' | 'deadlock';
/** What the driver does at some moment of the drain. */
export type TimedDeed =
  | 'db-freeze'
  | 'db-kill'
  | 'db-cut-idle'
  | 'wake-resume'
  | 'wake-network'
  | 'quit'
  | 'smtp-cut'
  | 'clock-10min'
  | 'clock-day'
  | 'clock-back'
  | 'settings-rate'
  | 'settings-draining'
  | 'settings-disabled'
  | 'person-pause';
/** Which cap a seed is about; time is moved on by backdating everything. */
export type CapMode = 'minute' | 'hour' | 'day';

export type Fault = { kind: string } & (
  | {
      type: 'kill';
      point: Point;
      /** of the killed console: kept, deleted, or shared with a console that lives on */
      folder: 'kept' | 'deleted' | 'shared';
      /** killed once more at its next start */
      again?: WorkerPoint;
    }
  | { type: 'stop'; point: Point }
  | { type: 'hold'; point: WorkerPoint; deed: HeldDeed }
  | { type: 'wire'; step: SmtpStep; action: SmtpAction; recipient?: string; slowReplyS?: number }
  | { type: 'timed'; deed: TimedDeed }
  | { type: 'quirk'; quirks: Quirks; felt: string }
  | { type: 'cap'; mode: CapMode }
  | { type: 'consoles'; count: number }
  | { type: 'zones' }
);

const lifePoints: readonly Point[] = [
  'in-grant',
  'after-claim',
  'before-data',
  'mid-body',
  'guard-before',
  'guard-after',
  'dot',
  'before-journal',
  'after-journal',
  'in-settle',
];

/** In the middle of a mail a server that has had enough says so and goes. */
const refusal = (step: SmtpStep, reply: string): SmtpAction =>
  step === 'body' ? { reply, thenDrop: 'fin' } : { reply };
const wireActions: Record<string, (step: SmtpStep) => SmtpAction> = {
  fin: () => ({ drop: 'fin' }),
  rst: () => ({ drop: 'rst' }),
  hang: () => ({ silent: true }),
  slow: () => ({ delayMs: 400 }),
  '4xx': (step) => refusal(step, step === 'greet' ? '421 4.3.2 not now' : '451 4.3.0 try again later'),
  '5xx': (step) => refusal(step, step === 'auth' ? '535 5.7.8 no' : '554 5.3.0 no'),
};
const wireSteps: readonly SmtpStep[] = ['greet', 'ehlo', 'auth', 'mail', 'rcpt', 'data', 'body', 'dot'];
const taken = '250 2.0.0 Ok: queued as W0';

export const catalogue: readonly Fault[] = [
  ...lifePoints.flatMap((point): Fault[] => [
    { kind: `kill:${point}`, type: 'kill', point, folder: 'kept' },
    { kind: `kill:${point}:folder-deleted`, type: 'kill', point, folder: 'deleted' },
    { kind: `stop:${point}`, type: 'stop', point },
  ]),
  { kind: 'kill:after-settle', type: 'kill', point: 'after-settle', folder: 'kept' },
  { kind: 'kill:in-reap', type: 'kill', point: 'after-claim', folder: 'kept', again: 'in-reap' },
  { kind: 'kill:in-replay', type: 'kill', point: 'after-journal', folder: 'kept', again: 'in-replay' },
  ...(['after-claim', 'guard-after', 'after-journal', 'in-settle'] as const).map(
    (point): Fault => ({ kind: `kill:${point}:folder-shared`, type: 'kill', point, folder: 'shared' }),
  ),
  ...(
    ['in-grant', 'after-claim', 'guard-before', 'guard-after', 'before-journal', 'in-settle'] as const
  ).flatMap((point): Fault[] => [
    { kind: `db-kill:${point}`, type: 'hold', point, deed: 'db-kill' },
    { kind: `db-cut:${point}`, type: 'hold', point, deed: 'db-cut' },
  ]),
  { kind: 'db-stop:in-settle', type: 'hold', point: 'in-settle', deed: 'db-stop' },
  { kind: 'deadlock:grant', type: 'hold', point: 'grant-locked', deed: 'deadlock' },
  { kind: 'deadlock:settle', type: 'hold', point: 'settle-locked', deed: 'deadlock' },
  ...(
    [
      'db-freeze',
      'db-kill',
      'db-cut-idle',
      'wake-resume',
      'wake-network',
      'quit',
      'smtp-cut',
      'clock-10min',
      'clock-day',
      'clock-back',
      'settings-rate',
      'settings-draining',
      'settings-disabled',
      'person-pause',
    ] as const
  ).map((deed): Fault => ({ kind: deed, type: 'timed', deed })),
  ...wireSteps.flatMap((step) =>
    Object.entries(wireActions).map(
      ([name, action]): Fault => ({ kind: `smtp-${name}:${step}`, type: 'wire', step, action: action(step) }),
    ),
  ),
  ...(['fin', 'rst'] as const).map(
    (drop): Fault => ({
      kind: `smtp-lost-reply-${drop}`,
      type: 'wire',
      step: 'dot',
      action: { reply: taken, drop },
    }),
  ),
  { kind: 'smtp-lost-reply-hang', type: 'wire', step: 'dot', action: { reply: taken, silent: true } },
  { kind: 'smtp-reply-then-rst', type: 'wire', step: 'dot', action: { thenDrop: 'rst' } },
  {
    kind: 'smtp-throttle',
    type: 'wire',
    step: 'mail',
    action: { reply: '421 4.7.28 too many messages, slow down', thenDrop: 'fin' },
  },
  {
    kind: 'smtp-partly-4xx',
    type: 'wire',
    step: 'rcpt',
    recipient: 'two-',
    action: { reply: '450 4.2.1 mailbox busy' },
  },
  {
    kind: 'smtp-partly-5xx',
    type: 'wire',
    step: 'rcpt',
    recipient: 'two-',
    action: { reply: '550 5.1.1 no such user' },
  },
  ...[65, 130, 310].map(
    (slowReplyS): Fault => ({
      kind: `slow-250:${slowReplyS}`,
      type: 'wire',
      step: 'dot',
      action: { delayMs: 300 + slowReplyS * 5 },
      slowReplyS,
    }),
  ),
  { kind: 'disk-full', type: 'quirk', quirks: { diskFull: true }, felt: 'disk-full' },
  { kind: 'journal-error', type: 'quirk', quirks: { journalErrors: 1 }, felt: 'journal-error' },
  { kind: 'wait-timeout', type: 'quirk', quirks: { shortWait: true }, felt: '' },
  ...(['minute', 'hour', 'day'] as const).map((mode): Fault => ({ kind: `cap:${mode}`, type: 'cap', mode })),
  { kind: 'consoles:2', type: 'consoles', count: 2 },
  { kind: 'consoles:4', type: 'consoles', count: 4 },
  { kind: 'zones', type: 'zones' },
];

export const kinds: readonly string[] = catalogue.map((fault) => fault.kind);
