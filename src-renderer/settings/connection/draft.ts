/** The connection form's fields, flat and always complete; the config file's JSON is made of them. */
export interface Draft {
  name: string;
  from: string;
  shape: string;
  viaSsh: boolean;
  sshHost: string;
  sshPort: number;
  sshUser: string;
  sshKeyFile: string;
  sshAgent: boolean;
  sshHostKey: string;
  dbHost: string;
  dbPort: number;
  /** unix socket on the server, in place of address and port; mostly empty */
  dbSocket: string;
  dbUser: string;
  dbName: string;
  dbPrefix: string;
  dbTls: boolean;
  smtpHost: string;
  smtpPort: number;
  smtpSecurity: string;
  smtpUser: string;
  smtpVia: string;
  filesRoot: string;
  filesVia: string;
  uncapped: boolean;
  layoutTable: string;
  layoutFailedTable: string;
  /** one `shape's name = this table's` a line */
  layoutColumns: string;
  /** names with commas between them */
  layoutQueues: string;
  layoutZone: string;
}

export const emptyDraft: Draft = {
  name: '',
  from: '',
  shape: 'studiou-wcmq',
  viaSsh: true,
  sshHost: '',
  sshPort: 22,
  sshUser: '',
  sshKeyFile: '',
  sshAgent: false,
  sshHostKey: '',
  dbHost: '127.0.0.1',
  dbPort: 3306,
  dbSocket: '',
  dbUser: '',
  dbName: '',
  dbPrefix: 'wp_',
  dbTls: false,
  smtpHost: '',
  smtpPort: 587,
  smtpSecurity: 'starttls',
  smtpUser: '',
  smtpVia: 'direct',
  filesRoot: '',
  filesVia: 'sftp',
  uncapped: false,
  layoutTable: '',
  layoutFailedTable: '',
  layoutColumns: '',
  layoutQueues: '',
  layoutZone: '',
};

/** A stored form as a draft; what it lacks becomes the usual value. */
export function toDraft(form: unknown): Draft {
  const root = part(form);
  const [ssh, db, smtp, files, layout] = [
    part(root['ssh']),
    part(root['database']),
    part(root['smtp']),
    part(root['files']),
    part(root['layout']),
  ];
  const d = emptyDraft;
  return {
    name: text(root['name'], d.name),
    from: text(root['from'], d.from),
    shape: text(root['shape'], d.shape),
    viaSsh: root['ssh'] !== null && root['ssh'] !== undefined,
    sshHost: text(ssh['host'], d.sshHost),
    sshPort: number(ssh['port'], d.sshPort),
    sshUser: text(ssh['user'], d.sshUser),
    sshKeyFile: text(ssh['privateKeyFile'], d.sshKeyFile),
    sshAgent: ssh['agent'] === true,
    sshHostKey: text(ssh['hostKey'], d.sshHostKey),
    dbHost: text(db['host'], d.dbHost),
    dbPort: number(db['port'], d.dbPort),
    dbSocket: text(db['socketPath'], d.dbSocket),
    dbUser: text(db['user'], d.dbUser),
    dbName: text(db['database'], d.dbName),
    dbPrefix: text(db['tablePrefix'], d.dbPrefix),
    dbTls: db['tls'] !== undefined && db['tls'] !== false,
    smtpHost: text(smtp['host'], d.smtpHost),
    smtpPort: number(smtp['port'], d.smtpPort),
    smtpSecurity: text(smtp['security'], d.smtpSecurity),
    smtpUser: text(smtp['user'], d.smtpUser),
    smtpVia: text(smtp['via'], d.smtpVia),
    filesRoot: text(files['root'], d.filesRoot),
    filesVia: text(files['via'], d.filesVia),
    uncapped: root['uncapped'] === true,
    layoutTable: text(layout['table'], d.layoutTable),
    layoutFailedTable: text(layout['failedTable'], d.layoutFailedTable),
    layoutColumns: Object.entries(part(layout['columns']))
      .map(([name, theirs]) => `${name} = ${theirs}`)
      .join('\n'),
    layoutQueues: Array.isArray(layout['queues']) ? layout['queues'].join(', ') : d.layoutQueues,
    layoutZone: text(layout['timeZone'], d.layoutZone),
  };
}

/**
 * A draft as the config file has it, without secrets. What the form does not show of `old` (settings, a CA file)
 * is kept.
 */
export function toForm(draft: Draft, old: unknown): Record<string, unknown> {
  const before = part(old);
  const [ssh, smtp] = [part(before['ssh']), part(before['smtp'])];
  const { socketPath: _socket, ...db } = part(before['database']);
  const oldTls = db['tls'];
  return {
    ...before,
    name: draft.name.trim(),
    from: draft.from.trim(),
    shape: draft.shape,
    ssh: draft.viaSsh
      ? {
          ...ssh,
          host: draft.sshHost.trim(),
          port: draft.sshPort,
          user: draft.sshUser.trim(),
          privateKeyFile: draft.sshKeyFile.trim() || null,
          agent: draft.sshAgent,
          hostKey: draft.sshHostKey.trim() || null,
        }
      : null,
    database: {
      ...db,
      host: draft.dbHost.trim(),
      port: draft.dbPort,
      ...(draft.dbSocket.trim() ? { socketPath: draft.dbSocket.trim() } : {}),
      user: draft.dbUser.trim(),
      database: draft.dbName.trim(),
      tablePrefix: draft.dbPrefix.trim(),
      tls: draft.dbTls ? (oldTls !== undefined && oldTls !== false ? oldTls : true) : false,
    },
    files: draft.filesRoot.trim() ? { root: draft.filesRoot.trim(), via: draft.filesVia } : null,
    smtp: {
      ...smtp,
      host: draft.smtpHost.trim(),
      port: draft.smtpPort,
      security: draft.smtpSecurity,
      user: draft.smtpUser.trim() || null,
      via: draft.smtpVia,
    },
    uncapped: draft.uncapped,
    ...layoutOf(draft, part(before['layout'])),
  };
}

/** Only what was filled in; a shop with our own tables has none. What the form does not show (`books`) is kept. */
function layoutOf(draft: Draft, old: Record<string, unknown>): { layout?: Record<string, unknown> } {
  if (draft.shape === 'studiou-wcmq') return {};
  const { table: _table, failedTable: _failed, queues: _queues, ...kept } = old;
  const queues = draft.layoutQueues
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return {
    layout: {
      ...kept,
      ...(draft.layoutTable.trim() ? { table: draft.layoutTable.trim() } : {}),
      ...(draft.layoutFailedTable.trim() ? { failedTable: draft.layoutFailedTable.trim() } : {}),
      ...(queues.length > 0 ? { queues } : {}),
      columns: columnsIn(draft.layoutColumns),
      timeZone: draft.layoutZone.trim() || null,
    },
  };
}

/** A line without `=` becomes a column without a name, which the profile's check refuses in words. */
function columnsIn(lines: string): Record<string, string> {
  return Object.fromEntries(
    lines
      .split(/[\n,;]/)
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const at = line.indexOf('=');
        return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );
}

function part(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function text(value: unknown, usual: string): string {
  return typeof value === 'string' ? value : usual;
}

function number(value: unknown, usual: number): number {
  return typeof value === 'number' ? value : usual;
}
