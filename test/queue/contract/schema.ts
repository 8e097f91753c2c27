import { describe, expect, test } from 'vitest';
import { openPlace, type Place } from '../../../src-main/queue/place.ts';
import { applySchema, inspectSchema } from '../../../src-main/queue/schema.ts';
import { tableNames, tablesFor } from '../../../src-main/queue/tables.ts';
import type { Bench } from '../bench.ts';

/** The queue table as the shop's own plugin makes it (plan section 5): none of our additional columns or keys. */
function planTable(place: Place): string {
  const mysql = place.db.dialect === 'mysql';
  const id = mysql ? 'BIGINT UNSIGNED NOT NULL AUTO_INCREMENT' : 'INTEGER PRIMARY KEY AUTOINCREMENT';
  const keys = `, PRIMARY KEY (id), KEY state_sched (state, scheduled_at), KEY state_claim (state, claimed_at),
    KEY created_at (created_at), KEY order_id (order_id)`;
  return `CREATE TABLE ${place.t.queue} (
    id ${id},
    context VARCHAR(100) NOT NULL DEFAULT '',
    order_id BIGINT ${mysql ? 'UNSIGNED' : ''} NOT NULL DEFAULT 0,
    recipient VARCHAR(320) NOT NULL DEFAULT '',
    subject TEXT NOT NULL,
    payload LONGTEXT NOT NULL,
    attachment_dir CHAR(32) NULL,
    priority SMALLINT NOT NULL DEFAULT 10,
    state VARCHAR(20) NOT NULL DEFAULT 'pending',
    attempts TINYINT ${mysql ? 'UNSIGNED' : ''} NOT NULL DEFAULT 0,
    reclaims TINYINT ${mysql ? 'UNSIGNED' : ''} NOT NULL DEFAULT 0,
    last_error TEXT NULL,
    scheduled_at BIGINT NOT NULL DEFAULT 0,
    claimed_at BIGINT NULL,
    sent_at BIGINT NULL,
    created_at BIGINT NOT NULL DEFAULT 0${mysql ? keys : ''})`;
}

/** A row as the plan's own code writes it: its columns alone. */
const planInsert = (place: Place) =>
  `INSERT INTO ${place.t.queue} (context, order_id, recipient, subject, payload, attachment_dir, priority, state, attempts,
     reclaims, scheduled_at, created_at)
   VALUES ('customer_completed_order', 7, 'anna@example.test', 'Ready 📦', '{}', NULL, 10, 'pending', 0, 0, 1, 1)`;

const dropKey = (place: Place, key: string) =>
  place.db.run(
    place.db.dialect === 'mysql'
      ? `ALTER TABLE ${place.t.queue} DROP KEY ${key}`
      : `DROP INDEX \`${place.prefix}studiou_wcmq_queue_${key}\``,
  );

export function schemaContract(bench: () => Bench): void {
  describe('schema', () => {
    test('is found missing, installed, found complete; installing again changes nothing', async () => {
      const place = await bench().empty();
      expect(place.claimKey).toBeNull();
      const before = await inspectSchema(place);
      expect(before.complete).toBe(false);
      expect(before.tables.map((table) => table.exists)).toEqual(tableNames.map(() => false));

      const applied = await applySchema(place);
      expect(applied.statements).toEqual(before.statements);
      expect(place.claimKey).not.toBeNull();
      await place.db.run(planInsert(place));
      await place.db.run(`UPDATE ${place.t.pace} SET last_start_ms = 4711`);

      expect(await inspectSchema(place)).toMatchObject({ complete: true, statements: [] });
      expect((await applySchema(place)).statements).toEqual([]);
      expect(await place.db.query(`SELECT last_start_ms FROM ${place.t.pace}`)).toEqual([
        { last_start_ms: 4711 },
      ]);
      expect(await place.db.query(`SELECT subject, priority, in_doubt, title FROM ${place.t.queue}`)).toEqual(
        [{ subject: 'Ready 📦', priority: 10, in_doubt: 0, title: '' }],
      );
    });

    test('a missing column and a missing key are named and added; rows stay', async () => {
      const place = await bench().empty();
      await applySchema(place);
      await place.db.run(planInsert(place));
      await dropKey(place, 'claim_order');
      await place.db.run(`ALTER TABLE ${place.t.queue} DROP COLUMN held_until`);
      await place.db.run(`DROP TABLE ${place.t.consoles}`);

      const report = await inspectSchema(place);
      const queue = report.tables.find((table) => table.name.endsWith('_queue'));
      expect(queue).toMatchObject({
        exists: true,
        missingColumns: ['held_until'],
        missingKeys: ['claim_order'],
      });
      expect(report.tables.filter((table) => !table.exists).map((table) => table.name)).toEqual([
        'wp_studiou_wcmq_consoles',
      ]);
      expect((await openPlace(place.db, 'wp_')).claimKey).toBeNull();

      expect((await applySchema(place)).statements).toHaveLength(3);
      expect((await inspectSchema(place)).complete).toBe(true);
      expect(place.claimKey).not.toBeNull();
      expect(await place.db.query(`SELECT COUNT(*) AS n FROM ${place.t.queue}`)).toEqual([{ n: 1 }]);
    });

    test("the plan's own table is completed, and its own INSERT fits before and after", async () => {
      const place = await bench().empty();
      await place.db.run(planTable(place));
      await place.db.run(planInsert(place));
      const report = await applySchema(place);
      const queue = report.tables.find((table) => table.name.endsWith('_queue'));
      expect(queue?.missingColumns).toEqual([
        'title',
        'claim_id',
        'message_id',
        'delivered_to',
        'in_doubt',
        'held_until',
        'notified_at',
      ]);
      expect(queue?.missingKeys).toContain('claim_order');
      await place.db.run(planInsert(place));
      expect((await inspectSchema(place)).complete).toBe(true);
      const rows = await place.db.query(`SELECT title, claim_id, in_doubt, held_until FROM ${place.t.queue}`);
      expect(rows).toEqual([
        { title: '', claim_id: null, in_doubt: 0, held_until: null },
        { title: '', claim_id: null, in_doubt: 0, held_until: null },
      ]);
    });

    test("the claim's key serves under another name, also when it goes on", async () => {
      const place = await bench().empty();
      await applySchema(place);
      await dropKey(place, 'claim_order');
      await place.db.run(
        `CREATE INDEX other_name ON ${place.t.queue} (state, priority, scheduled_at, id, order_id)`,
      );
      expect((await inspectSchema(place)).complete).toBe(true);
      expect((await openPlace(place.db, 'wp_')).claimKey).toBe('other_name');
    });

    test('a key of our name over other columns stays, ours gets another name', async () => {
      const place = await bench().empty();
      await applySchema(place);
      await dropKey(place, 'claim_order');
      await place.db.run(`CREATE INDEX claim_order ON ${place.t.queue} (order_id, state)`);
      await applySchema(place);
      expect((await inspectSchema(place)).complete).toBe(true);
      expect(place.claimKey).not.toBeNull();
    });

    test('a prefix that is no identifier never becomes SQL', () => {
      for (const bad of ['', 'wp`_', 'wp_; DROP TABLE x', 'wp_\0', 'wp-', 'ú_']) {
        const name = () => tablesFor(bad).queue;
        if (bad === '') expect(name()).toBe('`studiou_wcmq_queue`');
        else expect(name, JSON.stringify(bad)).toThrow();
      }
    });
  });
}
