/** The doctor as a command: it ends with the host's limits and a test mail; and enabling waits for its word. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeShop, type TestShop } from '../support/shop.ts';
import { type Folder, fromEnv, linesOf, makeFolder, runCli } from './kit.ts';

let shop: TestShop;
let folder: Folder;
const secret = 'Tajné heslo 7';
const config = (smtp: object = {}) => {
  const file = path.join(folder.path, 'shop.json');
  const { password: _password, ...database } = shop.database;
  writeFileSync(
    file,
    JSON.stringify({
      name: 'Studio U',
      database: { ...database, password: fromEnv('DB_PASSWORD') },
      smtp: {
        ...{ host: '127.0.0.1', port: shop.smtp.port, security: 'none' },
        ...{ user: 'shop@shop.example', password: fromEnv('SMTP_PASSWORD') },
        ...smtp,
      },
      from: 'Studio U <shop@shop.example>',
      settings: { rate_per_minute: 60 },
    }),
  );
  return file;
};
const run = (...words: string[]) =>
  runCli([...words, '--state', path.join(folder.path, 'state')], {
    env: { DB_PASSWORD: shop.database.password ?? '', SMTP_PASSWORD: secret },
  });

beforeAll(async () => {
  folder = await makeFolder();
  shop = await makeShop({ smtp: { users: { 'shop@shop.example': secret } } });
});
afterAll(async () => {
  await shop?.close();
  await folder?.remove();
});

describe('enabling', () => {
  it('is refused while a step is red, in words that say which and what to do; then it is done', async () => {
    const refused = await run('enable', '--config', config({ user: 'nobody@shop.example' }));
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/not enabled.*Login at the mail server.*535/s);
    expect(refused.stderr).not.toContain(secret);
    expect((await run('status', '--config', config(), '--json')).stdout).toContain('"state":"disabled"');
    const done = await run('enable', '--config', config());
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('Enabled')]);
  });
});

describe('doctor', () => {
  it('ends by asking for the host’s limits, and keeps the caps below them', async () => {
    const asked = await run('doctor', '--config', config());
    expect(asked.code).toBe(0);
    expect(asked.stderr).toContain('--host-limit-hour');
    const told = await run('doctor', '--config', config(), '--host-limit-hour', '200', '--json');
    expect(JSON.parse(told.stdout)).toMatchObject({
      ok: true,
      caps: { rate_per_minute: 16, rate_per_hour: 160, rate_per_day: 0 },
    });
    const { rate } = JSON.parse((await run('status', '--config', config(), '--json')).stdout) as {
      rate: object;
    };
    expect(rate).toMatchObject({ set_per_minute: 16, cap_hour: 160 });
  });

  it('sends a test mail through the queue, and tells the server’s answer', async () => {
    const ran = await run('doctor', '--config', config(), '--test-mail', 'me@shop.example');
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringMatching(/taken after [\d.]+ s: Ok: queued as/)]);
    expect(linesOf(ran.stdout).some((line) => line.startsWith('bad'))).toBe(false);
    expect(shop.smtp.mails.at(-1)).toMatchObject({ to: ['me@shop.example'] });
    expect(await shop.rows("state = 'sent'")).toHaveLength(1);
  });

  it('says why a test mail failed, and refuses an address that is none', async () => {
    const ran = await run('doctor', '--config', config(), '--test-mail', 'not an address');
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('cannot be queued')]);
    shop.smtp.behaviour = ({ step }) =>
      step === 'rcpt' ? '550 5.1.1 nobody of that name lives here' : undefined;
    const refused = await run('doctor', '--config', config(), '--test-mail', 'gone@shop.example');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('nobody of that name')]);
  });
});
