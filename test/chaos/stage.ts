/** The shop of one seed: a database of its own, rows, and what a shop's people and its server's keeper do to it. */
import { existsSync } from 'node:fs';
import type { Profile, ServerDatabase } from '../../src-main/contract/profile.ts';
import { readProfile } from '../../src-main/contract/profile.ts';
import type { Settings } from '../../src-main/contract/settings.ts';
import { openPlace, type Place } from '../../src-main/queue/place.ts';
import { reap } from '../../src-main/queue/reap.ts';
import { applySchema } from '../../src-main/queue/schema.ts';
import {
  mergeSettings,
  readStateAndSettings,
  seedSettings,
  writeValue,
} from '../../src-main/queue/settings-table.ts';
import { readRows } from '../../src-main/queue/shop-rows.ts';
import type { Tables } from '../../src-main/queue/tables.ts';
import type { Database, SqlValue } from '../../src-main/shop/database.ts';
import { isConnectionLoss } from '../../src-main/shop/faults.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { type MariadbServer, makeDatabase } from '../support/mariadb.ts';
import type { Dice } from './dice.ts';
import type { Plan } from './plan.ts';
import type { ShopSays } from './shape-books.ts';
import { layoutOf, makeShopRows, type ShopTables, shopTables } from './shape-tables.ts';
import { StoredTime } from './stored-time.ts';

export interface InsertedRow {
  id: string;
  recipients: string[];
  corrupt: boolean;
}
type Row = Record<string, SqlValue>;

/** A cap as it stood from a moment on. */
export interface CapInForce {
  fromMs: number;
  perWindow: number;
}

/** A lost database, a socket file that is not there yet, a deadlock with a worker: the next try may do better. */
function mayPass(error: unknown): boolean {
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  return isConnectionLoss(error) || code === 'ENOENT' || errno === 1213 || errno === 1205;
}

/** Whether a database server's process runs, whatever its keeper believes. */
export function isThere(server: MariadbServer): boolean {
  return server.pid > 0 && existsSync(`/proc/${server.pid}`);
}

const windowMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

export class Stage {
  readonly rows: InsertedRow[] = [];
  readonly caps: CapInForce[] = [];
  readonly time = new StoredTime(this);
  databaseDied = false;
  private turn: Promise<unknown> = Promise.resolve();
  readonly server: MariadbServer;
  readonly account: ServerDatabase;
  readonly db: Database;
  readonly plan: Plan;
  /** the shop's own tables, where they are not ours */
  readonly shop: ShopTables | null;
  readonly settings: Record<string, unknown>;
  private readonly place: Place;
  readonly dice: Dice;
  private numbered = 0;

  private constructor(server: MariadbServer, account: ServerDatabase, place: Place, plan: Plan, dice: Dice) {
    this.server = server;
    this.account = account;
    this.db = place.db;
    this.place = place;
    this.plan = plan;
    this.shop = plan.shape === 'studiou-wcmq' ? null : shopTables[plan.shape];
    this.dice = dice;
    this.settings = this.firstSettings();
  }

  static async open(server: MariadbServer, plan: Plan, dice: Dice): Promise<Stage> {
    const account = await makeDatabase(server);
    await server.admin(`SET GLOBAL time_zone = '${plan.serverZone}'`);
    // as root by the socket: connections that are cut are those of the shop's user
    const { shape, serverZone } = plan;
    const db = openMysql(
      { ...account, user: 'root', password: null, socketPath: server.socket },
      shape === 'studiou-wcmq' ? {} : { onSessionSql: [`SET time_zone = '${serverZone}'`] },
    );
    const rows = shape === 'studiou-wcmq' ? null : await makeShopRows(shape, db, serverZone);
    const place = await openPlace(db, account.tablePrefix, rows);
    await applySchema(place);
    const stage = new Stage(server, account, place, plan, dice);
    await seedSettings(place, stage.settings, 1);
    await writeValue(place, 'state', 'enabled');
    if (stage.cap() > 0) stage.caps.push({ fromMs: 0, perWindow: stage.cap() });
    return stage;
  }

  /** the tables that our books have here */
  get t(): Tables {
    return this.place.t;
  }

  get windowMs(): number {
    return this.plan.mode === 'uncapped' ? 0 : windowMs[this.plan.mode];
  }

  profile(smtpPort: number, user: string): Profile {
    const smtp = {
      host: '127.0.0.1',
      port: smtpPort,
      security: 'none',
      user,
      password: 'x',
      connections: this.plan.connections,
    };
    const { account: database, settings } = this;
    const uncapped = this.plan.mode !== 'minute';
    const { shape, serverZone } = this.plan;
    const other = shape === 'studiou-wcmq' ? {} : { shape, layout: layoutOf(serverZone) };
    return readProfile(
      { name: 'Chaos', database, smtp, from: 'shop@shop.example', uncapped, settings, ...other },
      'chaos profile',
    );
  }

  private firstSettings(): Record<string, unknown> {
    const { mode, claimTimeoutS } = this.plan;
    return {
      rate_per_minute: 60,
      claim_timeout: mode === 'uncapped' ? claimTimeoutS : 86_400,
      retention_sent_days: 3650,
      retention_failed_days: 3650,
      ...(mode === 'hour' ? { rate_per_hour: this.dice.whole(8, 16) } : {}),
      ...(mode === 'day' ? { rate_per_day: this.dice.whole(8, 16) } : {}),
    };
  }

  /** The cap of this seed's window as it stands. */
  cap(): number {
    const { settings } = this;
    if (this.plan.mode === 'minute') return Number(settings['rate_per_minute']);
    return Number(settings['rate_per_hour'] ?? settings['rate_per_day'] ?? 0);
  }

  /** What a lost database delays: tries again until it is back. For what may be repeated. */
  async again<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (!mayPass(error) || tries > 60) throw error;
        await this.revive();
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
    }
  }

  /** A database server that died by itself (10.11 does, rarely, of a KILL) is one more fault: it is started again. */
  private revive(): Promise<void> {
    return this.alone(async () => {
      if (isThere(this.server)) return;
      this.databaseDied = true;
      await this.server.stop();
      await this.server.start();
    });
  }

  query(sql: string, values: SqlValue[] = []): Promise<Row[]> {
    return this.again(() => this.db.query(sql, values));
  }

  /** Of those who must not meet: moving time, and taking the database away. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(work, work);
    this.turn = mine.catch(() => {});
    return mine;
  }

  async insert(count: number): Promise<void> {
    const { mode, faults } = this.plan;
    const wantsBig = faults.some((fault) => 'point' in fault && fault.point === 'mid-body');
    for (let n = 0; n < count; n += 1) {
      const number = ++this.numbered;
      const corrupt = mode === 'uncapped' && this.dice.chance(0.04);
      const big = wantsBig && number % 6 === 3;
      const two = !big && mode !== 'minute' && this.dice.chance(0.3);
      const recipients = two
        ? [`one-${number}@example.test`, `two-${number}@example.test`]
        : [`${big ? 'big' : 'one'}-${number}@example.test`];
      const subject = `Order ${number}`;
      // each look at a job's payload reads it as JSON a few times: 1 MB is long enough to be cut in the middle
      const html = big
        ? `<p>${'A long mail. '.repeat(80)}</p>\r\n`.repeat(this.plan.shape === 'jobs' ? 1000 : 3000)
        : `<p>Thank you, ${number} 😀</p>`;
      const payload = {
        to: recipients,
        subject,
        message: html,
        headers: 'Content-Type: text/html\r\n',
        attachments: [],
      };
      const values = [recipients.join(', '), subject, corrupt ? '{"to": "a@b' : JSON.stringify(payload)];
      const priority = this.dice.pick([5, 10, 10, 10]);
      const own = {
        sql: `INSERT INTO ${this.t.queue} (context, recipient, subject, payload, priority, state, scheduled_at, created_at)
           VALUES ('customer_completed_order', ?, ?, ?, ?, 'pending', UNIX_TIMESTAMP(), UNIX_TIMESTAMP())`,
        values: [...values, priority],
      };
      const written = this.shop?.insert({ recipients, subject, html, corrupt }) ?? own;
      const { insertId } = await this.again(() => this.db.run(written.sql, written.values));
      this.rows.push({ id: String(insertId), recipients, corrupt });
    }
  }

  get leaseS(): number {
    return Number(this.settings['claim_timeout']);
  }

  /** A pass of the reaper as another machine's console makes it: it has no journal of those who died. */
  async reapAsForeigner(): Promise<void> {
    await this.again(async () => {
      const { settings } = await readStateAndSettings(this.place);
      await reap(this.place, settings, { consoleIds: [], dots: new Map() });
    });
  }

  /** As a person does in the settings screen. */
  async save(patch: Partial<Record<keyof Settings, unknown>>): Promise<void> {
    Object.assign(this.settings, patch);
    await this.again(() => mergeSettings(this.place, patch));
  }
  /** Another rate in mid-drain; the gate obeys it from the next grant on. */
  async changeCap(): Promise<void> {
    const value = this.dice.whole(6, 20);
    const key = ({ hour: 'rate_per_hour', day: 'rate_per_day' } as const)[
      this.plan.mode as string as 'hour' | 'day'
    ];
    await this.save(key ? { [key]: value } : { rate_per_minute: this.dice.whole(40, 60) });
    if (key) this.caps.push({ fromMs: Date.now(), perWindow: value });
  }
  /** A person pauses the lane for a while; nothing may start meanwhile. */
  async pauseByPerson(ms: number): Promise<void> {
    const pause = (until: string) =>
      this.again(() =>
        this.db.run(
          `UPDATE ${this.t.pace} SET paused_until = ${until}, pause_reason = 'person: lunch' WHERE id = 1`,
        ),
      );
    await pause('UNIX_TIMESTAMP() + 600');
    await new Promise((resolve) => setTimeout(resolve, ms));
    await pause('UNIX_TIMESTAMP() - 1');
  }
  async setState(state: string): Promise<void> {
    await this.again(() => writeValue(this.place, 'state', state));
  }
  async state(): Promise<string> {
    return (await this.again(() => readStateAndSettings(this.place))).state;
  }

  async unfinished(): Promise<{ pending: number; sending: number }> {
    const ours = `SELECT id, state FROM ${this.t.queue} WHERE state IN ('pending', 'sending')`;
    // the card of a row that waits says what it was when it was last out
    const both = `SELECT id, state FROM ${this.t.queue} WHERE state = 'sending' UNION ${this.theirs()}`;
    const rows = await this.query(
      `SELECT state, COUNT(*) AS n FROM (${this.shop ? both : ours}) v GROUP BY state`,
    );
    const of = (state: string) => Number(rows.find((row) => row['state'] === state)?.['n'] ?? 0);
    return { pending: of('pending'), sending: of('sending') };
  }

  /** Unfinished rows of the shop's, as SQL; by the driver's own words, which read no payload. */
  private theirs(): string {
    if (!this.shop) return '';
    const { table, waiting, held } = this.shop;
    return `SELECT CAST(id AS CHAR), 'pending' FROM ${table} WHERE ${waiting} UNION SELECT CAST(id AS CHAR), 'sending' FROM ${table} WHERE ${held}`;
  }

  /** What the shop's own tables say of the rows that were written. */
  async said(): Promise<ShopSays[]> {
    const { shop } = this.place;
    if (!shop) return [];
    return this.again(() =>
      readRows(
        shop,
        this.db,
        this.rows.map((row) => row.id),
      ),
    );
  }

  /** Cuts the consoles' connections on the server; `idle`: only those without a statement or transaction. */
  async cutConnections(idle: boolean): Promise<number> {
    const rows = await this.query(
      `SELECT id FROM information_schema.processlist p WHERE user = '${this.account.user}'
       ${idle ? "AND command = 'Sleep' AND NOT EXISTS (SELECT 1 FROM information_schema.innodb_trx t WHERE t.trx_mysql_thread_id = p.id)" : ''}`,
    );
    for (const row of rows) await this.server.admin(`KILL ${Number(row['id'])}`).catch(() => {}); // gone by itself
    return rows.length;
  }

  async close(): Promise<void> {
    await this.server.admin(`DROP DATABASE IF EXISTS \`${this.account.database}\``).catch(() => {});
    await this.server.admin(`DROP USER '${this.account.user}'@'127.0.0.1'`).catch(() => {});
    await this.db.close();
  }
}
