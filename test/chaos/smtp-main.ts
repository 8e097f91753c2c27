/**
 * The mail server of a seed, in a process of its own: the witness of what was really sent. It can also kill or stop
 * the worker that is talking to it, by its login, at the very moment at which a step of the conversation is reached.
 */
import {
  type ScriptedSmtpServer,
  type SmtpAction,
  type SmtpEvent,
  startSmtpServer,
} from '../support/smtp-core.mjs';
import type { Accepted, WireArm, WireDeed, WireOrder, WireTold } from './words.ts';

let server: ScriptedSmtpServer | null = null;
let arms: (WireArm & { left: number })[] = [];
let slowMs = 0;
/** conversations whose mail was refused before its dot */
const refusedEarly = new Set<number>();
/** when the whole mail of a conversation was there */
const dots = new Map<number, number>();
const pids = new Map<string, number>();
const deeds: WireDeed[] = [];
const mails: Accepted[] = [];

const tell = (word: WireTold) => void process.send?.(word);

/** False when the worker of this login is not there any more. */
function signal(user: string | null, name: NodeJS.Signals): boolean {
  const pid = user === null ? 0 : (pids.get(user) ?? 0);
  if (pid === 0) return false;
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

function behaviour(event: SmtpEvent): SmtpAction | undefined {
  if (event.step === 'dot') dots.set(event.sequence, Date.now());
  // who refuses a mail in its middle does not take it at its end, which may be on the wire already, whatever is armed there
  if (event.step === 'dot' && refusedEarly.has(event.sequence)) return { drop: 'fin' };
  const about = event.recipient === null ? event.recipients : [...event.recipients, event.recipient];
  for (const arm of arms) {
    if (arm.step !== event.step || arm.left <= 0) continue;
    if (arm.user !== undefined && arm.user !== event.user) continue;
    if (arm.recipient !== undefined && !about.some((one) => one.startsWith(arm.recipient ?? ''))) continue;
    if (arm.skip > 0) {
      arm.skip -= 1;
      continue;
    }
    const { step, user, messageId } = event;
    // what a worker sent before it died is still read: it cannot die of it again
    if ('signal' in arm.action && !signal(user, arm.action.signal)) continue;
    arm.left -= 1;
    const deed: WireDeed = { arm: arm.id, at: Date.now(), step, user, recipients: about, messageId };
    deeds.push(deed);
    if ('signal' in arm.action) {
      tell({ ev: 'deed', ...deed });
      // nothing is answered before the signal has taken effect
      return { delayMs: 30 };
    }
    tell({ ev: 'deed', ...deed });
    if (step === 'body' && arm.action.reply !== undefined) refusedEarly.add(event.sequence);
    return arm.action;
  }
  if (slowMs > 0 && event.step === 'dot') return { delayMs: Math.floor(Math.random() * slowMs) };
  return undefined;
}

process.on('message', async (order: WireOrder) => {
  switch (order.do) {
    case 'start':
      server = await startSmtpServer({ users: order.users, behaviour, keepRaw: false, keepCommands: false });
      server.onMail = ({ at, startedAt, sequence, messageId, to, refused, user }) =>
        mails.push({ at, handedOverAt: dots.get(sequence) ?? at, startedAt, messageId, to, refused, user });
      tell({ ev: 'up', port: server.port });
      break;
    case 'arms':
      arms.push(...order.arms.map((arm) => ({ ...arm, left: arm.times ?? 1 })));
      tell({ ev: 'done' });
      break;
    case 'pid':
      pids.set(order.user, order.pid);
      tell({ ev: 'done' });
      break;
    case 'slow':
      slowMs = order.most;
      tell({ ev: 'done' });
      break;
    case 'cut':
      server?.cutAll(order.how);
      tell({ ev: 'done' });
      break;
    case 'quiet':
      arms = [];
      slowMs = 0;
      tell({ ev: 'done' });
      break;
    case 'report':
      tell({ ev: 'report', mails, deeds, dots: server?.dots ?? 0 });
      break;
  }
});
process.on('disconnect', () => process.exit(0));
