/** Ending lines of the ledger. */
import { redact } from '../contract/redact.ts';
import type { Queryable, SqlValue } from '../shop/database.ts';
import { marks } from './dialect.ts';
import type { Place } from './place.ts';
import type { Settlement } from './transitions.ts';

/**
 * Ends the ledger lines, whoever holds the row by now: what the server said stays in the history, and the line's
 * `finished_ms` is the database's stamp after the reply.
 */
export async function endLedgerLines(
  place: Place,
  tx: Queryable,
  settlements: readonly Settlement[],
): Promise<void> {
  const claims = settlements.map((one) => one.claimId);
  const pick = (of: (one: Settlement) => SqlValue) => settlements.flatMap((one) => [one.claimId, of(one)]);
  const cases = `CASE claim_id ${claims.map(() => 'WHEN ? THEN ?').join(' ')} END`;
  const cut = (text: string | null, length: number) =>
    text === null ? null : place.spell(text.slice(0, length));
  await tx.run(
    `UPDATE ${place.t.attempts} SET finished_ms = ${place.d.nowMs},
       outcome = ${cases}, recipients = ${cases}, smtp_code = ${cases}, enhanced_code = ${cases}, response = ${cases},
       server_id = ${cases}
     WHERE claim_id IN (${marks(claims.length)})`,
    [
      ...pick((one) => one.ledger.outcome),
      ...pick((one) => one.ledger.recipients),
      ...pick((one) => one.ledger.smtpCode),
      ...pick((one) => cut(one.ledger.enhancedCode, 12)),
      ...pick((one) => cut(one.ledger.response && redact(one.ledger.response), 1000)),
      ...pick((one) => cut(one.ledger.serverId, 128)),
      ...claims,
    ],
  );
}
