/**
 * The whole way as a store manager's computer goes it: a real sshd, MariaDB and attachments behind it, a real Postfix with
 * STARTTLS and SASL. `doctor` finds nothing wrong, `drain` sends everything, once.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostfixServer, startPostfix } from '../support/postfix.ts';
import { makeShop, planPayload, type TestShop } from '../support/shop.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';
import { type Folder, fromEnv, linesOf, makeFolder, runCli } from './kit.ts';

const secret = 'p4ss "wörd" 7';
const count = 5;
let shop: TestShop;
let sshd: SshServer;
let postfix: PostfixServer;
let folder: Folder;
let config: string;
const run = (...words: string[]) =>
  runCli([...words, '--config', config, '--state', path.join(folder.path, 'state')], {
    env: { DB_PASSWORD: shop.database.password ?? '', SMTP_PASSWORD: secret },
  });

beforeAll(async () => {
  folder = await makeFolder();
  [shop, sshd, postfix] = await Promise.all([
    makeShop(),
    startSshd(),
    startPostfix({ users: { 'shop@shop.test': secret }, mailboxes: ['customer@x.test', 'me@x.test'] }),
  ]);
  const { password: _password, ...database } = shop.database;
  config = path.join(folder.path, 'shop.json');
  writeFileSync(
    config,
    JSON.stringify({
      name: 'Studio U',
      database: { ...database, password: fromEnv('DB_PASSWORD') },
      ssh: sshd.login(),
      files: { root: shop.filesRoot, via: 'sftp' },
      smtp: {
        ...{ host: postfix.host, port: postfix.port, security: 'starttls', ca: postfix.ca },
        ...{ user: 'shop@shop.test', password: fromEnv('SMTP_PASSWORD') },
      },
      from: 'Studio Ú <shop@shop.test>',
      settings: { rate_per_minute: 60 },
    }),
  );
});
afterAll(async () => {
  await shop?.close();
  await sshd?.remove();
  await postfix?.remove();
  await folder?.remove();
});

describe('from here to the customer', () => {
  it('doctor goes every step, and finds nothing wrong', async () => {
    const ran = await run('doctor', '--json');
    expect(ran.code).toBe(0);
    const { steps } = JSON.parse(ran.stdout) as { steps: { id: string; color: string }[] };
    expect(steps.filter(({ color }) => color !== 'green')).toEqual([]);
    expect(steps.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        ...['ssh.login', 'ssh.forward', 'database.claim-key', 'database.rights', 'files'],
        ...['mail.greeting', 'mail.encryption', 'mail.login', 'mail.sender'],
      ]),
    );
  });

  it('a test mail arrives in the mailbox', async () => {
    const ran = await run('doctor', '--test-mail', 'me@x.test');
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('taken after')]);
    expect((await postfix.delivered(1))[0]).toContain('Subject: Postroom test mail (Studio U)');
  });

  it('drain sends what waits, with its attachments, each once, by one login', async () => {
    const token = 'a'.repeat(32);
    mkdirSync(path.join(shop.filesRoot, token), { recursive: true });
    writeFileSync(path.join(shop.filesRoot, token, 'invoice.pdf'), 'the invoice');
    for (let n = 1; n <= count; n += 1)
      await shop.insert({
        recipient: 'customer@x.test',
        attachment_dir: n === 1 ? token : null,
        payload: planPayload({
          to: 'customer@x.test',
          subject: `Objednávka č. ${n}`,
          attachments: n === 1 ? [{ name: 'invoice.pdf', file: `/srv/files/${token}/invoice.pdf` }] : [],
        }),
      });
    // each of ours logs in once: Postfix names the login with every mail, and the connection once
    const connections = () => postfix.log().split(/smtpd\[\d+\]: connect from/).length - 1;
    expect((await run('enable')).code).toBe(0);
    const before = connections();
    const ran = await run('drain', '--until-empty');
    expect([ran.code, linesOf(ran.stdout)]).toEqual([
      0,
      expect.arrayContaining([expect.stringMatching(new RegExp(`^sent: +${count}$`))]),
    ]);
    const mails = await postfix.delivered(1 + count);
    expect(mails).toHaveLength(1 + count);
    expect(mails.filter((mail) => mail.includes('invoice.pdf'))).toHaveLength(1);
    expect(await shop.rows("state = 'sent'")).toHaveLength(count + 1);
    expect(connections() - before).toBe(1);
  });
});
