import { describe, expect, test } from 'vitest';
import { logQuery } from '../../../src-main/contract/desk.ts';
import { defaultSettings } from '../../../src-main/contract/settings.ts';
import { beat, leave, listConsoles, pruneConsoles } from '../../../src-main/queue/consoles.ts';
import { insertRows } from '../../../src-main/queue/enqueue.ts';
import { countLog, readLog, writeLog } from '../../../src-main/queue/log.ts';
import { type Bench, claimOne, get, logText, nowS, put } from '../bench.ts';

/** Enqueueing, heartbeats and the log. */
export function sidesContract(bench: () => Bench): void {
  const mail = { to: 'anna@example.test', subject: 'Hello', message: 'Text' };
  const settings = { ...defaultSettings, priorities: { customer_reset_password: 1, low: 32_767 } };
  const enqueue = async (change: object) => {
    const [id] = await insertRows(bench().place, [{ ...mail, notBefore: null, ...change }], settings);
    return get(bench().place, id ?? 0);
  };

  describe('enqueue', () => {
    test('writes a waiting row that the claim finds', async () => {
      const { place } = bench();
      const now = await nowS(place);
      const row = await enqueue({
        subject: 'Objednávka 💌 \'"\\',
        context: 'customer_note',
        title: 'Note',
        order_id: '18446744073709551615',
      });
      expect(row).toMatchObject({
        state: 'pending',
        priority: 10,
        attempts: 0,
        context: 'customer_note',
        title: 'Note',
      });
      expect(row).toMatchObject({
        subject: 'Objednávka 💌 \'"\\',
        attachment_dir: null,
        message_id: null,
        claim_id: null,
      });
      expect(Number(row['created_at'])).toBeGreaterThanOrEqual(now);
      expect(row['scheduled_at']).toBe(row['created_at']);
      expect(JSON.parse(String(row['payload']))).toEqual({
        ...mail,
        subject: 'Objednávka 💌 \'"\\',
        headers: '',
        attachments: [],
      });
      expect((await claimOne(place)).id).toBe(row['id']);
    });

    test('takes the priority of its mail type, a named one above it, ten without one', async () => {
      expect(await enqueue({ context: 'customer_reset_password' })).toMatchObject({ priority: 1 });
      expect(await enqueue({ context: 'customer_reset_password', priority: 50 })).toMatchObject({
        priority: 50,
      });
      expect(await enqueue({ context: 'low' })).toMatchObject({ priority: 32_767 });
      for (const context of ['unknown', 'constructor', 'toString', '__proto__']) {
        expect(await enqueue({ context })).toMatchObject({ priority: 10, context });
      }
    });

    test('keeps what was given, cuts what the columns cannot hold, and waits until its time', async () => {
      const recipients = Array.from({ length: 40 }, (_, at) => `recipient.number.${at}@example.test`);
      const row = await enqueue({
        to: recipients,
        subject: '💌'.repeat(3_000),
        alt: 'plain',
        headers: ['X-A: 1'],
        notBefore: 4_102_444_800,
      });
      expect(String(row['recipient']).length).toBeLessThanOrEqual(320);
      expect(String(row['subject']).length).toBeLessThanOrEqual(1_000);
      expect(row['scheduled_at']).toBe(4_102_444_800);
      const payload = JSON.parse(String(row['payload'])) as Record<string, unknown>;
      expect(payload).toMatchObject({
        to: recipients,
        alt: 'plain',
        headers: ['X-A: 1'],
        subject: '💌'.repeat(3_000),
      });
    });

    test("finds the attachments' folder in their path", async () => {
      const token = '0123456789abcdef0123456789abcdef';
      expect(await enqueue({ attachments: [`/var/www/uploads/${token}/faktura č. 7.pdf`] })).toMatchObject({
        attachment_dir: token,
      });
      expect(await enqueue({ attachments: [{ name: 'a.pdf', file: `${token}/a.pdf` }] })).toMatchObject({
        attachment_dir: token,
      });
      expect(await enqueue({ attachments: [`C:\\shop\\${token}\\a.pdf`] })).toMatchObject({
        attachment_dir: token,
      });
      for (const path of [
        '/etc/passwd',
        `/${token}/sub/a.pdf`,
        `/${token.toUpperCase()}/a.pdf`,
        `/x${token}/a.pdf`,
      ]) {
        expect(await enqueue({ attachments: [path] }), path).toMatchObject({ attachment_dir: null });
      }
    });

    test('answers the ids in order, over several batches', async () => {
      const { place } = bench();
      const mails = Array.from({ length: 120 }, (_, at) => ({
        ...mail,
        subject: `mail ${at}`,
        notBefore: null,
      }));
      const ids = await insertRows(place, mails, settings);
      expect(new Set(ids).size).toBe(120);
      expect(await get(place, ids[0] ?? 0)).toMatchObject({ subject: 'mail 0' });
      expect(await get(place, ids[119] ?? 0)).toMatchObject({ subject: 'mail 119' });
      expect(await insertRows(place, [], settings)).toEqual([]);
    });
  });

  describe('consoles', () => {
    const one = { id: 'one', name: 'Shop PC', version: '1.0' };

    test('a beat says that it lives, and whether it can send', async () => {
      const { place } = bench();
      await beat(place, one, false);
      expect(await listConsoles(place, 'one')).toMatchObject([
        { ...one, able_at: null, holds: 0, self: true },
      ]);
      await beat(place, { ...one, version: '1.1' }, true);
      const [able] = await listConsoles(place, 'other');
      expect(able).toMatchObject({ version: '1.1', self: false });
      expect(Math.abs(Number(able?.able_at) - (await nowS(place)))).toBeLessThan(3);
      // a beat without being able keeps the moment at which it last was
      await place.db.run(`UPDATE ${place.t.consoles} SET able_at = able_at - 100, seen_at = seen_at - 100`);
      await beat(place, one, false);
      const [later] = await listConsoles(place, 'one');
      expect(Number(later?.seen_at) - Number(later?.able_at)).toBeGreaterThanOrEqual(99);
      await leave(place, 'one');
      expect(await listConsoles(place, 'one')).toMatchObject([{ able_at: null }]);
    });

    test('tells how many claims each holds', async () => {
      const { place } = bench();
      await beat(place, one, true);
      await beat(place, { ...one, id: 'two', name: 'ř💌'.repeat(200) }, true);
      for (let n = 0; n < 3; n += 1) {
        await put(place);
        await claimOne(place, { consoleId: n ? 'one' : 'two' });
      }
      const holds = (await listConsoles(place, 'one')).map(({ id, holds: n }) => [id, n]);
      expect(Object.fromEntries(holds)).toEqual({ one: 2, two: 1 });
      await place.db.run(`UPDATE ${place.t.queue} SET state = 'pending', claim_id = NULL`);
      expect((await listConsoles(place, 'one')).map((seen) => seen.holds)).toEqual([0, 0]);
    });

    test('are not shown after an hour and forgotten after a month', async () => {
      const { place } = bench();
      await beat(place, one, true);
      await beat(place, { ...one, id: 'two' }, true);
      await place.db.run(`UPDATE ${place.t.consoles} SET seen_at = seen_at - 3700 WHERE id = 'two'`);
      expect((await listConsoles(place, 'one')).map(({ id }) => id)).toEqual(['one']);
      expect(await pruneConsoles(place)).toBe(0);
      await place.db.run(`UPDATE ${place.t.consoles} SET seen_at = seen_at - 2592000 WHERE id = 'two'`);
      expect(await pruneConsoles(place)).toBe(1);
    });
  });

  describe('log', () => {
    const read = (query: object) => readLog(bench().place, logQuery.parse(query));

    test('holds no address and no secret, and keeps the domain', async () => {
      const { place } = bench();
      const message =
        '550 <Anna.Nová+x@example.test> refused; password=hunter2 token: "abc" AUTH PLAIN AGFubmE=';
      await writeLog(place, [{ level: 'error', queueId: 7, message }]);
      const text = await logText(place);
      for (const secret of ['Anna', 'Nov', 'hunter2', 'abc', 'AGFubmE']) expect(text).not.toContain(secret);
      expect(text).toContain('***@example.test');
      expect(await read({})).toMatchObject([{ level: 'error', queue_id: 7 }]);
    });

    test('is counted by the same conditions, on all pages together', async () => {
      const { place } = bench();
      const lines = Array.from({ length: 25 }, (_, i) => ({
        level: i % 5 === 0 ? ('error' as const) : ('info' as const),
        queueId: null,
        message: `line ${i}`,
      }));
      await writeLog(place, lines);
      const count = (query: object) => countLog(place, logQuery.parse(query));
      expect(await count({ limit: 1 })).toBe(25);
      expect(await count({ level: 'error', before: 3 })).toBe(5);
      expect(await count({ search: 'line 2' })).toBe(6);
    });

    test('is read newest first, by level, row and text, page by page', async () => {
      const { place } = bench();
      await writeLog(place, []);
      await writeLog(place, [
        { level: 'debug', queueId: null, message: 'one 100 %' },
        { level: 'error', queueId: 5, message: 'two 100 x' },
        { level: 'error', queueId: null, message: 'three _' },
      ]);
      expect((await read({})).map((line) => line.message)).toEqual(['three _', 'two 100 x', 'one 100 %']);
      expect((await read({ level: 'error', limit: 1 })).map((line) => line.message)).toEqual(['three _']);
      expect((await read({ queue_id: 5 })).map((line) => line.message)).toEqual(['two 100 x']);
      expect((await read({ search: '100 %' })).map((line) => line.message)).toEqual(['one 100 %']);
      expect((await read({ search: '_' })).map((line) => line.message)).toEqual(['three _']);
      const [newest] = await read({ limit: 1 });
      expect((await read({ before: newest?.id, limit: 1 })).map((line) => line.message)).toEqual([
        'two 100 x',
      ]);
    });

    test('takes long lines in any alphabet, cut', async () => {
      await writeLog(bench().place, [{ level: 'info', queueId: null, message: 'ř💌'.repeat(50_000) }]);
      const [line] = await read({});
      expect(line?.message).toMatch(/^(ř💌)+/);
    });
  });
}
