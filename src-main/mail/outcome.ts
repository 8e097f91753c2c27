/**
 * What a conversation came to (DESIGN section 5): wording first, then the enhanced code, then the code. Pure.
 */
import type { OutcomeKind } from '../contract/rows.ts';
import { readAnswer, type Verdict } from './answer.ts';
import type { Conversation, Phase, RefusedRecipient } from './conversation.ts';
import { faultWords } from './fault-words.ts';
import { replyWords } from './reply.ts';

/** What the lane does after a conversation: goes on, halves its learned rate, or pauses with backoff and a probe. */
export type LaneReaction = 'goes-on' | 'slow-down' | 'pause';

/** The meaning of a conversation, and all that the engine settles a row from. */
export interface Outcome {
  /** `sent` with a non-empty `refusedForNow` means: those go out again, alone */
  kind: OutcomeKind;
  lane: LaneReaction;
  /** MAIL FROM was sent: the conversation counts for the cap */
  reached: boolean;
  accepted: string[];
  refusedForGood: RefusedRecipient[];
  refusedForNow: RefusedRecipient[];
  /** plain words for last_error, with the server's own; at most 1,000 characters; '' when all was well */
  reason: string;
  /** the connection was lost between 354 and the dot: `none` the first time, deferred when it happens again to that row */
  lostInBody: boolean;
}

/** Reads the meaning of a conversation. Never throws. */
export function readOutcome(conversation: Conversation): Outcome {
  const { phase, reply, fault, guardRefused } = conversation;
  const base: Outcome = {
    kind: 'none',
    lane: 'goes-on',
    reached: phase !== 'connect' && phase !== 'login',
    accepted: [],
    refusedForGood: [],
    refusedForNow: [],
    reason: '',
    lostInBody: false,
  };
  const outcome = (known: Partial<Outcome>): Outcome => ({
    ...base,
    ...known,
    reason: (known.reason ?? '').slice(0, 1000),
  });

  if (guardRefused) return outcome({ reason: 'the claim was lost before the mail left; nothing was sent' });
  if (phase === 'done') return outcome(taken(conversation));
  if (reply)
    return outcome(
      phase === 'connect' || phase === 'login' ? refusedAtTheDoor(conversation) : refused(conversation),
    );
  if (fault) return outcome(broken(phase, fault));
  return outcome({ lane: 'pause', reason: 'the conversation ended without an answer' });
}

/** 2xx to the dot: at least one recipient was taken. */
function taken(conversation: Conversation): Partial<Outcome> {
  const sorted = sortRefused(conversation.refused);
  const parts = [
    sorted.refusedForGood.length > 0 ? `refused for good: ${listed(sorted.refusedForGood)}` : '',
    sorted.refusedForNow.length > 0 ? `refused for now: ${listed(sorted.refusedForNow)}` : '',
  ];
  const lane = sorted.verdicts.includes('throttled') ? 'slow-down' : 'goes-on';
  return {
    kind: 'sent',
    lane,
    accepted: conversation.accepted,
    ...sorted.lists,
    reason: parts.filter((part) => part !== '').join('; '),
  };
}

/** An answer instead of a greeting or a login: never the row's fault. */
function refusedAtTheDoor({ phase, reply }: Conversation): Partial<Outcome> {
  if (!reply) return {};
  const reading = readAnswer(reply, phase);
  // 421 and 454 at the door mean slow down only where they say so: a server that is down or a login that fails is no pace
  const slow =
    reading.wording === 'throttled' ||
    (reading.wording === null && (reply.enhanced === '4.7.28' || reply.code === 432));
  const what =
    phase === 'login' ? 'the mail server refused the login' : 'the mail server refused the connection';
  return { lane: slow ? 'slow-down' : 'pause', reason: `${what}: ${replyWords(reply)}` };
}

/** An answer to MAIL FROM, RCPT TO, DATA, the body or the dot that refused the mail. */
function refused(conversation: Conversation): Partial<Outcome> {
  const { phase, reply, refused: recipients } = conversation;
  if (!reply) return {};
  const words = replyWords(reply);
  if (phase !== 'rcpt' || recipients.length === 0) {
    const { verdict } = readAnswer(reply, phase);
    const lists = sortRefused(recipients).lists;
    if (verdict === 'throttled')
      return { lane: 'slow-down', reason: `the mail server asks to slow down: ${words}` };
    if (verdict === 'lane')
      return { lane: 'pause', reason: `the mail server refuses to take mail from this account: ${words}` };
    if (verdict === 'for-good')
      return { kind: 'rejected', ...lists, reason: `the mail server refused the mail for good: ${words}` };
    return { kind: 'deferred', ...lists, reason: `the mail server refused the mail for now: ${words}` };
  }
  const sorted = sortRefused(recipients);
  if (sorted.verdicts.includes('lane')) {
    return {
      lane: 'pause',
      reason: `the mail server refuses to take mail from this account: ${listed(recipients)}`,
    };
  }
  if (sorted.verdicts.includes('throttled'))
    return { lane: 'slow-down', reason: `the mail server asks to slow down: ${listed(recipients)}` };
  if (sorted.refusedForNow.length === 0) {
    return {
      kind: 'rejected',
      ...sorted.lists,
      reason: `refused for good: ${listed(sorted.refusedForGood)}`,
    };
  }
  return { kind: 'deferred', ...sorted.lists, reason: `refused for now: ${listed(recipients)}` };
}

/** No answer: the phase decides whether anything can have been delivered (FINDINGS 1). */
function broken(phase: Phase, fault: NonNullable<Conversation['fault']>): Partial<Outcome> {
  if (fault.code === 'EATTACHMENT' || fault.code === 'ECOMPOSE')
    return { kind: 'rejected', reason: fault.message };
  if (fault.code === 'ETOOBIG')
    return { kind: 'rejected', reason: `the mail is too large for the mail server (${fault.message})` };
  if (fault.code === 'EFILES') return { lane: 'pause', reason: fault.message };
  if (phase === 'dot') {
    return {
      kind: 'in-doubt',
      reason: `the whole mail was handed over, but no answer came: ${faultWords(fault.code, fault.message)}`,
    };
  }
  // stopped or dropped by this console itself, or the tunnel to the shop went: the mail server is not to blame
  if (/^E(?:STOPPED|DROPPED|TUNNEL)$/.test(fault.code)) return { reason: fault.message };
  const words = faultWords(fault.code, fault.message);
  if (phase === 'body')
    return { lostInBody: true, reason: `the connection was lost in the middle of the mail: ${words}` };
  const step =
    phase === 'connect'
      ? 'the mail server cannot be reached'
      : phase === 'login'
        ? 'the login at the mail server failed'
        : 'the mail server broke off';
  return { lane: 'pause', reason: `${step}: ${words}` };
}

function sortRefused(recipients: readonly RefusedRecipient[]) {
  const refusedForGood: RefusedRecipient[] = [];
  const refusedForNow: RefusedRecipient[] = [];
  const verdicts: Verdict[] = [];
  for (const recipient of recipients) {
    const { verdict } = readAnswer(recipient.reply, 'rcpt');
    verdicts.push(verdict);
    (verdict === 'for-good' ? refusedForGood : refusedForNow).push(recipient);
  }
  return { refusedForGood, refusedForNow, verdicts, lists: { refusedForGood, refusedForNow } };
}

function listed(recipients: readonly RefusedRecipient[]): string {
  return recipients.map(({ address, reply }) => `${address} (${replyWords(reply)})`).join(', ');
}
