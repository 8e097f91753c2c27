/** What one answer of a mail server means for the mail or recipient that it was given to (DESIGN section 5). Pure. */
import type { Phase, SmtpReply } from './conversation.ts';
import { type Wording, wordingOf } from './outcome-words.ts';

/**
 * - `for-good`: this recipient or message will never be taken
 * - `for-now`: try this mail again later
 * - `throttled`: we send too fast
 * - `lane`: our account or address is at fault, every other mail would fare the same
 */
export type Verdict = 'for-good' | 'for-now' | 'throttled' | 'lane';

export interface Answer {
  verdict: Verdict;
  wording: Wording;
}

/** Enhanced codes of a recipient or message that stays refused (DESIGN section 5). */
const forGood = /^5\.(?:1\.(?:[0-36]|10)|2\.\d+|6\.\d+)$/;

/** Reads an answer: words, then the enhanced code, then the code. */
export function readAnswer(reply: SmtpReply, phase: Phase): Answer {
  const wording = wordingOf(reply.text);
  return {
    wording,
    verdict: byWording(reply, phase, wording) ?? byEnhanced(reply, phase) ?? byCode(reply, phase),
  };
}

/** For good only where nothing in the answer says that it may pass: 450 5.1.1 and 550 4.2.2 are tried again. */
function permanent(reply: SmtpReply): boolean {
  return reply.code >= 500 && !reply.enhanced?.startsWith('4');
}

function byWording(reply: SmtpReply, phase: Phase, wording: Wording): Verdict | null {
  switch (wording) {
    case 'greylisted':
    case 'recipient-busy':
      return 'for-now';
    case 'mailbox-full':
    case 'unknown-recipient':
      // at MAIL FROM an unknown address is ours
      if (phase === 'mail') return 'lane';
      return permanent(reply) ? 'for-good' : 'for-now';
    case 'throttled':
      return 'throttled';
    case 'relay-refused':
    case 'login-needed':
    case 'sender-refused':
      return 'lane';
    case 'message-refused':
      return permanent(reply) ? 'for-good' : 'for-now';
    case 'policy':
      return phase === 'mail' ? 'lane' : 'for-now';
    default:
      return null;
  }
}

function byEnhanced(reply: SmtpReply, phase: Phase): Verdict | null {
  const { enhanced } = reply;
  if (enhanced === null) return null;
  if (enhanced === '4.3.2' || enhanced === '4.7.28') return 'throttled';
  if (/^5\.(?:3\.4|2\.3)$/.test(enhanced)) return permanent(reply) ? 'for-good' : 'for-now';
  if (/^[45]\.1\.[78]$/.test(enhanced)) return 'lane';
  if (phase === 'mail') return null;
  if (forGood.test(enhanced)) return permanent(reply) ? 'for-good' : 'for-now';
  return enhanced === '5.7.57' || enhanced === '5.7.60' ? 'lane' : null;
}

function byCode(reply: SmtpReply, phase: Phase): Verdict {
  if ([421, 432, 454].includes(reply.code)) return 'throttled';
  if ([530, 534, 535, 538].includes(reply.code)) return 'lane';
  // refused at MAIL FROM: nothing of this mail but our own address was seen
  return phase === 'mail' ? 'lane' : 'for-now';
}
