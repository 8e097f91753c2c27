/**
 * The tables of the studiou-wcmq shape (DESIGN section 4), written down once: installing, inspecting and the docs
 * read them from here. Timestamps are *signed* BIGINT: subtracting unsigned ones is error 1690 (plan section 5).
 */
import { identifier } from '../contract/profile.ts';

export interface Column {
  name: string;
  mysql: string;
  sqlite: string;
}
export interface Key {
  name: string;
  columns: readonly string[];
}
export interface TableDefinition {
  name: TableName;
  columns: readonly Column[];
  /** the primary key; `auto` = numbered by the database */
  primary: { column: string; auto: boolean };
  keys: readonly Key[];
}

export const tableNames = ['queue', 'log', 'attempts', 'pace', 'settings', 'consoles'] as const;
export type TableName = (typeof tableNames)[number];
/** Full table names, quoted for SQL text. */
export type Tables = Record<TableName, string>;

const column = (name: string, mysql: string, sqlite: string): Column => ({ name, mysql, sqlite });
const id = (name = 'id'): Column =>
  column(name, 'BIGINT UNSIGNED NOT NULL AUTO_INCREMENT', 'INTEGER PRIMARY KEY AUTOINCREMENT');
const key = (name: string, ...columns: string[]): Key => ({ name, columns });
const text = (name: string, size: number) =>
  column(name, `VARCHAR(${size}) NOT NULL DEFAULT ''`, "TEXT NOT NULL DEFAULT ''");
const maybeText = (name: string, size: number) => column(name, `VARCHAR(${size}) NULL`, 'TEXT NULL');
const number = (name: string, type: string, value: number) =>
  column(name, `${type} NOT NULL DEFAULT ${value}`, `INTEGER NOT NULL DEFAULT ${value}`);
const maybeNumber = (name: string, type = 'BIGINT') => column(name, `${type} NULL`, 'INTEGER NULL');

export const definitions: readonly TableDefinition[] = [
  {
    name: 'queue',
    primary: { column: 'id', auto: true },
    columns: [
      id(),
      text('context', 100),
      number('order_id', 'BIGINT UNSIGNED', 0),
      text('recipient', 320),
      column('subject', 'TEXT NOT NULL', "TEXT NOT NULL DEFAULT ''"),
      column('payload', 'LONGTEXT NOT NULL', "TEXT NOT NULL DEFAULT ''"),
      column('attachment_dir', 'CHAR(32) NULL', 'TEXT NULL'),
      number('priority', 'SMALLINT', 10),
      column('state', "VARCHAR(20) NOT NULL DEFAULT 'pending'", "TEXT NOT NULL DEFAULT 'pending'"),
      number('attempts', 'TINYINT UNSIGNED', 0),
      number('reclaims', 'TINYINT UNSIGNED', 0),
      column('last_error', 'TEXT NULL', 'TEXT NULL'),
      number('scheduled_at', 'BIGINT', 0),
      maybeNumber('claimed_at'),
      maybeNumber('sent_at'),
      number('created_at', 'BIGINT', 0),
      text('title', 200),
      column('claim_id', 'CHAR(36) NULL', 'TEXT NULL'),
      maybeText('message_id', 255),
      column('delivered_to', 'TEXT NULL', 'TEXT NULL'),
      number('in_doubt', 'TINYINT', 0),
      maybeNumber('held_until'),
      maybeNumber('notified_at'),
    ],
    keys: [
      key('state_sched', 'state', 'scheduled_at'),
      key('state_claim', 'state', 'claimed_at'),
      key('created_at', 'created_at'),
      key('order_id', 'order_id'),
      key('claim_order', 'state', 'priority', 'scheduled_at', 'id'),
    ],
  },
  {
    name: 'log',
    primary: { column: 'id', auto: true },
    columns: [
      id(),
      column('level', "VARCHAR(10) NOT NULL DEFAULT 'info'", "TEXT NOT NULL DEFAULT 'info'"),
      maybeNumber('queue_id', 'BIGINT UNSIGNED'),
      column('message', 'TEXT NOT NULL', "TEXT NOT NULL DEFAULT ''"),
      number('created_at', 'BIGINT', 0),
    ],
    keys: [key('created_at', 'created_at'), key('level', 'level')],
  },
  {
    // The ledger: it carries the cap across consoles, the history that the operator reads, and the charts.
    name: 'attempts',
    primary: { column: 'id', auto: true },
    columns: [
      id(),
      number('queue_id', 'BIGINT UNSIGNED', 0),
      column('console_id', "CHAR(36) NOT NULL DEFAULT ''", "TEXT NOT NULL DEFAULT ''"),
      column('claim_id', "CHAR(36) NOT NULL DEFAULT ''", "TEXT NOT NULL DEFAULT ''"),
      number('started_ms', 'BIGINT', 0),
      maybeNumber('body_ms'),
      maybeNumber('finished_ms'),
      // 0 = no MAIL FROM was ever sent: such a line does not count for the cap (promise 3)
      number('recipients', 'INT', 1),
      maybeText('outcome', 20),
      maybeNumber('smtp_code', 'SMALLINT'),
      maybeText('enhanced_code', 12),
      column('response', 'TEXT NULL', 'TEXT NULL'),
      maybeText('server_id', 128),
      maybeText('message_id', 255),
    ],
    keys: [
      key('queue_id', 'queue_id'),
      key('claim_id', 'claim_id'),
      // covers the gate's windows: counted by finished_ms, summed by recipients
      key('finished', 'finished_ms', 'recipients'),
    ],
  },
  {
    name: 'pace',
    primary: { column: 'id', auto: false },
    columns: [
      number('id', 'TINYINT', 1),
      number('last_start_ms', 'BIGINT', 0),
      maybeNumber('learned_interval_ms'),
      maybeNumber('paused_until'),
      column('pause_reason', 'TEXT NULL', 'TEXT NULL'),
    ],
    keys: [],
  },
  {
    name: 'settings',
    primary: { column: 'name', auto: false },
    columns: [
      column('name', 'VARCHAR(64) NOT NULL', 'TEXT NOT NULL'),
      column('value', 'JSON NOT NULL', 'TEXT NOT NULL'),
      number('updated_at', 'BIGINT', 0),
    ],
    keys: [],
  },
  {
    name: 'consoles',
    primary: { column: 'id', auto: false },
    columns: [
      column('id', 'CHAR(36) NOT NULL', 'TEXT NOT NULL'),
      text('name', 100),
      text('version', 40),
      number('seen_at', 'BIGINT', 0),
      maybeNumber('able_at'),
    ],
    keys: [],
  },
];

/**
 * What Postroom keeps beside a shop's own queue table: the same tables, with a card for each row that it touched in place
 * of the queue (claim, Message-ID, doubt), and ids as text, since a shop's may be UUIDs.
 */
const cardDefinitions: readonly TableDefinition[] = definitions.map((definition) => ({
  ...definition,
  primary: definition.name === 'queue' ? { column: 'id', auto: false } : definition.primary,
  columns: definition.columns.map((one) => {
    if (definition.name === 'queue' && one.name === 'id')
      return column('id', 'VARCHAR(64) NOT NULL', 'TEXT NOT NULL');
    return one.name === 'queue_id' ? column('queue_id', 'VARCHAR(64) NULL', 'TEXT NULL') : one;
  }),
}));

/** Which tables a place has: the shop's queue with all of ours, or ours beside a queue of another shape. */
export type Books = 'queue' | 'cards';
export const definitionsOf = (books: Books): readonly TableDefinition[] =>
  books === 'queue' ? definitions : cardDefinitions;

/**
 * Names of one shop's tables. The prefix comes from a config file and becomes SQL text: it is validated here too,
 * at the last place before it does.
 * @throws ZodError when the prefix is no identifier
 */
export function tablesFor(prefix: string, books: Books = 'queue'): Tables {
  const safe = identifier.parse(prefix);
  return Object.fromEntries(tableNames.map((name) => [name, `\`${bareName(safe, name, books)}\``])) as Tables;
}

export function bareName(prefix: string, name: TableName, books: Books = 'queue'): string {
  if (books === 'queue') return `${prefix}studiou_wcmq_${name}`;
  return `${prefix}postroom_${name === 'queue' ? 'cards' : name}`;
}
