/** The doctor in front of shops with tables of their own: right ones, and each thing that can be wrong with one. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { examineShop } from '../../../src-main/boot.ts';
import type { DoctorStep } from '../../../src-main/contract/desk.ts';
import { isFileDatabase, type Layout, type Profile } from '../../../src-main/contract/profile.ts';
import { openMysql } from '../../../src-main/shop/mysql.ts';
import { openSqlite } from '../../../src-main/shop/sqlite.ts';
import { type MariadbServer, makeDatabase, sharedMariadb } from '../../support/mariadb.ts';
import { makeShapeShop, type ShapeShop, type ShapeShopOptions } from '../../support/shape-shop.ts';

type ShapeWithTable = ShapeShopOptions['shape'];
const shops: ShapeShop[] = [];
let zones: MariadbServer;

beforeAll(async () => {
  const { env } = process;
  const before = env['TZ'];
  env['TZ'] = 'Europe/Prague';
  // read anew: a server's surroundings are those of when its file was loaded
  vi.resetModules();
  zones = await (await import('../../support/mariadb.ts')).startMariadb();
  if (before === undefined) delete env['TZ'];
  else env['TZ'] = before;
});
afterAll(async () => {
  for (const shop of shops) await shop.close();
  await zones.remove();
});

async function make(shape: ShapeWithTable, more: Partial<ShapeShopOptions> = {}): Promise<ShapeShop> {
  const shop = await makeShapeShop({ shape, booksInShop: true, ...more });
  shops.push(shop);
  if (shape === 'email-jobs')
    await sql(shop.profile, 'CREATE INDEX claim ON email_jobs (status, available_at)');
  return shop;
}

async function sql(profile: Profile, ...statements: string[]): Promise<void> {
  const { database } = profile;
  const db = isFileDatabase(database) ? openSqlite(database.file) : openMysql(database);
  try {
    for (const statement of statements) await db.run(statement);
  } finally {
    await db.close();
  }
}

async function examine(profile: Profile, layout: Partial<Layout> = {}): Promise<Examined> {
  return sorted(await examineShop({ ...profile, layout: { ...profile.layout, ...layout } }));
}

interface Examined {
  /** all that is not green */
  odd: Record<string, string>;
  ids: string[];
  step(id: string): DoctorStep | undefined;
}

function sorted(steps: DoctorStep[]): Examined {
  for (const { id, color, advice } of steps)
    if (color === 'red' || color === 'amber') expect(advice, id).toBeTruthy();
  return {
    odd: Object.fromEntries(
      steps.flatMap(({ id, color }) => (color === 'green' || id === 'files' ? [] : [[id, color]])),
    ),
    ids: steps.map(({ id }) => id),
    step: (id) => steps.find((step) => step.id === id),
  };
}

const matching = (color: DoctorStep['color'], found: RegExp, advice?: RegExp) =>
  expect.objectContaining({
    color,
    found: expect.stringMatching(found),
    ...(advice ? { advice: expect.stringMatching(advice) } : {}),
  });

describe('a right shop', () => {
  it.each(['wp-email-queue', 'jobs', 'email-jobs'] as const)(
    '%s: every step is green, before and while it is open, and nothing is changed',
    async (shape) => {
      const shop = await make(shape);
      const id = await shop.put('a@example.test');
      const before = await shop.rows();
      const { odd, ids, step } = await examine(shop.profile);
      expect(odd).toEqual({});
      expect(ids).toEqual(
        expect.arrayContaining([
          ...['database.tables', 'database.claim-key', 'database.charset', 'database.zone'],
          ...['database.books', 'database.held', 'database.rights', 'database.clock', 'mail.login'],
        ]),
      );
      expect(ids.includes('database.dead-letters')).toBe(shape !== 'wp-email-queue');
      expect(ids.includes('database.queues')).toBe(shape === 'jobs');
      expect(step('database.books')?.found).toContain('share one cap');
      const opened = await shop.open();
      expect(sorted(await opened.doctor()).odd).toEqual({});
      await opened.close();
      expect(await shop.rows()).toEqual(before);
      expect([...before.keys()]).toEqual([id]);
    },
  );

  it('email-jobs embedded: the same with fewer steps', async () => {
    const shop = await make('email-jobs', { sqlite: true });
    await shop.put('["a@example.test","b@example.test"]');
    const { odd, ids } = await examine(shop.profile);
    expect(odd).toEqual({});
    expect(ids).toEqual([
      ...['database.reach', 'database.version', 'database.tables', 'database.dead-letters'],
      ...['database.claim-key', 'database.books', 'database.held', 'files'],
      ...['mail.name', 'mail.greeting', 'mail.encryption', 'mail.login', 'mail.sender'],
    ]);
    expect((await examine(shop.profile, { books: 'console' })).step('database.books')?.color).toBe('amber');
  });
});

describe('the queue table', () => {
  it('is not there: names what looks like one, with the layout to write; what hangs on it is grey', async () => {
    const shop = await make('email-jobs', { booksInShop: false });
    await sql(shop.profile, 'RENAME TABLE email_jobs TO outgoing, failed_email_jobs TO outgoing_failed');
    const { step, odd } = await examine(shop.profile);
    expect(step('database.tables')).toEqual(
      matching(
        'red',
        /^There is no table email_jobs in this database \(shape email-jobs\)\.$/,
        /"shape": "email-jobs", "layout": \{"table":"outgoing","failedTable":"outgoing_failed"\}/,
      ),
    );
    expect(odd).toMatchObject({
      'database.dead-letters': 'grey',
      'database.held': 'grey',
      'database.books': 'amber',
    });
    expect(step('database.zone')?.color).toBe('green');
    expect(step('mail.login')?.color).toBe('green');
    const right = await examine(shop.profile, { table: 'outgoing', failedTable: 'outgoing_failed' });
    expect(right.odd).toEqual({ 'database.books': 'amber' });
    const other = await examineShop({ ...shop.profile, shape: 'jobs' });
    expect(sorted(other).step('database.tables')?.advice).toContain('"shape": "email-jobs"');
  });

  it('lacks columns, keeps times as numbers, has other words', async () => {
    const shop = await make('wp-email-queue');
    const { profile } = shop;
    await sql(profile, 'ALTER TABLE wp_email_queue CHANGE assunto titulo VARCHAR(255) NOT NULL');
    expect((await examine(profile)).step('database.tables')).toEqual(
      matching('red', /it lacks assunto\.$/, /./),
    );
    expect((await examine(profile, { columns: { assunto: 'titulo' } })).odd).toEqual({});
    await sql(
      profile,
      'ALTER TABLE wp_email_queue CHANGE titulo assunto VARCHAR(255) NOT NULL, MODIFY status VARCHAR(20)',
      "INSERT INTO wp_email_queue (destinatario, assunto, corpo, status) VALUES ('a', 'b', 'c', 'pausado'), ('a', 'b', 'c', NULL)",
    );
    expect((await examine(profile)).step('database.tables')).toEqual(
      matching('amber', /1 row with the status "pausado".*left alone/, /pendente/),
    );
    await sql(
      profile,
      'DELETE FROM wp_email_queue',
      "ALTER TABLE wp_email_queue MODIFY status ENUM('pendente', 'enviado')",
    );
    expect((await examine(profile)).step('database.tables')).toEqual(
      matching('red', /cannot hold processando/, /another program/),
    );
    await sql(profile, 'ALTER TABLE wp_email_queue MODIFY proxima_tentativa BIGINT');
    expect((await examine(profile)).step('database.tables')).toEqual(
      matching('red', /proxima_tentativa keeps its times as numbers/, /No table of this database/),
    );
  });

  it('is empty of everything: another database', async () => {
    const shop = await make('jobs', { booksInShop: false });
    await sql(shop.profile, 'DROP TABLE jobs', 'DROP TABLE failed_jobs');
    expect((await examine(shop.profile)).step('database.tables')).toEqual(
      matching('red', /no table jobs/, /Is it the right database/),
    );
  });

  it('has no key for the claim, or none at all', async () => {
    const shop = await make('wp-email-queue');
    await sql(shop.profile, 'ALTER TABLE wp_email_queue DROP KEY idx_processamento');
    const { step } = await examine(shop.profile);
    expect(step('database.claim-key')).toEqual(
      matching('amber', /no key that begins with status, proxima_tentativa/),
    );
    const advised = /ALTER TABLE .*/.exec(step('database.claim-key')?.advice ?? '')?.[0] ?? '';
    await sql(shop.profile, advised);
    expect((await examine(shop.profile)).odd).toEqual({});
    await sql(
      shop.profile,
      'ALTER TABLE wp_email_queue MODIFY id BIGINT UNSIGNED',
      'ALTER TABLE wp_email_queue DROP PRIMARY KEY',
    );
    expect((await examine(shop.profile)).step('database.claim-key')).toEqual(
      matching('red', /not the primary key/),
    );
  });

  it('of jobs needs a key only where many rows of other queues stand in the way', async () => {
    const shop = await make('jobs');
    await sql(shop.profile, 'ALTER TABLE jobs DROP KEY jobs_claim');
    expect((await examine(shop.profile)).step('database.claim-key')).toEqual(
      matching('green', /primary key serves/),
    );
    await sql(
      shop.profile,
      `INSERT INTO jobs (queue, payload, available_at, created_at, updated_at)
       SELECT 'images', '{}', NOW(), NOW(), NOW() FROM seq_1_to_20000`,
    );
    const { database } = shop.profile;
    if (!isFileDatabase(database))
      await (await sharedMariadb()).admin(`ANALYZE TABLE \`${database.database}\`.jobs`);
    const { step, odd } = await examine(shop.profile);
    expect(step('database.claim-key')).toEqual(matching('amber', /walks through other queues' rows/));
    expect(odd).toEqual({ 'database.claim-key': 'amber' });
    await sql(shop.profile, /ALTER TABLE .*/.exec(step('database.claim-key')?.advice ?? '')?.[0] ?? '');
    expect((await examine(shop.profile)).odd).toEqual({});
  });

  it('can be read, but not written', async () => {
    const shop = await make('email-jobs');
    const { database } = shop.profile;
    if (isFileDatabase(database)) throw new Error('Expected a server');
    const server = await sharedMariadb();
    const modest = await makeDatabase(server, database.database, { rights: 'modest' });
    expect((await examine({ ...shop.profile, database: modest })).odd).toEqual({});
    await server.admin(
      `REVOKE DELETE ON \`${database.database.replaceAll('_', '\\_')}\`.* FROM '${modest.user}'@'127.0.0.1'`,
    );
    expect((await examine({ ...shop.profile, database: modest })).step('database.rights')).toEqual(
      matching('red', /DELETE on email_jobs, failed_email_jobs, wp_postroom_/, /GRANT/),
    );
  });

  it('is narrow: latin1 where subjects are kept', async () => {
    const shop = await make('email-jobs');
    await sql(shop.profile, 'ALTER TABLE email_jobs MODIFY subject TEXT CHARACTER SET latin1 NOT NULL');
    const { step } = await examine(shop.profile);
    expect(step('database.charset')).toEqual(
      matching(
        'amber',
        /^email_jobs\.subject is latin1: an emoji is lost/,
        /ALTER TABLE `email_jobs` CONVERT/,
      ),
    );
  });
});

describe('dead letters', () => {
  it.each([false, true])(
    'without a body: failed mails cannot be retried until the advice is followed (embedded: %s)',
    async (sqlite) => {
      const shop = await make('email-jobs', { sqlite });
      await sql(shop.profile, 'ALTER TABLE failed_email_jobs DROP COLUMN body');
      const { step } = await examine(shop.profile);
      expect(step('database.dead-letters')).toEqual(matching('amber', /no body: .*cannot be tried again/));
      await sql(shop.profile, /ALTER TABLE .*/.exec(step('database.dead-letters')?.advice ?? '')?.[0] ?? '');
      expect((await examine(shop.profile)).odd).toEqual({});
    },
  );

  it('without one of its columns: the statement adds it, with the type of the queue’s', async () => {
    const shop = await make('jobs');
    await sql(shop.profile, 'ALTER TABLE failed_jobs DROP COLUMN attempts');
    const { step } = await examine(shop.profile);
    expect(step('database.dead-letters')).toEqual(
      matching('red', /lacks attempts/, /ADD COLUMN `attempts` tinyint\(3\) unsigned NULL/),
    );
  });

  it.each([
    ['email-jobs', 'failed_email_jobs', false],
    ['email-jobs', 'failed_email_jobs', true],
    ['jobs', 'failed_jobs', false],
  ] as const)(
    '%s without its table: the advice makes it, or names the one there is (%s, embedded: %s)',
    async (shape, dead, sqlite) => {
      const shop = await make(shape, { sqlite });
      await sql(shop.profile, `ALTER TABLE ${dead} RENAME TO undeliverable_failed`);
      expect((await examine(shop.profile)).step('database.dead-letters')).toEqual(
        matching('red', new RegExp(`no table ${dead}`), /"failedTable": "undeliverable_failed"/),
      );
      await sql(shop.profile, 'DROP TABLE undeliverable_failed');
      const { step } = await examine(shop.profile);
      await sql(shop.profile, /CREATE TABLE .*/.exec(step('database.dead-letters')?.advice ?? '')?.[0] ?? '');
      expect((await examine(shop.profile)).odd).toEqual({});
      await shop.putBroken();
      const opened = await shop.open();
      await opened.startDraining();
      await opened.untilEmpty();
      await opened.close();
      expect([...(await shop.rows()).values()].map(({ word }) => word)).toEqual(['dead']);
    },
  );
});

describe('the zone', () => {
  it('is the machine’s with summer time and nobody confirmed it; a zone that nobody knows', async () => {
    const shop = await make('jobs', { booksInShop: false });
    const database = await makeDatabase(zones);
    const profile = { ...shop.profile, database };
    expect((await examine(profile)).step('database.zone')).toEqual(
      matching('amber', /read in SYSTEM \(CES?T\), UTC\+0[12]:00/, /"timeZone": "SYSTEM"/),
    );
    expect((await examine(profile, { timeZone: 'SYSTEM' })).step('database.zone')?.color).toBe('green');
    expect((await examine(profile, { timeZone: '+05:30' })).step('database.zone')).toEqual(
      matching('green', /UTC\+05:30/),
    );
    const unknown = await examine(profile, { timeZone: 'Europe/Atlantis' });
    expect(unknown.step('database.zone')).toEqual(
      matching('red', /does not know the zone Europe\/Atlantis/, /mysql_tzinfo_to_sql/),
    );
    // the rest is looked at all the same
    expect(unknown.step('database.login')?.color).toBe('green');
    expect(unknown.step('database.clock')?.color).toBe('green');
  });

  it('is not the producer’s: its newest row was made in the future', async () => {
    const shop = await make('jobs');
    await sql(
      shop.profile,
      `INSERT INTO jobs (queue, payload, available_at, created_at, updated_at) VALUES ('default', '{"to":"a@b.example","subject":"s","text":"t"}',
        UTC_TIMESTAMP() + INTERVAL 2 HOUR, UTC_TIMESTAMP() + INTERVAL 2 HOUR, UTC_TIMESTAMP())`,
    );
    expect((await examine(shop.profile, { timeZone: '+00:00' })).step('database.zone')).toEqual(
      matching('amber', /(119|120) min after that/, /layout\.timeZone/),
    );
    expect((await examine(shop.profile, { timeZone: '+02:00' })).odd).toEqual({});
  });
});

describe('books and other workers', () => {
  it('says what does not hold while the books are with the console', async () => {
    const shop = await make('wp-email-queue', { booksInShop: false });
    expect((await examine(shop.profile)).step('database.books')).toEqual(
      matching('amber', /two consoles cannot share the cap.*in doubt/, /schema --apply/),
    );
    expect((await examine(shop.profile, { books: 'shop' })).step('database.books')).toEqual(
      matching('red', /lacks wp_postroom_cards/, /schema --apply/),
    );
    const embedded = await make('email-jobs', { booksInShop: false, sqlite: true });
    expect((await examine(embedded.profile)).odd).toEqual({ 'database.books': 'grey' });
  });

  it.each(['wp-email-queue', 'jobs', 'email-jobs'] as const)(
    '%s: a row that another worker holds',
    async (shape) => {
      const shop = await make(shape);
      await shop.put('a@example.test');
      await shop.holdElsewhere(await shop.put('b@example.test'));
      expect((await examine(shop.profile)).step('database.held')).toEqual(
        matching(
          'amber',
          /^1 row is held.*not by Postroom\. Is another worker still running/,
          /Stop the shop’s own worker/,
        ),
      );
      await sql(shop.profile, 'DROP TABLE wp_postroom_cards');
      expect((await examine(shop.profile)).step('database.held')?.found).toContain('or by a Postroom');
    },
  );

  it('does not take its own claims for another worker’s', async () => {
    const shop = await make('wp-email-queue');
    await shop.holdElsewhere(await shop.put('a@example.test'));
    await sql(
      shop.profile,
      "INSERT INTO wp_postroom_cards (id, subject, payload, state, claim_id) SELECT id, '', '', 'sending', 'c' FROM wp_email_queue",
    );
    expect((await examine(shop.profile)).step('database.held')).toEqual(
      matching('green', /1 row held by Postroom/),
    );
  });
});

describe('a jobs table that is not ours alone', () => {
  it('counts what is no mail, and names queues with mails that are not drained', async () => {
    const shop = await make('jobs');
    const put = (queue: string, payload: object) =>
      sql(
        shop.profile,
        `INSERT INTO jobs (queue, payload, available_at, created_at, updated_at) VALUES ('${queue}', '${JSON.stringify(payload)}', NOW(), NOW(), NOW())`,
      );
    await put('default', { resize: 7 });
    await put('images', { resize: 8 });
    const alone = await examine(shop.profile);
    expect(alone.step('database.not-mail')).toEqual(
      matching('amber', /^1 row in the drained queues is no mail/, /layout\.queues/),
    );
    expect(alone.step('database.queues')).toEqual(matching('green', /without mails: "images" \(1 row\)/));
    await put('newsletter', { to: 'a@example.test', subject: 'Hi', text: 'x' });
    expect((await examine(shop.profile)).step('database.queues')).toEqual(
      matching('amber', /with mails: "newsletter" \(1 mail\)/, /"queues": \["default","newsletter"\]/),
    );
    const both = await examine(shop.profile, { queues: ['default', 'newsletter'] });
    expect(both.odd).toEqual({ 'database.not-mail': 'amber' });
  });
});
