/** A filter and a sort order as SQL over our own queue table. */
import type { RowFilter, RowSort, RowSortKey } from '../contract/rows.ts';
import type { SqlValue } from '../shop/database.ts';
import type { Dialect } from './dialect.ts';
import { likeAnywhere } from './log.ts';

/** WHERE text and values of a filter. */
export function filterSql(
  filter: RowFilter,
  { nowS }: Pick<Dialect, 'nowS'>,
): { where: string; values: SqlValue[] } {
  const parts: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, ...more: SqlValue[]) => {
    parts.push(condition);
    values.push(...more);
  };
  if (filter.state) add('state = ?', filter.state);
  if (filter.in_doubt !== undefined) add('in_doubt = ?', filter.in_doubt);
  const held = `state = 'pending' AND held_until > ${nowS}`;
  if (filter.held === true) add(held);
  if (filter.held === false) add(`(state <> 'pending' OR held_until IS NULL OR held_until <= ${nowS})`);
  if (filter.context) add('context = ?', filter.context);
  if (filter.order_id !== undefined) add('order_id = ?', orderNumber(filter.order_id));
  if (filter.created_from !== undefined) add('created_at >= ?', filter.created_from);
  if (filter.created_to !== undefined) add('created_at < ?', filter.created_to);
  // sent rows alone have it; naming their state too would have each of them fetched by the key of the states
  if (filter.sent_from !== undefined) add('sent_at >= ?', filter.sent_from);
  if (filter.sent_to !== undefined) add('sent_at < ?', filter.sent_to);
  for (const { condition, patterns } of textSql(filter)) add(condition, ...patterns);
  return { where: parts.length ? `WHERE ${parts.join(' AND ')}` : '', values };
}

interface TextCondition {
  condition: string;
  patterns: string[];
}

/** What a filter asks of the texts that every list has, our own table's and a shop's. */
export function textSql({ domain, search }: Pick<RowFilter, 'domain' | 'search'>): TextCondition[] {
  const found: TextCondition[] = [];
  if (domain) found.push(domainSql(domain));
  if (search) {
    const pattern = likeAnywhere(search);
    found.push({
      condition: "(recipient LIKE ? ESCAPE '!' OR subject LIKE ? ESCAPE '!')",
      patterns: [pattern, pattern],
    });
  }
  return found;
}

/** What may follow a domain in a recipient: nothing, the next of a list, the end of `<...>`, of a JSON string, a space. */
const afterDomain = ['', ',%', '>%', '"%', ' %', ';%'];

/** `recipient` names an address in this very domain, not in one that merely begins so. */
function domainSql(domain: string): TextCondition {
  const at = `${likeAnywhere(`@${domain.replace(/^@/, '')}`).slice(0, -1)}`;
  // the first one rules nearly all others out: 19 ms against 90 over 50,000 rows
  return {
    condition: `recipient LIKE ? ESCAPE '!' AND (${afterDomain.map(() => "recipient LIKE ? ESCAPE '!'").join(' OR ')})`,
    patterns: [`${at}%`, ...afterDomain.map((end) => at + end)],
  };
}

/** A BIGINT UNSIGNED beyond 2^53 must not be compared as a double. */
function orderNumber(id: number | string): SqlValue {
  const number = Number(id);
  return Number.isSafeInteger(number) ? number : BigInt(id);
}

const columns: Record<RowSortKey, readonly string[]> = {
  id: [],
  departure: ['priority', 'scheduled_at'],
  scheduled_at: ['scheduled_at'],
  created_at: ['created_at'],
  sent_at: ['sent_at'],
  recipient: ['recipient'],
  subject: ['subject'],
  attempts: ['attempts'],
  priority: ['priority'],
};

/** What waits is shown in the order in which it leaves; everything else newest first. */
export function sortOf(filter: RowFilter, sort: RowSort | undefined): RowSort {
  if (sort) return sort;
  const waits = filter.state === 'pending' || filter.held === true;
  return waits ? { by: 'departure', descending: false } : { by: 'id', descending: true };
}

/** ORDER BY text; stable, since it ends with the id. @param of alias of the table, with its dot */
export function orderSql({ by, descending }: RowSort, of = ''): string {
  return [...columns[by], 'id'].map((column) => `${of}${column}${descending ? ' DESC' : ''}`).join(', ');
}
