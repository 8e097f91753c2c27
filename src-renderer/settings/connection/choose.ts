import type { FoundSite, FoundTable } from '../../../src-main/contract/look.ts';
import type { Draft } from './draft.ts';

/** The form's fields as a found site has them. Its name and sender stay where the person has typed some. */
export function draftOfSite(draft: Draft, site: FoundSite): Partial<Draft> {
  const { database } = site;
  const name = draft.name.trim() === '' ? (site.title ?? hostOf(site.url)) : null;
  const from = draft.from.trim() === '' ? senderOf(site, draft.smtpUser) : null;
  return {
    dbHost: database.host,
    dbPort: database.port,
    dbSocket: database.socketPath ?? '',
    dbUser: database.user,
    dbName: database.database,
    dbPrefix: database.tablePrefix,
    filesRoot: site.filesRoot,
    filesVia: 'sftp',
    ...(name ? { name } : {}),
    ...(from ? { from } : {}),
  };
}

/** The form's fields as a found table has them; every field of the layout is set, so that nothing of another stays. */
export function draftOfTable({ shape, layout, prefix }: FoundTable): Partial<Draft> {
  // our own tables go by the prefix alone
  const {
    table = '',
    failedTable = '',
    columns,
    queues = [],
  } = shape === 'studiou-wcmq' ? { columns: {} } : layout;
  return {
    shape,
    ...(prefix === null ? {} : { dbPrefix: prefix }),
    layoutTable: table,
    layoutFailedTable: failedTable,
    layoutColumns: Object.entries(columns)
      .map(([name, theirs]) => `${name} = ${theirs}`)
      .join('\n'),
    layoutQueues: queues.join(', '),
  };
}

/**
 * Each table that can be used in every way that it can, and each other one once, with its likeliest shape: why it is none of
 * the others says nothing that a person would need.
 */
export function worthShowing(found: readonly FoundTable[]): FoundTable[] {
  const seen = new Set(found.flatMap(({ refused, layout }) => (refused === null ? [layout.table] : [])));
  return found.filter(({ refused, layout }) => {
    if (refused === null) return true;
    const first = !seen.has(layout.table);
    seen.add(layout.table);
    return first;
  });
}

/**
 * Whom the shop's customers may see as the sender: the mail account where that is an address, else the address that
 * WordPress itself uses (`wordpress@` and the host without `www.`).
 */
function senderOf({ title, url }: FoundSite, account: string): string | null {
  const host = hostOf(url)?.replace(/^www\./, '');
  const address = /^[^\s@]+@[^\s@]+$/.test(account.trim())
    ? account.trim()
    : host?.includes('.')
      ? `wordpress@${host}`
      : null;
  if (!address) return null;
  // RFC 5322: a display name with other characters than these must be quoted
  const plain = title !== null && /^[\p{L}\p{N} !#$%&'*+/=?^_`{|}~-]+$/u.test(title);
  const shown = title === null ? '' : plain ? title.trim() : `"${title.replace(/["\\]/g, '')}"`;
  return shown === '' ? address : `${shown} <${address}>`;
}

function hostOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).hostname : null;
}
