import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Layout } from '../../../src-main/contract/profile.ts';
import { readMail } from '../../../src-main/mail/read-mail.ts';
import type { ShopTable } from '../../../src-main/queue/shapes/shape.ts';
import { wpEmailQueue } from '../../../src-main/queue/shapes/wp-email-queue.ts';
import type { Database, Queryable } from '../../../src-main/shop/database.ts';
import { openMysql } from '../../../src-main/shop/mysql.ts';
import { makeDatabase, sharedMariadb } from '../../support/mariadb.ts';
import { loadPrague, look, type NewRow, type TableBench, tableContract } from './table-contract.ts';

const layout: Layout = { columns: {}, timeZone: null, books: null };
const words = wpEmailQueue.words;

/** The document's own DDL, with other names where asked. */
const ddl = (table: string, renamed = (name: string) => name, headers = 'JSON') =>
  `CREATE TABLE ${table} (
    ${renamed('id')} BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,
    ${renamed('destinatario')} VARCHAR(255) NOT NULL,
    ${renamed('assunto')} VARCHAR(255) NOT NULL,
    ${renamed('corpo')} LONGTEXT NOT NULL,
    ${renamed('cabecalhos')} ${headers},
    ${renamed('status')} ENUM('pendente', 'processando', 'falha', 'enviado') DEFAULT 'pendente',
    ${renamed('tentativas')} TINYINT UNSIGNED DEFAULT 0,
    ${renamed('proxima_tentativa')} DATETIME DEFAULT CURRENT_TIMESTAMP,
    ${renamed('criado_em')} TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    INDEX idx_processamento (${renamed('status')}, ${renamed('proxima_tentativa')})
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci`;

async function bench(
  sessionSql: string[] = [],
  { table = 'wp_email_queue', renamed = (name: string) => name, headers = 'JSON', own = layout } = {},
): Promise<TableBench> {
  const server = await sharedMariadb();
  await loadPrague(server);
  const config = await makeDatabase(server);
  const installer = openMysql(config);
  await installer.run(ddl(table, renamed, headers));
  await installer.close();
  const modest = await makeDatabase(server, config.database, { rights: 'modest' });
  const open = () => openMysql(modest, { onSessionSql: sessionSql });
  const [db, other] = [open(), open()];
  return {
    shape: wpEmailQueue,
    table: wpEmailQueue.open('wp_', own, 'mysql'),
    db,
    other: { table: wpEmailQueue.open('wp_', own, 'mysql'), db: other },
    async add({ state = 'pending', dueInS = -60, attempts = 0, ageS = 0 }: NewRow = {}) {
      const names = [
        'destinatario',
        'assunto',
        'corpo',
        'cabecalhos',
        'status',
        'tentativas',
        'proxima_tentativa',
        'criado_em',
      ];
      const { insertId } = await db.run(
        `INSERT INTO ${table} (${names.map(renamed).join(', ')})
         VALUES (?, ?, ?, '[]', ?, ?, NOW() + INTERVAL ? SECOND, NOW() - INTERVAL ? SECOND)`,
        ['jana@example.test', 'Objednávka', 'Text', words[state], attempts, dueInS, ageS],
      );
      return String(insertId);
    },
    clear: async () => void (await db.run(`DELETE FROM ${table}`)),
    async close() {
      await db.close();
      await other.close();
    },
  };
}

tableContract('wp-email-queue', () => bench());
tableContract('wp-email-queue in its own zone, with other names', () =>
  bench(["SET time_zone = 'Europe/Prague'"], {
    table: 'fronta',
    renamed: (name) => (name === 'id' ? 'qid' : `x_${name}`),
    own: {
      ...layout,
      table: 'fronta',
      columns: Object.fromEntries(
        Object.entries({ id: 'qid' }).concat(
          'destinatario assunto corpo cabecalhos status tentativas proxima_tentativa criado_em'
            .split(' ')
            .map((name) => [name, `x_${name}`]),
        ),
      ),
    },
  }),
);

describe('wp-email-queue', () => {
  let shop: TableBench;
  let table: ShopTable;
  let db: Database;
  beforeAll(async () => {
    // text without a check, as tables made before MariaDB knew JSON have it
    shop = await bench([], { headers: 'LONGTEXT' });
    ({ table, db } = shop);
  });
  afterAll(() => shop?.close());
  beforeEach(() => shop.clear());

  it('has the numbers of its document', () => {
    expect([1, 2, 3, 4].map(wpEmailQueue.backoffS)).toEqual([300, 1200, 2700, 4800]);
    expect(wpEmailQueue).toMatchObject({
      most: 20,
      sqlite: true,
      settings: { max_attempts: 5, retention_sent_days: 30, retention_failed_days: 30 },
    });
    expect(wpEmailQueue.open('shop_', layout, 'mysql').tables[0]).toMatchObject({
      name: 'shop_email_queue',
      key: ['status', 'proxima_tentativa'],
    });
  });

  async function read(headers: string | null, values: { to?: string; subject?: string; body?: string } = {}) {
    const { insertId } = await db.run(
      'INSERT INTO wp_email_queue (destinatario, assunto, corpo, cabecalhos) VALUES (?, ?, ?, ?)',
      [values.to ?? 'a@example.test', values.subject ?? 'Hi', values.body ?? 'Text', headers],
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
    [
      'a list of lines',
      '["Content-Type: text/html; charset=UTF-8","X-Order: 7 \\u00e9"]',
      'html',
      ['X-Order'],
    ],
    ['one string of lines', '"Content-Type: text/html\\r\\nX-Order: 7"', 'html', ['X-Order']],
    ['a PHP array with gaps', '{"1":"Content-Type: text/html","3":"X-Order: 7"}', 'html', ['X-Order']],
    ['an empty list', '[]', 'plain', []],
    ['an empty PHP array with keys', '{}', 'plain', []],
    ['null of JSON', 'null', 'plain', []],
    ['NULL', null, 'plain', []],
    ['an empty string', '', 'plain', []],
  ])('reads headers that are %s', async (_what, headers, kind, names) => {
    const reading = await read(headers);
    expect(reading).toMatchObject({ ok: true, mail: { body: { kind }, attachments: [] } });
    expect(reading.ok && reading.mail.headers.map((header) => header.name)).toEqual(names);
  });

  it.each(['["X-Order: 7"', '{broken', 'X-Order: 7', '5', '[["nested"]]'])(
    'a mail with the headers %s fails with its reason',
    async (headers) => {
      expect(await read(headers)).toMatchObject({ ok: false, reason: expect.stringContaining('headers') });
    },
  );

  it('carries every character of subject and body, and a list of recipients', async () => {
    const hostile = `${Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join('')}\x7f"\\/'%\u2028é\u{1f4e6}`;
    const reading = await read('[]', { to: 'a@example.test, b@example.test', body: hostile });
    expect(reading.ok && reading.mail.message).toBe(hostile);
    expect(reading.ok && reading.mail.envelope.to).toEqual(['a@example.test', 'b@example.test']);
  });

  it('a row without a time is due, and one whose status nobody knows is left alone', async () => {
    const id = await shop.add();
    await db.run('UPDATE wp_email_queue SET proxima_tentativa = NULL');
    expect(await table.due(db, 5, [])).toEqual([id]);
    expect(Number(await table.nextDue(db))).toBeGreaterThan(1_700_000_000);
    await db.run('UPDATE wp_email_queue SET status = NULL');
    expect(await look(table, db, id)).toMatchObject({ state: 'failed', last_error: 'unknown status: NULL' });
    await table.requeue(db, [id]);
    await table.remove(db, [id]);
    expect(await look(table, db, id)).toMatchObject({ state: 'failed' });
  });

  it('the lease is written where the due time stands, and the mail keeps its place when it is given back', async () => {
    const [a = '', b = ''] = [await shop.add(), await shop.add()];
    await table.claim(db, [a], 900);
    const [row] = await db.query(
      'SELECT status, TIMESTAMPDIFF(SECOND, NOW(), proxima_tentativa) AS lease FROM wp_email_queue WHERE id = ?',
      [a],
    );
    expect(row?.['status']).toBe('processando');
    expect(Math.abs(Number(row?.['lease']) - 900)).toBeLessThan(5);
    await table.waits(db, { id: a, attempts: 0, delayS: 0, reason: '' });
    expect(await table.due(db, 5, [])).toEqual([a, b]);
  });

  it('a counter that no longer fits is held at the most that does', async () => {
    const id = await shop.add({ state: 'sending' });
    await table.waits(db, { id, attempts: 300, delayS: 0, reason: '' });
    expect(await look(table, db, id)).toMatchObject({ attempts: 255, state: 'pending' });
  });

  it('what the table cannot hold is refused, not lost', async () => {
    const mail = { to: ['a@example.test', 'b@example.test'], subject: 'S', message: 'M' };
    const id = await table.insert(db, { ...mail, headers: ['X-Order: 7'] }, null);
    const row = await look(table, db, id);
    expect(JSON.parse(String(row?.['payload']))).toEqual({
      ...mail,
      to: 'a@example.test, b@example.test',
      headers: ['X-Order: 7'],
      attachments: [],
    });
    await expect(table.insert(db, { ...mail, attachments: ['x/invoice.pdf'] }, null)).rejects.toThrow(
      'attachments',
    );
  });

  it('a server that does not know SKIP LOCKED is asked once and then spared', async () => {
    const own = wpEmailQueue.open('wp_', layout, 'mysql');
    const asked: string[] = [];
    // the real server answers with its real syntax error, as an old one does
    const old: Queryable = {
      dialect: 'mysql',
      run: (sql, params) => db.run(sql, params),
      query: (sql, params) => {
        asked.push(sql);
        return db.query(sql.replace('SKIP LOCKED', 'SKIP THE LOCKED'), params);
      },
    };
    const id = await shop.add();
    for (let run = 0; run < 3; run++) expect(await own.due(old, 5, [])).toEqual([id]);
    expect(asked.filter((sql) => sql.includes('SKIP LOCKED'))).toHaveLength(1);
    expect(asked.filter((sql) => sql.endsWith('FOR UPDATE'))).toHaveLength(3);
  });

  it('a claim reads few rows, however many were sent and however many are due', async () => {
    await db.run(
      `INSERT INTO wp_email_queue (destinatario, assunto, corpo, status)
       SELECT 'a@example.test', 's', REPEAT('x', 1000), IF(seq <= 8000, 'enviado', 'pendente') FROM seq_1_to_12000`,
    );
    const other = shop.other as NonNullable<TableBench['other']>;
    await db.transaction(async (tx) => {
      const first = await table.due(tx, 20, []);
      expect(first).toHaveLength(20);
      // what one worker has locked is all that the other must do without
      const second = await other.db.transaction((theirs) => other.table.due(theirs, 20, []));
      expect(second).toHaveLength(20);
      expect(second.filter((id) => first.includes(id))).toEqual([]);
    });
  });
});

describe('wp-email-queue in a DST night', () => {
  /** a worker whose session stands at this moment in Prague */
  const at = async (utc: string, config: Parameters<typeof openMysql>[0]) =>
    openMysql(config, {
      onSessionSql: ["SET time_zone = 'Europe/Prague'", `SET timestamp = ${Date.parse(utc) / 1000}`],
    });
  let config: Parameters<typeof openMysql>[0];
  const table = wpEmailQueue.open('wp_', layout, 'mysql');
  beforeAll(async () => {
    const server = await sharedMariadb();
    await loadPrague(server);
    config = await makeDatabase(server);
  });
  beforeEach(async () => {
    const db = openMysql(config);
    await db.run('DROP TABLE IF EXISTS wp_email_queue');
    await db.run(ddl('wp_email_queue'));
    await db.close();
  });

  async function during<T>(utc: string, work: (db: Database) => Promise<T>): Promise<T> {
    const db = await at(utc, config);
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  }
  /** as the shop's plugin writes a mail: all times by default */
  const write = (utc: string) =>
    during(utc, async (db) =>
      String(
        (
          await db.run(
            "INSERT INTO wp_email_queue (destinatario, assunto, corpo) VALUES ('a@example.test', 's', 'm')",
          )
        ).insertId,
      ),
    );
  const due = (utc: string) => during(utc, (db) => table.due(db, 50, []));

  it('mails written around the skipped hour are due at once and in their order', async () => {
    const ids = [];
    for (const utc of [
      '2026-03-29T00:30:00Z',
      '2026-03-29T00:59:59Z',
      '2026-03-29T01:00:00Z',
      '2026-03-29T01:30:00Z',
    ])
      ids.push(await write(utc));
    expect(await due('2026-03-29T01:30:00Z')).toEqual(ids);
    expect(await due('2026-03-29T00:59:59Z')).toEqual(ids.slice(0, 2));
  });

  it('mails written in the hour that comes twice are due in the order in which they were written', async () => {
    const ids = [];
    // 02:10 and 02:50 CEST, 02:05 and 02:20 CET, 03:00 CET
    for (const utc of ['00:10:00', '00:50:00', '01:05:00', '01:20:00', '02:00:00'])
      ids.push(await write(`2026-10-25T${utc}Z`));
    expect(await due('2026-10-25T02:00:00Z')).toEqual(ids);
    expect(await during('2026-10-25T02:00:00Z', (db) => table.due(db, 2, []))).toEqual(ids.slice(0, 2));
    // by the shop's clock 02:50 has not come again yet at 02:20 CET, but it was due before the clock went back
    expect(await due('2026-10-25T01:20:00Z')).toEqual(ids.slice(0, 4));
    expect(await due('2026-10-25T00:20:00Z')).toEqual(ids.slice(0, 1).concat(ids.slice(2, 4)));
  });

  it('a retry waits for the second of two hours beside a mail that does not, and the next look is for that one', async () => {
    const retry = await write('2026-10-25T00:10:00Z');
    await during('2026-10-25T01:05:00Z', async (db) => {
      await table.claim(db, [retry], 900);
      await table.waits(db, { id: retry, attempts: 1, delayS: 300, reason: '' });
    });
    const now = '2026-10-25T01:06:00Z';
    expect(await due(now)).toEqual([]);
    expect(await during(now, (db) => table.nextDue(db))).toBe(Date.parse('2026-10-25T01:10:00Z') / 1000);
    const fresh = await write('2026-10-25T00:50:00Z');
    expect(await due(now)).toEqual([fresh]);
    expect(await during(now, (db) => table.nextDue(db))).toBeLessThanOrEqual(Date.parse(now) / 1000);
    expect(await due('2026-10-25T01:10:00Z')).toEqual([retry, fresh]);
  });

  it.each([
    ['skipped', '2026-03-29T00:50:00Z', 60],
    ['repeated', '2026-10-25T00:58:00Z', 3720],
    ['usual', '2026-06-01T00:58:00Z', 60],
  ])('a retry over the %s hour is never early', async (_night, utc, slackS) => {
    for (const delayS of [300, 1200, 2700]) {
      const id = await write(utc);
      await during(utc, async (db) => {
        await table.claim(db, [id], 900);
        await table.waits(db, { id, attempts: 1, delayS, reason: '' });
      });
      const later = (seconds: number) => new Date(Date.parse(utc) + seconds * 1000).toISOString();
      for (const early of [0, delayS / 2, delayS - 1]) expect(await due(later(early))).not.toContain(id);
      expect(await due(later(delayS + slackS))).toContain(id);
    }
  });

  it('the next look never lies in the past while nothing is due', async () => {
    for (const night of ['2026-03-29', '2026-10-25'])
      for (let minute = 0; minute < 240; minute += 7) {
        const now = Date.parse(`${night}T00:00:00Z`) / 1000 + minute * 60;
        await during(new Date(now * 1000).toISOString(), async (db) => {
          await db.run('DELETE FROM wp_email_queue');
          await db.run(
            "INSERT INTO wp_email_queue (destinatario, assunto, corpo, proxima_tentativa) VALUES ('a@example.test', 's', 'm', ?)",
            [`${night} 02:40:00`],
          );
          const next = Number(await table.nextDue(db));
          const isDue = (await table.due(db, 5, [])).length === 1;
          if (isDue) expect(next).toBeLessThanOrEqual(now);
          else expect(next).toBeGreaterThan(now);
          expect(next).toBeLessThanOrEqual(now + 2 * 3600 + 2400);
        });
      }
  });

  it('a row that is held through the night keeps its mark', async () => {
    const id = await write('2026-10-25T00:10:00Z');
    await during('2026-10-25T00:50:00Z', (db) => table.claim(db, [id], 900));
    const marks = [];
    for (const utc of ['2026-10-25T00:50:00Z', '2026-10-25T01:10:00Z', '2026-10-25T03:00:00Z'])
      marks.push(await during(utc, (db) => table.held(db, 5)));
    expect(marks[1]).toEqual(marks[0]);
    expect(marks[2]).toEqual(marks[0]);
  });
});
