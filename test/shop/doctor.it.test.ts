import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DoctorStep, SchemaReport } from '../../src-main/contract/desk.ts';
import {
  type Profile,
  profileSchema,
  type ServerDatabase,
  type SshLogin,
} from '../../src-main/contract/profile.ts';
import { createMailServer } from '../../src-main/mail/deliver.ts';
import { type DoctorParts, runDoctor } from '../../src-main/shop/doctor.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { openFiles } from '../../src-main/shop/open-files.ts';
import { openSqlite } from '../../src-main/shop/sqlite.ts';
import { openSsh } from '../../src-main/shop/ssh.ts';
import { type MariadbServer, makeDatabase, sharedMariadb, startMariadb } from '../support/mariadb.ts';
import { freePort } from '../support/ports.ts';
import { type ScriptedSmtpServer, startSmtpServer } from '../support/smtp-server.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';

let sshd: SshServer;
let mariadb: MariadbServer;
let config: ServerDatabase;
let smtp: ScriptedSmtpServer;
const root = mkdtempSync(join(tmpdir(), 'postroom-doctor-'));

beforeAll(async () => {
  [sshd, mariadb] = await Promise.all([startSshd(), sharedMariadb()]);
  smtp = await startSmtpServer({ users: { shop: 'geheim 7' } });
  config = await makeDatabase(mariadb);
  const db = openMysql(config);
  await db.run(
    'CREATE TABLE wp_q (id BIGINT PRIMARY KEY AUTO_INCREMENT, subject TEXT NOT NULL, n INT NOT NULL) CHARACTER SET utf8mb4',
  );
  await db.run("INSERT INTO wp_q (subject, n) VALUES ('kept', 1)");
  await db.close();
  mkdirSync(join(root, 'a'.repeat(32)));
});
afterAll(async () => {
  await sshd.remove();
  await smtp.close();
  rmSync(root, { recursive: true, force: true });
});

const complete: SchemaReport = {
  tables: [{ name: 'wp_q', exists: true, missingColumns: [], missingKeys: [] }],
  complete: true,
  statements: [],
};

interface Change {
  database?: Partial<ServerDatabase>;
  ssh?: Partial<SshLogin> | null;
  files?: Profile['files'];
  parts?: Partial<DoctorParts>;
}

async function examine(change: Change = {}): Promise<{
  steps: DoctorStep[];
  colors: Record<string, string>;
  step(id: string): DoctorStep | undefined;
}> {
  const login = change.ssh === null ? null : sshd.login(change.ssh);
  const database = { ...config, ...change.database };
  const profile = profileSchema.parse({
    name: 'Test',
    database,
    ssh: login,
    files: change.files === undefined ? { root, via: 'sftp' } : change.files,
    smtp: { host: '127.0.0.1', port: smtp.port, security: 'none', user: 'shop', password: 'geheim 7' },
    from: 'shop@example.test',
  });
  const mail = createMailServer(profile.smtp);
  const ssh = login ? openSsh(login) : null;
  const db = openMysql(
    database,
    ssh
      ? { stream: () => ssh.forward(database.host, database.port), connectMs: 2_000 }
      : { connectMs: 2_000 },
  );
  const files = profile.files ? openFiles(profile.files, ssh) : null;
  const told: DoctorStep[] = [];
  const steps = await runDoctor(
    profile,
    {
      ...{ ssh, db, files, inspectSchema: async () => complete },
      ...{ examineMail: () => mail.examine(), sender: 'shop@example.test' },
      ...change.parts,
    },
    (step) => told.push(step),
  );
  await mail.close();
  await files?.close();
  await db.close();
  await ssh?.close();
  expect(told).toEqual(steps);
  for (const step of steps)
    if (step.color === 'red' || step.color === 'amber') expect(step.advice, step.id).toBeTruthy();
  return {
    steps,
    colors: Object.fromEntries(steps.map((step) => [step.id, step.color])),
    step: (id) => steps.find((step) => step.id === id),
  };
}

const ids =
  'ssh.name ssh.reach ssh.host-key ssh.login ssh.forward database.reach database.login database.version database.isolation database.writable database.mode database.limits database.tables database.rights database.charset database.clock files mail.name mail.greeting mail.encryption mail.login mail.sender';
const allGreen = Object.fromEntries(ids.split(' ').map((id) => [id, 'green']));

describe('the doctor', () => {
  test('finds nothing wrong where nothing is, and changes nothing', async () => {
    const { colors, step } = await examine();
    expect(colors).toEqual(allGreen);
    expect(step('database.version')?.found).toMatch(/10\..*SKIP LOCKED/);
    const db = openMysql(config);
    expect(await db.query('SELECT * FROM wp_q')).toEqual([{ id: 1, subject: 'kept', n: 1 }]);
    await db.close();
  });

  test('SSH: no name, no listener, another server, unknown key, refused login; what hangs on it is grey, the mail server is not', async () => {
    const name = await examine({ ssh: { host: 'shop.invalid' } });
    expect(name.colors).toMatchObject({
      'ssh.name': 'red',
      'ssh.reach': 'grey',
      'ssh.login': 'grey',
      'database.reach': 'grey',
      files: 'grey',
      'mail.login': 'green',
    });
    expect(name.step('database.reach')?.found).toContain('SSH');
    expect((await examine({ ssh: { port: await freePort() } })).colors).toMatchObject({
      'ssh.name': 'green',
      'ssh.reach': 'red',
      'ssh.host-key': 'grey',
    });
    const other = await examine({ ssh: { port: mariadb.port } });
    expect(other.step('ssh.reach')).toMatchObject({
      color: 'red',
      found: expect.stringContaining('no SSH server'),
    });
    const unknown = await examine({ ssh: { hostKey: null } });
    expect(unknown.colors).toMatchObject({
      'ssh.reach': 'green',
      'ssh.host-key': 'red',
      'ssh.login': 'grey',
    });
    expect(unknown.step('ssh.host-key')?.found).toContain(sshd.fingerprint);
    expect((await examine({ ssh: { user: 'nobody-here' } })).colors).toMatchObject({
      'ssh.host-key': 'green',
      'ssh.login': 'red',
      'ssh.forward': 'grey',
    });
    expect((await examine({ ssh: { privateKeyFile: '/not/there' } })).colors).toMatchObject({
      'ssh.host-key': 'grey',
      'ssh.login': 'red',
    });
  });

  test('forwarding: a database that does not run there, and a login that may not forward', async () => {
    const away = await examine({ database: { port: 1 } });
    expect(away.colors).toMatchObject({
      'ssh.login': 'green',
      'ssh.forward': 'red',
      'database.reach': 'grey',
      files: 'green',
    });
    await sshd.stop();
    await sshd.start({ config: ['AllowTcpForwarding no'] });
    try {
      expect((await examine()).step('ssh.forward')).toMatchObject({
        color: 'red',
        found: expect.stringContaining('AllowTcpForwarding'),
      });
    } finally {
      await sshd.stop();
      await sshd.start();
    }
    expect((await examine()).colors).toEqual(allGreen);
  });

  test('database: not there, wrong password, tables missing', async () => {
    expect((await examine({ ssh: null, files: null, database: { port: 1 } })).colors).toMatchObject({
      'database.reach': 'red',
      'database.login': 'grey',
      'database.tables': 'grey',
      files: 'grey',
    });
    expect((await examine({ ssh: null, files: null, database: { password: 'wrong' } })).colors).toMatchObject(
      { 'database.reach': 'green', 'database.login': 'red', 'database.version': 'grey' },
    );
    const report: SchemaReport = {
      tables: [
        { name: 'wp_gone', exists: false, missingColumns: [], missingKeys: [] },
        { name: 'wp_q', exists: true, missingColumns: ['held_until'], missingKeys: ['claim'] },
      ],
      complete: false,
      statements: [],
    };
    const lacking = await examine({ parts: { inspectSchema: async () => report } });
    expect(lacking.step('database.tables')).toMatchObject({
      color: 'red',
      found: 'Missing: wp_gone, wp_q.held_until, key claim of wp_q.',
    });
  });

  test('rights: modest ones are enough, each missing one is named', async () => {
    const modest = await makeDatabase(mariadb, config.database, { rights: 'modest' });
    expect((await examine({ database: modest })).colors).toEqual(allGreen);
    await mariadb.admin(
      `REVOKE DELETE, UPDATE ON \`${config.database.replaceAll('_', '\\_')}\`.* FROM '${modest.user}'@'127.0.0.1'`,
    );
    expect((await examine({ database: modest })).step('database.rights')).toMatchObject({
      color: 'red',
      found: 'Missing: UPDATE on wp_q; DELETE on wp_q.',
    });
    const empty = {
      parts: {
        inspectSchema: async () => ({
          ...complete,
          tables: [{ name: 'wp_q', exists: false, missingColumns: [], missingKeys: [] }],
          complete: false,
        }),
      },
    };
    expect((await examine(empty)).colors['database.rights']).toBe('green');
    expect((await examine({ ...empty, database: modest })).colors['database.rights']).toBe('amber');
  });

  test('characters: a latin1 column is found', async () => {
    await mariadb.admin(
      `CREATE TABLE ${config.database}.wp_old (id INT PRIMARY KEY, subject TEXT) CHARACTER SET latin1`,
    );
    const old = {
      ...complete,
      tables: [{ name: 'wp_old', exists: true, missingColumns: [], missingKeys: [] }],
    };
    expect(
      (await examine({ parts: { inspectSchema: async () => old } })).step('database.charset'),
    ).toMatchObject({ color: 'red', found: expect.stringContaining('wp_old.subject is latin1') });
  });

  test('a statement binlog is amber, with the isolation that is used for it', async () => {
    const server = await startMariadb({ args: ['--log-bin', '--binlog-format=STATEMENT'] });
    const own = await makeDatabase(server);
    const report = { tables: [], complete: true, statements: [] };
    const { step } = await examine({ database: own, parts: { inspectSchema: async () => report } });
    expect(step('database.isolation')).toMatchObject({
      color: 'amber',
      found: expect.stringContaining('REPEATABLE READ, binary log STATEMENT'),
    });
    await server.remove();
  });

  test('what the server says of itself: read-only, a lax SQL mode, small packets; each is green once it is put right', async () => {
    const server = await startMariadb({ args: ['--read-only=1', '--sql-mode=', '--max-allowed-packet=1M'] });
    const own = await makeDatabase(server);
    const report = { tables: [], complete: true, statements: [] };
    const look = () => examine({ database: own, parts: { inspectSchema: async () => report } });
    const before = await look();
    expect(before.colors).toMatchObject({
      'database.writable': 'red',
      'database.mode': 'amber',
      'database.limits': 'amber',
    });
    expect(before.step('database.writable')?.found).toContain('read_only');
    await server.admin('SET GLOBAL read_only = 0');
    await server.admin("SET GLOBAL sql_mode = 'STRICT_TRANS_TABLES'");
    await server.admin('SET GLOBAL max_allowed_packet = 16777216');
    expect((await look()).colors).toMatchObject({
      'database.writable': 'green',
      'database.mode': 'green',
      'database.limits': 'green',
    });
    await server.remove();
  });

  test('files', async () => {
    expect((await examine({ files: { root: '/not/there', via: 'sftp' } })).step('files')).toMatchObject({
      // no reason not to send: a shop whose mails carry nothing never has it
      color: 'amber',
      found: expect.stringContaining('/not/there'),
    });
    expect((await examine({ files: { root, via: 'local' } })).step('files')).toMatchObject({
      color: 'green',
      found: expect.stringContaining('1 mail'),
    });
  });

  test('the embedded database has fewer steps', async () => {
    const db = openSqlite(join(root, 'shop.db'));
    const profile = profileSchema.parse({
      name: 'Demo',
      database: { file: join(root, 'shop.db') },
      smtp: { host: '127.0.0.1' },
      from: 'shop@example.test',
    });
    const steps = await runDoctor(profile, {
      ssh: null,
      db,
      files: null,
      inspectSchema: async () => complete,
      examineMail: null,
      sender: null,
    });
    expect(steps.map((step) => [step.id, step.color])).toEqual([
      ['database.reach', 'green'],
      ['database.version', 'green'],
      ['database.tables', 'green'],
      ['files', 'grey'],
    ]);
    await db.close();
  });
});
