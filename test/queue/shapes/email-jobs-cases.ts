/** What is special about email_jobs, on both databases. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Layout } from '../../../src-main/contract/profile.ts';
import type { RowState } from '../../../src-main/contract/rows.ts';
import { readMail } from '../../../src-main/mail/read-mail.ts';
import { emailJobs } from '../../../src-main/queue/shapes/email-jobs.ts';
import type { ShopTable } from '../../../src-main/queue/shapes/shape.ts';
import type { Database, SqlValue } from '../../../src-main/shop/database.ts';
import { look, type NewRow, type TableBench } from './table-contract.ts';

export const plainLayout: Layout = { columns: {}, timeZone: null, books: null };

export interface JobsNames {
  jobs: string;
  failed: string;
  /** this table's name of a column */
  of(column: string): string;
  /** the failed table keeps bodies */
  body: boolean;
  layout: Layout;
}
export const usual: JobsNames = {
  jobs: 'email_jobs',
  failed: 'failed_email_jobs',
  of: (column) => column,
  body: true,
  layout: plainLayout,
};
const columns = 'id recipient subject body status attempts available_at job_id reason failed_at'.split(' ');
export const renamed: JobsNames = {
  jobs: 'antrean',
  failed: 'antrean_gagal',
  of: (column) => `x_${column}`,
  body: true,
  layout: {
    ...plainLayout,
    table: 'antrean',
    failedTable: 'antrean_gagal',
    columns: Object.fromEntries(columns.map((column) => [column, `x_${column}`])),
  },
};

/** Puts rows there by the shop's own means. */
export function addTo(db: Database, names: JobsNames, inS: (seconds: string) => string) {
  const { of } = names;
  let letters = 1_000_000;
  return async ({
    state = 'pending',
    dueInS = -60,
    attempts = 0,
    ageS = 0,
  }: NewRow = {}): Promise<string> => {
    const mail: SqlValue[] = ['budi@example.test', 'Verifikasi Akun', 'Klik tautan.'];
    if (state === 'failed') {
      letters += 1;
      const body = names.body ? `, ${of('body')}` : '';
      await db.run(
        `INSERT INTO ${names.failed} (${of('job_id')}, ${of('recipient')}, ${of('subject')}, ${of('reason')}, ${of('failed_at')}${body})
         VALUES (?, ?, ?, 'SMTP 550', ${inS('?')}${body && ', ?'})`,
        [letters, ...mail.slice(0, 2), -ageS, ...(names.body ? mail.slice(2) : [])],
      );
      return String(letters);
    }
    const word = { pending: 'pending', sending: 'processing', sent: 'done' }[
      state as Exclude<RowState, 'failed'>
    ];
    const { insertId } = await db.run(
      `INSERT INTO ${names.jobs} (${['recipient', 'subject', 'body', 'status', 'attempts', 'available_at'].map(of).join(', ')})
       VALUES (?, ?, ?, ?, ?, ${inS('?')})`,
      [...mail, word, attempts, state === 'sent' ? -ageS : dueInS],
    );
    return String(insertId);
  };
}

export async function clearJobs(db: Database, names: JobsNames): Promise<void> {
  await db.run(`DELETE FROM ${names.jobs}`);
  await db.run(`DELETE FROM ${names.failed}`);
}

/** @param open a bench with the document's own names, whose failed table keeps bodies or, as the document has it, none */
export function emailJobsCases(name: string, open: (body: boolean) => Promise<TableBench>): void {
  describe(`email-jobs on ${name}`, () => {
    let shop: TableBench;
    let table: ShopTable;
    let db: Database;
    beforeAll(async () => {
      shop = await open(true);
      ({ table, db } = shop);
    });
    afterAll(() => shop?.close());
    beforeEach(() => shop.clear());

    it('has numbers where its document leaves them open', () => {
      expect([1, 2, 3, 4, 9].map(emailJobs.backoffS)).toEqual([300, 1200, 2700, 3600, 3600]);
      expect(emailJobs).toMatchObject({ most: 1, sqlite: true, settings: { max_attempts: 5 } });
    });

    async function read(recipient: string, body = 'Text', subject = 'Hi') {
      const { insertId } = await db.run(
        "INSERT INTO email_jobs (recipient, subject, body, status, available_at) VALUES (?, ?, ?, 'pending', '2026-01-15 08:00:00')",
        [recipient, subject, body],
      );
      const row = await look(table, db, String(insertId));
      return readMail({
        payload: String(row?.['payload']),
        sender: { name: '', address: 'shop@example.test' },
        attachmentDir: null,
        deliveredTo: [],
      });
    }

    it.each([
      ['an address', 'a@example.test', ['a@example.test']],
      ['an address with a name', '"Budi, S.Kom" <a@example.test>', ['a@example.test']],
      [
        'a JSON list',
        '["a@example.test", "b@example.test","c@example.test"]',
        ['a@example.test', 'b@example.test', 'c@example.test'],
      ],
      ['a JSON string', '"a@example.test"', ['a@example.test']],
    ])('sends to %s in one conversation', async (_what, recipient, to) => {
      const reading = await read(recipient);
      expect(reading.ok && reading.mail.envelope.to).toEqual(to);
    });

    it.each([
      ['["a@example.test", b@example.test', 'to has a wrong type'],
      ['[]', 'no valid recipient'],
      ['[1, 2]', 'to'],
      ['{"a@example.test": 1}', 'no valid recipient'],
      ['123', 'no valid recipient'],
      ['', 'no valid recipient'],
      ['a@example.test\r\nRCPT TO:<evil@example.test>', 'no valid recipient'],
    ])('a mail to %j fails with its reason', async (recipient, reason) => {
      expect(await read(recipient)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
    });

    it('sends text, also where it looks like HTML, with every character', async () => {
      const hostile = `<b>\x01\x1f\x7f\t\r\n"\\/'%\u2028é\u{1f4e6}</b>`;
      const reading = await read('a@example.test', hostile, 'Faktur \u{1f4e6}');
      expect(reading).toMatchObject({
        ok: true,
        mail: { message: hostile, body: { kind: 'plain' }, subject: 'Faktur \u{1f4e6}', headers: [] },
      });
    });

    it('counts a try at the claim, as the document does, and shows tries that came to an end', async () => {
      const id = await shop.add();
      const raw = async () =>
        (
          await db.query<{ attempts: number; status: string }>(
            'SELECT attempts, status FROM email_jobs WHERE id = ?',
            [id],
          )
        )[0];
      await table.claim(db, [id], 900);
      expect(await raw()).toMatchObject({ status: 'processing', attempts: 1 });
      expect(await look(table, db, id)).toMatchObject({ attempts: 0 });
      await table.waits(db, { id, attempts: 1, delayS: 0, reason: '' });
      await table.claim(db, [id], 900);
      expect(await raw()).toMatchObject({ status: 'processing', attempts: 2 });
      await table.waits(db, { id, attempts: 1, delayS: 0, reason: 'given back' });
      expect(await raw()).toMatchObject({ status: 'pending', attempts: 1 });
    });

    it('the dead letter has the reason and the id of its job, and the job is gone', async () => {
      const id = await shop.add();
      await table.claim(db, [id], 900);
      const reason = 'SMTP 550: mailbox unavailable';
      await table.failed(db, { id, attempts: 1, delayS: 0, reason });
      expect(await db.query('SELECT id FROM email_jobs')).toEqual([]);
      const [letter] = await db.query('SELECT * FROM failed_email_jobs');
      expect(letter).toMatchObject({
        job_id: Number(id),
        recipient: 'budi@example.test',
        subject: 'Verifikasi Akun',
        reason,
      });
      expect(await look(table, db, id)).toMatchObject({ state: 'failed', last_error: reason });
      await table.requeue(db, [id]);
      expect(await db.query('SELECT id FROM failed_email_jobs')).toEqual([]);
      expect(await look(table, db, id)).toMatchObject({ state: 'pending', attempts: 0, last_error: null });
    });

    it('a dead letter whose id is a job again stays where it is', async () => {
      const id = await shop.add();
      await db.run(
        "INSERT INTO failed_email_jobs (job_id, recipient, subject, reason, failed_at, body) VALUES (?, 'old@example.test', 's', 'r', '2026-01-15 08:00:00', 'b')",
        [Number(id)],
      );
      await db.run("UPDATE email_jobs SET status = 'done'");
      await table.requeue(db, [id]);
      expect(await db.query('SELECT status, recipient FROM email_jobs')).toEqual([
        { status: 'done', recipient: 'budi@example.test' },
      ]);
      expect(await db.query('SELECT recipient FROM failed_email_jobs')).toEqual([
        { recipient: 'old@example.test' },
      ]);
    });

    it('a job that nobody can read the status or time of is not stranded or touched', async () => {
      const id = await shop.add();
      await db.run("UPDATE email_jobs SET status = 'paused'");
      expect(await look(table, db, id)).toMatchObject({
        state: 'failed',
        last_error: 'unknown status: paused',
      });
      await table.requeue(db, [id]);
      await table.remove(db, [id]);
      expect(await db.query('SELECT status FROM email_jobs')).toEqual([{ status: 'paused' }]);
    });

    it('what the table cannot hold is refused, not lost', async () => {
      const mail = { to: ['a@example.test', 'b@example.test'], subject: 'S', message: 'M' };
      const row = await look(table, db, await table.insert(db, mail, null));
      expect(JSON.parse(String(row?.['payload']))).toEqual({ ...mail, headers: [], attachments: [] });
      await expect(table.insert(db, { ...mail, headers: ['X: y'] }, null)).rejects.toThrow('headers');
      await expect(table.insert(db, { ...mail, attachments: ['x/f.pdf'] }, null)).rejects.toThrow(
        'attachments',
      );
    });
  });

  describe(`email-jobs on ${name} without bodies of dead letters`, () => {
    let shop: TableBench;
    let table: ShopTable;
    let db: Database;
    beforeAll(async () => {
      shop = await open(false);
      ({ table, db } = shop);
    });
    afterAll(() => shop?.close());
    beforeEach(() => shop.clear());

    it('fails a mail, shows it, and leaves it there when it is to be tried again', async () => {
      const id = await shop.add();
      await table.failed(db, { id, attempts: 5, delayS: 0, reason: 'SMTP 550' });
      const failed = await look(table, db, id);
      expect(failed).toMatchObject({
        state: 'failed',
        recipient: 'budi@example.test',
        last_error: 'SMTP 550',
      });
      expect(JSON.parse(String(failed?.['payload']))).toMatchObject({
        to: 'budi@example.test',
        message: null,
      });
      const waiting = await shop.add({ dueInS: 3600 });
      await table.requeue(db, [id, waiting]);
      expect(await look(table, db, id)).toEqual(failed);
      expect(await table.due(db, 5, [])).toEqual([waiting]);
      expect(table.tables[1]).toMatchObject({ optional: ['body'] });
    });

    it('a mail that arrived after all is moved back as done', async () => {
      const id = await shop.add();
      await table.failed(db, { id, attempts: 5, delayS: 0, reason: 'in doubt' });
      await table.sent(db, [id]);
      expect(await look(table, db, id)).toMatchObject({ state: 'sent' });
      expect(await db.query('SELECT id FROM failed_email_jobs')).toEqual([]);
      await table.remove(db, [id]);
      expect(await look(table, db, id)).toBeNull();
    });
  });
}
