/** Looks along the way to a shop that no profile describes yet. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examineParts, findTables } from '../../src-main/boot/looks.ts';
import type { LookProgress } from '../../src-main/contract/look.ts';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { makeDatabase, sharedMariadb } from '../support/mariadb.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';

let sshd: SshServer;
let database: ServerDatabase;

beforeAll(async () => {
  sshd = await startSshd();
  database = await makeDatabase(await sharedMariadb());
  const db = openMysql(database);
  await db.run(`CREATE TABLE fila (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, para VARCHAR(255) NOT NULL,
    assunto VARCHAR(255) NOT NULL, corpo LONGTEXT NOT NULL, cabecalhos JSON,
    status ENUM('pendente', 'processando', 'falha', 'enviado') DEFAULT 'pendente', tentativas TINYINT UNSIGNED DEFAULT 0,
    proxima_tentativa DATETIME DEFAULT CURRENT_TIMESTAMP, criado_em TIMESTAMP DEFAULT CURRENT_TIMESTAMP)`);
  await db.close();
});
afterAll(async () => {
  await sshd?.remove();
});

/** Takes connections and never says a word. */
async function silence(): Promise<{ server: Server; port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, sockets, port: (server.address() as { port: number }).port };
}

describe('the doctor on a part', () => {
  it('looks at that alone, and at the way to it', async () => {
    const told: LookProgress[] = [];
    const onProgress = (progress: LookProgress) => void told.push(progress);
    const ssh = await examineParts({ ssh: sshd.login() }, { onProgress });
    expect(ssh.map(({ id, color }) => `${id} ${color}`)).toEqual([
      'ssh.name green',
      'ssh.reach green',
      'ssh.host-key green',
      'ssh.login green',
    ]);
    expect(told).toEqual(ssh.map((step) => ({ step })));
    const mail = {
      host: '127.0.0.1',
      port: sshd.port,
      security: 'none',
      user: null,
      password: null,
    } as const;
    const smtp = { ...mail, via: 'direct', connections: 1 } as const;
    const mailSteps = ['mail.name', 'mail.greeting', 'mail.encryption', 'mail.login'];
    expect((await examineParts({ ssh: null, smtp })).map(({ id }) => id)).toEqual(mailSteps);
    const behind = await examineParts({ ssh: sshd.login(), database });
    expect(behind.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['ssh.login', 'ssh.forward', 'database.login', 'database.tables']),
    );
    expect(behind.some(({ id }) => /^(mail|files)/.test(id))).toBe(false);
  });

  it('shows the key of a server that it has never met', async () => {
    const steps = await examineParts({ ssh: sshd.login({ hostKey: null }) });
    const key = steps.find(({ id }) => id === 'ssh.host-key');
    expect(key).toMatchObject({ color: 'red', found: expect.stringContaining(sshd.fingerprint) });
  });
});

describe('a look for queue tables', () => {
  it('finds them through SSH, and says what it is at', async () => {
    const told: LookProgress[] = [];
    const found = await findTables(
      { ssh: sshd.login(), database },
      { signal: new AbortController().signal, onProgress: (progress) => void told.push(progress) },
    );
    expect(found[0]).toMatchObject({
      shape: 'wp-email-queue',
      layout: { table: 'fila', columns: { destinatario: 'para' } },
      refused: null,
    });
    expect(told.length).toBeGreaterThan(1);
  });

  it('says in words what keeps it from looking', async () => {
    await expect(findTables({ ssh: sshd.login({ hostKey: null }), database })).rejects.toMatchObject({
      code: 'host-key',
      message: expect.stringContaining(sshd.fingerprint),
    });
    const wrong = { ...database, password: 'wrong' };
    await expect(findTables({ ssh: sshd.login(), database: wrong })).rejects.toMatchObject({ code: 'login' });
  });
});

describe('a look that is stopped', () => {
  it.each([
    ['before it has begun', 0],
    ['while a server keeps silent', 300],
  ])('ends at once with that %s', async (_when, ms) => {
    const { server, port, sockets } = await silence();
    const stop = new AbortController();
    const since = performance.now();
    const looks = [
      examineParts({ ssh: sshd.login({ port }) }, { signal: stop.signal }),
      findTables({ ssh: null, database: { ...database, port } }, { signal: stop.signal }),
    ];
    const ends = Promise.all(looks.map((look) => expect(look).rejects.toMatchObject({ code: 'stopped' })));
    if (ms === 0) stop.abort();
    else setTimeout(() => stop.abort(), ms);
    await ends;
    expect(performance.now() - since).toBeLessThan(2_000);
    server.close();
    for (const socket of sockets) socket.destroy();
  });

  it('leaves no connection open', async () => {
    const stop = new AbortController();
    const server = await sharedMariadb();
    const sessions = async () =>
      (await server.admin(`SELECT id FROM information_schema.PROCESSLIST WHERE db = '${database.database}'`))
        .length;
    const own = await sessions();
    const seen: string[] = [];
    const look = examineParts(
      { ssh: sshd.login(), database },
      {
        signal: stop.signal,
        onProgress: (told) => {
          if (!('step' in told)) return;
          seen.push(told.step.id);
          if (told.step.id === 'database.login') stop.abort();
        },
      },
    );
    await expect(look).rejects.toMatchObject({ code: 'stopped' });
    expect(seen.at(-1)).toBe('database.login');
    await expect.poll(sessions, { timeout: 8_000 }).toBe(own);
    await expect.poll(() => sshd.cutSessions(), { timeout: 8_000 }).toBe(0);
  });
});
