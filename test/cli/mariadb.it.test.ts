/** The life of a queue by commands alone, on a real MariaDB. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DrainSummary, SchemaReport } from '../../src-main/contract/desk.ts';
import type { QueueRow } from '../../src-main/contract/rows.ts';
import type { ShopStatus } from '../../src-main/contract/status.ts';
import { MailSink } from '../../src-main/demo/sink.ts';
import { makeDatabase, sharedMariadb } from '../support/mariadb.ts';
import {
  builtCli,
  embeddedConfig,
  type Folder,
  fromEnv,
  jsonLines,
  makeFolder,
  type Ran,
  runCli,
} from './kit.ts';

let folder: Folder;
let sink: MailSink;
let run: (args: string[], stdin?: string) => Promise<Ran>;

beforeAll(async () => {
  await builtCli();
  folder = await makeFolder();
  sink = await MailSink.open();
  const database = await makeDatabase(await sharedMariadb());
  const config = await folder.file(
    'shop.json',
    embeddedConfig(sink.port, { database: { ...database, password: fromEnv('DB_PASSWORD') } }),
  );
  const env = { DB_PASSWORD: database.password ?? '' };
  run = (args, stdin = '') =>
    runCli([...args, '--config', config, '--state', `${folder.path}/state`], { env, stdin });
});
afterAll(async () => {
  await sink?.close();
  await folder?.remove();
});

it('is installed, filled, drained, repaired and looked at', async () => {
  const made = await run(['schema', '--apply', '--json']);
  expect(made.code).toBe(0);
  expect((JSON.parse(made.stdout) as SchemaReport).statements.length).toBeGreaterThan(5);
  expect((await run(['schema'])).code).toBe(0);

  const mails = ['a@customer.example', 'b@unknown.example', 'č@customer.example'].map((to) =>
    JSON.stringify({
      to,
      subject: `Objednávka 📦 ${to}`,
      message: '<p>Děkujeme</p>',
      headers: 'Content-Type: text/html\r\n',
    }),
  );
  const queued = await run(['enqueue'], mails.join('\n'));
  expect([queued.code, queued.stdout]).toEqual([0, '1\n2\n3\n']);

  const drained = await run(['drain', '--until-empty', '--json']);
  expect(drained.code).toBe(1);
  expect(JSON.parse(drained.stdout) as DrainSummary).toMatchObject({
    sent: 2,
    failed: 1,
    remaining: 0,
    duplicates: 0,
  });
  expect(sink.inbox(5).map((mail) => mail.subject)).toContain('Objednávka 📦 a@customer.example');

  const failed = jsonLines<QueueRow>((await run(['list', '--state', 'failed', '--json'])).stdout);
  expect(failed).toMatchObject([{ id: 2, attempts: 1, recipient: 'b@unknown.example' }]);
  expect((await run(['retry', '1'])).code).toBe(2);
  expect((await run(['retry', '--state', 'failed'])).stderr).toContain('1 mail will be sent again.');
  expect((await run(['drain', '--until-empty'])).code).toBe(1);
  expect((await run(['delete', '2'])).code).toBe(0);
  const status = JSON.parse((await run(['status', '--json'])).stdout) as ShopStatus;
  expect(status).toMatchObject({ state: 'disabled', counts: { pending: 0, sending: 0, sent: 2, failed: 0 } });
});
