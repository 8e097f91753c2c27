/**
 * The ways in which a claim can end. Each has a constructor, so that no caller can build an illegal move; settle.ts
 * writes them, and the journal keeps them as JSON.
 */
import { z } from 'zod';
import { rowId } from '../contract/rows.ts';

/** What the ledger line learns. `recipients` 0 = MAIL FROM was never sent: the line stops counting for the cap. */
export const ledgerEnd = z.object({
  outcome: z.enum(['sent', 'deferred', 'rejected', 'in-doubt', 'none']),
  recipients: z.number().int().nonnegative(),
  smtpCode: z.number().int().nullable(),
  enhancedCode: z.string().nullable(),
  response: z.string().nullable(),
  serverId: z.string().nullable(),
});
export type LedgerEnd = z.infer<typeof ledgerEnd>;

const base = { id: rowId, claimId: z.string(), messageId: z.string(), ledger: ledgerEnd };

export const settlementSchema = z.discriminatedUnion('to', [
  /** taken by the mail server; `note` names recipients that were refused for good */
  z.object({ to: z.literal('sent'), ...base, note: z.string().nullable() }),
  /** waits again; `counted` = a conversation was completed (promise 7) */
  z.object({
    to: z.literal('pending'),
    ...base,
    delayS: z.number().nonnegative(),
    counted: z.boolean(),
    reason: z.string(),
    /** recipients already taken, when only the others go out again; null = unchanged */
    deliveredTo: z.array(z.string()).nullable(),
  }),
  z.object({
    to: z.literal('failed'),
    ...base,
    counted: z.boolean(),
    inDoubt: z.boolean(),
    reason: z.string(),
    deliveredTo: z.array(z.string()).nullable(),
  }),
]);
export type Settlement = z.infer<typeof settlementSchema>;
type Held = { id: Settlement['id']; claimId: string; messageId: string };

const held = ({ id, claimId, messageId }: Held): Held => ({ id, claimId, messageId });
export const nothingSaid: Omit<LedgerEnd, 'outcome' | 'recipients'> = {
  smtpCode: null,
  enhancedCode: null,
  response: null,
  serverId: null,
};

export function sent(claim: Held, ledger: Omit<LedgerEnd, 'outcome'>, note: string | null): Settlement {
  return { to: 'sent', ...held(claim), ledger: { ...ledger, outcome: 'sent' }, note };
}

/** A completed conversation that asks for another one later. */
export function deferred(
  claim: Held,
  ledger: Omit<LedgerEnd, 'outcome'>,
  again: { delayS: number; reason: string; deliveredTo: string[] | null },
): Settlement {
  return {
    to: 'pending',
    ...held(claim),
    ledger: { ...ledger, outcome: 'deferred' },
    counted: true,
    ...again,
  };
}

/** The transport's fault: the claim is given back and nothing is counted. Giving back is not failing. */
export function released(
  claim: Held,
  ledger: Omit<LedgerEnd, 'outcome'>,
  reason: string,
  delayS = 0,
): Settlement {
  return {
    to: 'pending',
    ...held(claim),
    ledger: { ...ledger, outcome: 'none' },
    counted: false,
    delayS,
    reason,
    deliveredTo: null,
  };
}

/** `counted` false: refused by us before any server judged it (corrupt payload, attachment missing). */
export function rejected(
  claim: Held,
  ledger: Omit<LedgerEnd, 'outcome'>,
  reason: string,
  counted: boolean,
  deliveredTo: string[] | null = null,
): Settlement {
  const base = { to: 'failed' as const, ...held(claim), counted, inDoubt: false, reason, deliveredTo };
  return { ...base, ledger: { ...ledger, outcome: 'rejected' } };
}

/** The dot may have been sent and no answer came: only a person, or the setting, sends it again (promise 2). */
export function inDoubt(
  claim: Held,
  ledger: Omit<LedgerEnd, 'outcome'>,
  reason: string,
  again: { retry: boolean; delayS: number },
): Settlement {
  const end: LedgerEnd = { ...ledger, outcome: 'in-doubt' };
  return again.retry
    ? {
        to: 'pending',
        ...held(claim),
        ledger: end,
        counted: true,
        delayS: again.delayS,
        reason,
        deliveredTo: null,
      }
    : { to: 'failed', ...held(claim), ledger: end, counted: true, inDoubt: true, reason, deliveredTo: null };
}
