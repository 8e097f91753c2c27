/** The way to a shop: SSH, database, files and mail server, as its profile says. Nothing of it is connected before it is used. */
import { PostroomError } from '../contract/errors.ts';
import { isFileDatabase, type Profile, type SomeParts, secretsOf } from '../contract/profile.ts';
import { hideSecrets } from '../contract/redact.ts';
import { createMailServer, type MailServer } from '../mail/deliver.ts';
import type { Database } from '../shop/database.ts';
import type { ShopFiles } from '../shop/files.ts';
import { openMysql } from '../shop/mysql.ts';
import { openFiles } from '../shop/open-files.ts';
import { openSqlite } from '../shop/sqlite.ts';
import { openSsh, type SshSession } from '../shop/ssh.ts';

/** The way to some parts of a shop; what was not named is null. */
export interface SomeWay {
  ssh: SshSession | null;
  db: Database | null;
  files: ShopFiles | null;
  mail: MailServer | null;
  /** what else is closed with it */
  also: (() => Promise<void>)[];
  /** Cuts what is connected, busy or not, for good, so that nothing waits for it any more; to be closed all the same. */
  cut(): void;
  close(): Promise<void>;
}

/** The way to a whole shop. */
export interface Way extends SomeWay {
  db: Database;
  mail: MailServer;
}

export interface WayOptions {
  /** for the chaos suite */
  wrap?: ((db: Database) => Database) | undefined;
  /** for the doctor: a zone that the server does not know is a finding, no reason not to look at the rest */
  anyZone?: boolean;
}

/** @throws PostroomError `config` */
export function openWay(profile: Profile, options?: WayOptions): Way;
export function openWay(parts: SomeParts, options?: WayOptions): SomeWay;
export function openWay(parts: SomeParts, { wrap = (db) => db, anyZone = false }: WayOptions = {}): SomeWay {
  hideSecrets(secretsOf(parts));
  const ssh = parts.ssh ? openSsh(parts.ssh) : null;
  const db = parts.database ? wrap(openDatabase(parts, parts.database, ssh, anyZone)) : null;
  const files = parts.files ? openFiles(parts.files, ssh) : null;
  const mail = parts.smtp ? openMail(parts.smtp, ssh) : null;
  const also: SomeWay['also'] = [];
  return {
    ssh,
    db,
    files,
    mail,
    also,
    cut: () => {
      mail?.drop();
      ssh?.drop();
      // or a statement that lost its tunnel would open it anew
      void ssh?.close();
    },
    close: async () => {
      await mail?.close().catch(() => {});
      await files?.close().catch(() => {});
      await db?.close().catch(() => {});
      for (const close of also) await close().catch(() => {});
      await ssh?.close();
    },
  };
}

function openMail(smtp: Profile['smtp'], ssh: SshSession | null): MailServer {
  if (smtp.via !== 'tunnel') return createMailServer(smtp);
  if (!ssh) throw new PostroomError('config', 'smtp.via is "tunnel", but the profile has no ssh login.');
  return createMailServer(smtp, { openSocket: () => ssh.forward(smtp.host, smtp.port) });
}

function openDatabase(
  { shape = 'studiou-wcmq', layout }: SomeParts,
  database: Profile['database'],
  ssh: SshSession | null,
  anyZone: boolean,
): Database {
  if (isFileDatabase(database)) return openSqlite(database.file);
  // DATETIME columns of other shapes are read and written in their producer's zone, ours hold seconds
  const timeZone = layout?.timeZone ?? null;
  const named = timeZone === null ? '@@global.time_zone' : `'${timeZone}'`;
  const known = `CONVERT_TZ('2025-01-15 12:00:00', '+00:00', ${named})`;
  const zone = anyZone ? `IF(${known} IS NULL, @@global.time_zone, ${named})` : named;
  const session = shape === 'studiou-wcmq' ? {} : { onSessionSql: [`SET time_zone = ${zone}`] };
  if (!ssh) return openMysql(database, session);
  const { host, port, socketPath } = database;
  return openMysql(database, {
    ...session,
    stream: () => (socketPath ? ssh.forwardSocket(socketPath) : ssh.forward(host, port)),
  });
}
