/** Finding queues in a database that is full of other things. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FoundTable } from '../../../src-main/contract/look.ts';
import { discover } from '../../../src-main/queue/shapes/discover.ts';
import { shapes } from '../../../src-main/queue/shapes/index.ts';
import { definitions } from '../../../src-main/queue/tables.ts';
import type { Database } from '../../../src-main/shop/database.ts';
import { openMysql } from '../../../src-main/shop/mysql.ts';
import { openSqlite } from '../../../src-main/shop/sqlite.ts';
import { makeDatabase, sharedMariadb } from '../../support/mariadb.ts';
import { laravel, mail, mysqlTables } from './jobs-bench.ts';

/** WordPress core, as wp-admin/includes/schema.php has it, and what shops have besides. */
const decoys = [
  `CREATE TABLE wp_posts (ID bigint(20) unsigned NOT NULL auto_increment PRIMARY KEY, post_author bigint(20) unsigned NOT NULL, post_date datetime NOT NULL,
     post_date_gmt datetime NOT NULL, post_content longtext NOT NULL, post_title text NOT NULL, post_excerpt text NOT NULL, post_status varchar(20) NOT NULL,
     comment_status varchar(20) NOT NULL, ping_status varchar(20) NOT NULL, post_password varchar(255) NOT NULL, post_name varchar(200) NOT NULL,
     to_ping text NOT NULL, pinged text NOT NULL, post_modified datetime NOT NULL, post_parent bigint(20) unsigned NOT NULL, guid varchar(255) NOT NULL,
     menu_order int(11) NOT NULL, post_type varchar(20) NOT NULL, post_mime_type varchar(100) NOT NULL, comment_count bigint(20) NOT NULL)`,
  `CREATE TABLE wp_postmeta (meta_id bigint(20) unsigned NOT NULL auto_increment PRIMARY KEY, post_id bigint(20) unsigned, meta_key varchar(255), meta_value longtext)`,
  `CREATE TABLE wp_users (ID bigint(20) unsigned NOT NULL auto_increment PRIMARY KEY, user_login varchar(60), user_pass varchar(255), user_nicename varchar(50),
     user_email varchar(100), user_url varchar(100), user_registered datetime, user_activation_key varchar(255), user_status int(11), display_name varchar(250))`,
  `CREATE TABLE wp_usermeta (umeta_id bigint(20) unsigned NOT NULL auto_increment PRIMARY KEY, user_id bigint(20) unsigned, meta_key varchar(255), meta_value longtext)`,
  `CREATE TABLE wp_comments (comment_ID bigint(20) unsigned NOT NULL auto_increment PRIMARY KEY, comment_post_ID bigint(20) unsigned, comment_author tinytext,
     comment_author_email varchar(100), comment_author_url varchar(200), comment_author_IP varchar(100), comment_date datetime, comment_date_gmt datetime,
     comment_content text, comment_karma int(11), comment_approved varchar(20), comment_agent varchar(255), comment_type varchar(20), user_id bigint(20))`,
  `CREATE TABLE wp_options (option_id bigint(20) unsigned NOT NULL auto_increment PRIMARY KEY, option_name varchar(191), option_value longtext, autoload varchar(20))`,
  `CREATE TABLE wp_terms (term_id bigint(20) unsigned NOT NULL auto_increment PRIMARY KEY, name varchar(200), slug varchar(200), term_group bigint(10))`,
  `CREATE TABLE wp_links (link_id bigint(20) unsigned NOT NULL auto_increment PRIMARY KEY, link_url varchar(255), link_name varchar(255), link_updated datetime, link_notes mediumtext)`,
  `CREATE TABLE wp_actionscheduler_actions (action_id bigint(20) unsigned NOT NULL auto_increment PRIMARY KEY, hook varchar(191), status varchar(20), scheduled_date_gmt datetime,
     scheduled_date_local datetime, priority tinyint unsigned, args varchar(191), schedule longtext, group_id bigint(20) unsigned, attempts int(11), last_attempt_gmt datetime, claim_id bigint(20) unsigned)`,
  `CREATE TABLE wp_wc_orders (id bigint(20) unsigned PRIMARY KEY, status varchar(20), currency varchar(10), billing_email varchar(320), date_created_gmt datetime, date_updated_gmt datetime)`,
  'CREATE TABLE `odd name` (id int PRIMARY KEY, recipient text, subject text, body text, status text, attempts int, available_at datetime)',
];
const emailJobs = [
  `CREATE TABLE email_jobs (id BIGINT AUTO_INCREMENT PRIMARY KEY, recipient VARCHAR(255) NOT NULL, subject VARCHAR(255) NOT NULL, body LONGTEXT NOT NULL,
     status VARCHAR(20) NOT NULL DEFAULT 'pending', attempts INT NOT NULL DEFAULT 0, available_at DATETIME NOT NULL)`,
  `CREATE TABLE failed_email_jobs (id BIGINT AUTO_INCREMENT PRIMARY KEY, job_id BIGINT NOT NULL, recipient VARCHAR(255) NOT NULL, subject VARCHAR(255) NOT NULL,
     reason TEXT NOT NULL, failed_at DATETIME NOT NULL)`,
];
const wpEmailQueue = `CREATE TABLE wp_email_queue (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, destinatario VARCHAR(255) NOT NULL, assunto VARCHAR(255) NOT NULL,
  corpo LONGTEXT NOT NULL, cabecalhos JSON, status ENUM('pendente', 'processando', 'falha', 'enviado') DEFAULT 'pendente', tentativas TINYINT UNSIGNED DEFAULT 0,
  proxima_tentativa DATETIME DEFAULT CURRENT_TIMESTAMP, criado_em TIMESTAMP DEFAULT CURRENT_TIMESTAMP)`;
/** as `php artisan queue:table` and `queue:failed-table` make them */
const laravelTables = [
  `CREATE TABLE jobs (id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, queue varchar(255) NOT NULL, payload longtext NOT NULL, attempts tinyint unsigned NOT NULL,
     reserved_at int unsigned DEFAULT NULL, available_at int unsigned NOT NULL, created_at int unsigned NOT NULL, KEY jobs_queue_index (queue))`,
  `CREATE TABLE failed_jobs (id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, uuid varchar(255) NOT NULL UNIQUE, connection text NOT NULL, queue text NOT NULL,
     payload longtext NOT NULL, exception longtext NOT NULL, failed_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP)`,
];

describe('discover on MariaDB', () => {
  const open: Database[] = [];
  async function shop(...tables: string[]): Promise<Database> {
    const config = await makeDatabase(await sharedMariadb());
    const installer = openMysql(config);
    for (const sql of [...decoys, ...tables]) await installer.run(sql);
    await installer.close();
    const db = openMysql(await makeDatabase(await sharedMariadb(), config.database, { rights: 'modest' }));
    open.push(db);
    return db;
  }
  const brief = (found: FoundTable[]) => found.map(({ shape, layout }) => `${shape} ${layout.table}`);
  afterAll(async () => {
    for (const db of open) await db.close();
  });

  it('finds nothing among what is no queue', async () => {
    expect(await discover(await shop(), shapes)).toEqual([]);
  });

  describe('with all four shapes', () => {
    let db: Database;
    let found: FoundTable[];
    const exact = () =>
      found.filter(({ score, missing, refused }) => score === 1 && missing.length === 0 && !refused);
    beforeAll(async () => {
      const queue = definitions.find(({ name }) => name === 'queue');
      const own = `CREATE TABLE shop7_studiou_wcmq_queue (${queue?.columns.map(({ name, mysql }) => `${name} ${mysql}`).join(', ')}, PRIMARY KEY (id))`;
      db = await shop(
        ...mysqlTables('id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY'),
        ...emailJobs,
        wpEmailQueue,
        own,
      );
      for (const name of ['mails', 'default', 'mails'])
        await db.run(`INSERT INTO jobs (queue, payload, available_at) VALUES (?, ?, NOW())`, [
          name,
          mail('1'),
        ]);
      await db.run(
        `INSERT INTO email_jobs (recipient, subject, body, status, available_at) VALUES ('a', 'b', 'c', 'done', NOW())`,
      );
      found = await discover(db, shapes);
    });

    it('names each once as exact, before all guesses', () => {
      expect(brief(exact()).sort()).toEqual([
        'email-jobs email_jobs',
        'jobs jobs',
        'studiou-wcmq shop7_studiou_wcmq_queue',
        'wp-email-queue wp_email_queue',
      ]);
      expect(found.slice(0, 4)).toEqual(exact());
      expect(found.slice(4).every(({ refused }) => refused !== null)).toBe(true);
    });

    it('tells all that a profile needs', () => {
      const of = (shape: string) => exact().find((one) => one.shape === shape);
      expect(of('jobs')).toMatchObject({
        layout: { table: 'jobs', failedTable: 'failed_jobs', columns: {}, queues: ['default', 'mails'] },
        prefix: null,
      });
      expect(of('email-jobs')?.layout).toEqual({
        table: 'email_jobs',
        failedTable: 'failed_email_jobs',
        columns: {},
      });
      expect(of('wp-email-queue')?.layout).toEqual({ table: 'wp_email_queue', columns: {} });
      expect(of('studiou-wcmq')?.prefix).toBe('shop7_');
      // the server's own estimate
      expect(of('jobs')?.rows).toBeGreaterThanOrEqual(0);
    });

    it('says of a guess that its states are another program’s', () => {
      const guess = found.find(
        ({ shape, layout }) => shape === 'email-jobs' && layout.table === 'wp_email_queue',
      );
      expect(guess?.refused).toContain('wp_email_queue.status has no pending, processing, done');
    });

    it('gives layouts that can be opened and asked', async () => {
      for (const { shape, layout } of exact()) {
        const one = shapes.find(({ name }) => name === shape);
        if (!one) continue;
        const table = one.open('wp_', { timeZone: null, books: null, ...layout }, 'mysql');
        expect(await table.nextDue(db)).toEqual(shape === 'jobs' ? expect.any(Number) : null);
      }
    });
  });

  it("names Laravel's own queue, and refuses it for its integer times", async () => {
    const db = await shop(...laravelTables);
    await db.run(
      `INSERT INTO jobs (queue, payload, attempts, available_at, created_at) VALUES ('high', ?, 0, 1, 1)`,
      [laravel],
    );
    const found = await discover(db, shapes);
    expect(brief(found)).toEqual(['jobs jobs']);
    const [jobs] = found;
    expect(jobs?.refused).toMatch(
      /^jobs\.reserved_at keeps its times as numbers \(int(\(10\))? unsigned\), as Laravel/,
    );
    expect(jobs?.missing).toEqual(['updated_at', 'failed_jobs.attempts']);
    expect(jobs?.layout).toEqual({
      table: 'jobs',
      failedTable: 'failed_jobs',
      columns: { error: 'exception' },
      queues: ['high'],
    });
    expect(jobs?.score).toBeLessThan(1);
  });

  it('maps renamed columns by what they usually mean, and by their types', async () => {
    const db = await shop(
      `CREATE TABLE outbox (mail_id INT AUTO_INCREMENT PRIMARY KEY, to_email VARCHAR(320), betreff TEXT, tpl LONGTEXT, estado VARCHAR(20), tries INT, sendAfter DATETIME)`,
      `CREATE TABLE outbox_dead (mail_id INT AUTO_INCREMENT PRIMARY KEY, original_id INT, to_email VARCHAR(320), betreff TEXT, error_message TEXT, failed_on DATETIME)`,
      `CREATE TABLE fila (id BIGINT PRIMARY KEY, queue_name VARCHAR(50), job_data JSON, attempts INT, locked_at DATETIME, run_at DATETIME, created_at DATETIME, updated_at DATETIME)`,
    );
    await db.run(`INSERT INTO outbox (estado) VALUES ('pending'), ('done')`);
    const found = await discover(db, shapes);
    const [mails] = found.filter(({ layout }) => layout.table === 'outbox' && layout.failedTable);
    expect(mails).toMatchObject({ shape: 'email-jobs', missing: [], refused: null });
    expect(mails?.layout).toEqual({
      table: 'outbox',
      failedTable: 'outbox_dead',
      columns: {
        id: 'mail_id',
        recipient: 'to_email',
        subject: 'betreff',
        body: 'tpl',
        status: 'estado',
        attempts: 'tries',
        available_at: 'sendAfter',
        job_id: 'original_id',
        reason: 'error_message',
        failed_at: 'failed_on',
      },
    });
    expect(mails?.score).toBeGreaterThan(0.8);
    expect(mails?.score).toBeLessThan(1);
    const [general] = found.filter(({ layout }) => layout.table === 'fila');
    expect(general).toMatchObject({ shape: 'jobs', missing: ['table failed_jobs'], refused: null });
    expect(general?.layout.columns).toEqual({
      queue: 'queue_name',
      payload: 'job_data',
      reserved_at: 'locked_at',
      available_at: 'run_at',
    });
  });

  it('says which columns a near one lacks, and never guesses a number by its type', async () => {
    const db = await shop(
      `CREATE TABLE wp_mail_log (id INT PRIMARY KEY, recipient VARCHAR(200), subject TEXT, body TEXT, headers TEXT, status VARCHAR(20), user_id INT, created_at DATETIME)`,
    );
    const found = await discover(db, shapes);
    const log = found.find(({ shape }) => shape === 'wp-email-queue');
    expect(log?.missing).toEqual(['tentativas', 'proxima_tentativa']);
    expect(Object.values(log?.layout.columns ?? {})).not.toContain('user_id');
    await db.run(`INSERT INTO wp_mail_log (id, status) VALUES (1, 'opened')`);
    for (const one of await discover(db, shapes))
      expect(one.refused).toContain('wp_mail_log.status has opened');
  });
});

describe('discover on the embedded database', () => {
  it('finds the shapes that run there', async () => {
    const db = openSqlite(':memory:');
    const plain = (sql: string) =>
      sql
        .replace(' ENGINE=InnoDB', '')
        .replace(/\b(BIGINT|INT)( UNSIGNED)? AUTO_INCREMENT PRIMARY KEY/, 'INTEGER PRIMARY KEY AUTOINCREMENT')
        .replaceAll('DATETIME', 'TEXT');
    for (const sql of [...emailJobs, ...mysqlTables('id INTEGER PRIMARY KEY'), ...laravelTables.slice(0, 0)])
      await db.run(plain(sql));
    await db.run('CREATE TABLE wp_users (ID INTEGER PRIMARY KEY, user_email TEXT, user_status INTEGER)');
    await db.run(`INSERT INTO jobs (queue, payload, available_at) VALUES ('mails', '{}', datetime('now'))`);
    const found = await discover(db, shapes);
    const exact = found.filter(({ score, missing }) => score === 1 && missing.length === 0);
    expect(exact.map(({ shape, rows }) => `${shape} ${rows}`).sort()).toEqual(['email-jobs 0', 'jobs 1']);
    await db.close();
  });
});
