/**
 * What a conversation came to (DESIGN section 5): wording first, then the enhanced code, then the code. Pure.
 */
import type { OutcomeKind } from '../contract/rows.ts';
import type { Conversation, RefusedRecipient } from './conversation.ts';

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
  throw new Error(`not written yet: ${conversation.phase}`);
}
