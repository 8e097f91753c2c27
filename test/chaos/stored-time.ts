/** Time of one seed: it is moved by making what is stored older, never by a clock beside the database's. */
import type { Stage } from './stage.ts';
import type { Witness } from './witness.ts';

export class StoredTime {
  /** stamps (ms) and recipients of mails of before this seed's time, as the mail server would have recorded them */
  readonly earlier: { at: number; recipients: number }[] = [];
  /** how far (ms) stored times were moved back, since which moment of the real clock */
  readonly moves: { sinceMs: number; offsetMs: number }[] = [{ sinceMs: 0, offsetMs: 0 }];
  private readonly stage: Stage;

  constructor(stage: Stage) {
    this.stage = stage;
  }

  /** A window that is nearly full when the seed begins. */
  async fillWindow(): Promise<void> {
    if (this.stage.plan.mode === 'uncapped') return;
    const minute = this.stage.plan.mode === 'minute';
    const full = this.stage.cap() - (minute ? 1 : this.stage.dice.whole(1, 3));
    const now = Number(
      (await this.stage.query('SELECT CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED) AS now'))[0]?.['now'],
    );
    for (let n = 0; n < full; n += 1) {
      const at = now - this.stage.dice.whole(1000, minute ? 25_000 : this.stage.windowMs - 1);
      this.earlier.push({ at, recipients: 1 });
      await this.stage.db.run(
        `INSERT INTO ${this.stage.t.attempts} (queue_id, claim_id, started_ms, body_ms, finished_ms, recipients, outcome)
         VALUES (0, UUID(), ?, ?, ?, 1, 'sent')`,
        [at - 900, at - 100, at],
      );
    }
  }

  /** Moves time on: everything stored becomes `seconds` older, while the mail server stands still. */
  async moveTime(seconds: number, witness: Witness): Promise<void> {
    const ms = seconds * 1000;
    const { t, shop } = this.stage;
    await this.stage.alone(() =>
      witness.frozen(async () => {
        await this.stage.db.transaction(async (tx) => {
          await tx.query(`SELECT id FROM ${t.pace} WHERE id = 1 FOR UPDATE`);
          await tx.run(
            `UPDATE ${t.pace} SET last_start_ms = last_start_ms - ?, paused_until = paused_until - ?`,
            [ms, seconds],
          );
          // leases stay: a console at work renews them while time goes on
          const written = shop && shop.created === null ? 0 : seconds;
          await tx.run(
            `UPDATE ${t.queue} SET scheduled_at = scheduled_at - ?, created_at = created_at - ?, sent_at = sent_at - ?`,
            [seconds, written, seconds],
          );
          if (shop)
            await tx.run(
              `UPDATE ${shop.table} SET ${shop.created ? `${shop.created} = ${shop.created} - INTERVAL ? SECOND, ` : ''}
                 ${shop.due} = CASE WHEN ${shop.waiting} THEN ${shop.due} - INTERVAL ? SECOND ELSE ${shop.due} END`,
              [...(shop.created ? [seconds] : []), seconds],
            );
          await tx.run(
            `UPDATE ${t.attempts} SET started_ms = started_ms - ?, body_ms = body_ms - ?, finished_ms = finished_ms - ?`,
            [ms, ms, ms],
          );
        });
        const last = this.moves.at(-1)?.offsetMs ?? 0;
        this.moves.push({ sinceMs: Date.now(), offsetMs: last + ms });
      }),
    );
  }

  /** A moment of the real clock on the line of moved time. */
  moved(at: number): number {
    return at + (this.moves.findLast((move) => move.sinceMs <= at)?.offsetMs ?? 0);
  }

  /** As if pauses and retry delays had gone by. */
  async pullWaits(also: { deferred: boolean; learned: boolean }): Promise<void> {
    const { t, shop } = this.stage;
    await this.stage.again(async () => {
      await this.stage.db.run(
        `UPDATE ${t.pace} SET paused_until = paused_until - 400 WHERE paused_until > UNIX_TIMESTAMP() AND pause_reason LIKE 'fault%'`,
      );
      if (also.learned)
        await this.stage.db.run(
          `UPDATE ${t.pace} SET learned_interval_ms = NULL WHERE learned_interval_ms IS NOT NULL`,
        );
      if (also.deferred)
        await this.stage.db.run(
          shop
            ? `UPDATE ${shop.table} SET ${shop.due} = NOW() WHERE ${shop.waiting} AND ${shop.due} > NOW()`
            : `UPDATE ${t.queue} SET scheduled_at = UNIX_TIMESTAMP() WHERE state = 'pending' AND scheduled_at > UNIX_TIMESTAMP()`,
        );
    });
  }

  /** Claims of these consoles (of all, without any) look as if nobody had renewed them for `seconds`. */
  async backdateClaims(consoleIds: readonly string[], seconds: number): Promise<void> {
    await this.stage.again(() =>
      this.stage.db.run(
        `UPDATE ${this.stage.t.queue} q JOIN ${this.stage.t.attempts} a ON a.claim_id = q.claim_id AND a.queue_id = q.id
         SET q.claimed_at = q.claimed_at - ?
         WHERE q.state = 'sending' AND a.console_id IN (${consoleIds.map(() => '?').join(', ') || "''"})`,
        [seconds, ...consoleIds],
      ),
    );
  }

  /** Open ledger lines look older than any lease. */
  async ageLedger(): Promise<void> {
    await this.stage.again(() =>
      this.stage.db.run(
        `UPDATE ${this.stage.t.attempts} SET started_ms = started_ms - ? WHERE finished_ms IS NULL`,
        [this.stage.leaseS * 2000],
      ),
    );
  }
}
