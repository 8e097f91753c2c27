/** From an outcome to the move that the row makes (DESIGN section 5). Pure. */
import type { Settings } from '../contract/settings.ts';
import type { Conversation } from '../mail/conversation.ts';
import type { Outcome } from '../mail/outcome.ts';
import type { Claim } from '../queue/claim.ts';
import {
  deferred,
  inDoubt,
  type LedgerEnd,
  rejected,
  released,
  type Settlement,
  sent,
} from '../queue/transitions.ts';
import { retryDelayS } from './backoff.ts';

export interface VerdictContext {
  settings: Settings;
  intervalMs: number;
  /** an earlier conversation of this row was lost between 354 and the dot too */
  lostBefore: boolean;
  /** s until the next try by the shape's own rule; without it ours */
  backoffS?: ((attempts: number) => number) | undefined;
}

export function verdict(
  claim: Claim,
  conversation: Conversation,
  outcome: Outcome,
  context: VerdictContext,
): Settlement {
  const ledger = ledgerOf(claim, conversation, outcome);
  const attempts = claim.attempts + 1;
  const delayS = context.backoffS?.(attempts) ?? retryDelayS(context.intervalMs / 1000, attempts);
  const last = attempts >= context.settings.max_attempts;
  switch (outcome.kind) {
    case 'sent':
      return afterAccepted(claim, outcome, ledger, delayS, last);
    case 'deferred':
      return last
        ? rejected(claim, ledger, `given up after ${attempts} attempts: ${outcome.reason}`, true)
        : deferred(claim, ledger, { delayS, reason: outcome.reason, deliveredTo: null });
    case 'rejected':
      // refused by a server is a completed conversation; refused by us is not, however far it came (promise 10)
      return rejected(claim, ledger, outcome.reason, outcome.reached && conversation.reply !== null);
    case 'in-doubt': {
      const retry = context.settings.in_doubt === 'retry' && !last;
      return inDoubt(claim, ledger, outcome.reason, { retry, delayS });
    }
    case 'none':
      if (!outcome.lostInBody || !context.lostBefore) return released(claim, ledger, outcome.reason);
      return last
        ? rejected(claim, ledger, `given up after ${attempts} attempts: ${outcome.reason}`, true)
        : deferred(claim, ledger, { delayS, reason: outcome.reason, deliveredTo: null });
  }
}

/** 2xx: sent, unless some recipients were refused for now; those go out again alone. */
function afterAccepted(
  claim: Claim,
  outcome: Outcome,
  ledger: Omit<LedgerEnd, 'outcome'>,
  delayS: number,
  last: boolean,
): Settlement {
  // a later success must not make those forgotten who will never get it
  const reason = [claim.refusedBefore ?? '', outcome.reason].filter((part) => part !== '').join('; ');
  if (outcome.refusedForNow.length === 0) return sent(claim, ledger, reason === '' ? null : reason);
  const deliveredTo = [
    ...new Set([
      ...claim.deliveredTo,
      ...outcome.accepted,
      ...outcome.refusedForGood.map((one) => one.address),
    ]),
  ];
  return last
    ? rejected(claim, ledger, `given up for some recipients: ${reason}`, true, deliveredTo)
    : deferred(claim, ledger, { delayS, reason, deliveredTo });
}

function ledgerOf(claim: Claim, conversation: Conversation, outcome: Outcome): Omit<LedgerEnd, 'outcome'> {
  return {
    recipients: outcome.reached ? claim.recipients : 0,
    smtpCode: conversation.reply?.code ?? null,
    enhancedCode: conversation.reply?.enhanced ?? null,
    response: conversation.reply?.text ?? (outcome.reason === '' ? null : outcome.reason),
    serverId: conversation.serverId,
  };
}
