/** Looking around before there is a profile: a login is tried, its server's key trusted, a queue with other names found. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import type { Database } from '../../src-main/shop/database.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { makeDatabase, sharedMariadb } from '../support/mariadb.ts';
import { type ScriptedSmtpServer, startSmtpServer } from '../support/smtp-server.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';
import { violations } from './axe.ts';
import { putSite } from './site.ts';
import { launch, type RunningApp } from './support.ts';

const sshPassword = 'Růžová zahrada 7';
let sshd: SshServer;
let smtp: ScriptedSmtpServer;
let login: ServerDatabase;
let db: Database;
let silent: Server;
let running: RunningApp;
const page = () => running.page;
const button = (name: string) => page().getByRole('button', { name, exact: true });
const group = (name: string) => page().getByRole('group', { name });
const server = () => group('The shop’s server');
const password = () => server().getByLabel('Password (if you sign in with one)');
const database = () => group('Database');
const step = (title: string) => page().getByRole('listitem').filter({ hasText: title });

beforeAll(async () => {
  sshd = await startSshd({ password: sshPassword });
  smtp = await startSmtpServer();
  login = await makeDatabase(await sharedMariadb());
  db = openMysql(login, { onSessionSql: ['SET time_zone = @@global.time_zone'] });
  // a WP Email Queue whose programmer gave it other names
  await db.run(`CREATE TABLE fila_de_envio (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, para VARCHAR(255) NOT NULL,
    assunto VARCHAR(255) NOT NULL, mensagem LONGTEXT NOT NULL, cabecalhos JSON,
    situacao ENUM('pendente', 'processando', 'falha', 'enviado') DEFAULT 'pendente', tentativas TINYINT UNSIGNED DEFAULT 0,
    proxima_tentativa DATETIME DEFAULT CURRENT_TIMESTAMP, criado_em TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    KEY proximo (situacao, proxima_tentativa))`);
  // and one that no shape of ours can drain
  await db.run(`CREATE TABLE newsletter_jobs (id BIGINT AUTO_INCREMENT PRIMARY KEY, recipient VARCHAR(255) NOT NULL,
    subject VARCHAR(255) NOT NULL, body LONGTEXT NOT NULL, status ENUM('new', 'busy', 'gone') NOT NULL DEFAULT 'new',
    attempts INT NOT NULL DEFAULT 0, available_at DATETIME NOT NULL)`);
  await db.run(
    'CREATE TABLE loja_options (option_id BIGINT AUTO_INCREMENT PRIMARY KEY, option_name VARCHAR(191), option_value LONGTEXT)',
  );
  for (const option of [
    ['home', 'https://loja.example'],
    ['blogname', 'Loja da Eva'],
  ])
    await db.run('INSERT INTO loja_options (option_name, option_value) VALUES (?, ?)', option);
  putSite(path.join(sshd.folder, 'home'), login, 'loja_');
  silent = createServer((socket) => socket.on('error', () => undefined));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  running = await launch();
});

afterAll(async () => {
  await running?.close();
  await db?.close();
  await smtp?.close();
  silent?.close();
  await sshd?.remove();
});

describe('an SSH login', () => {
  it('is tried before anything else is filled in, and says what lacks', async () => {
    await page()
      .getByRole('button', { name: /Connect my shop/ })
      .click();
    await page().getByRole('button', { name: 'All in one form' }).click();
    await button('Test this: SSH login').click();
    await server().getByText('ssh.host: is empty').waitFor();
  });

  it('can be stopped while the server keeps silent', async () => {
    await server().getByRole('textbox', { name: 'Address' }).fill('127.0.0.1');
    await server()
      .getByRole('textbox', { name: 'Port' })
      .fill(String((silent.address() as { port: number }).port));
    await server().getByRole('textbox', { name: 'User name' }).fill(sshd.login().user);
    // with the keyboard alone: the place is kept while it runs
    await button('Test this: SSH login').focus();
    await page().keyboard.press('Enter');
    await step('Name of the SSH server').waitFor();
    await page().keyboard.press('Tab');
    expect(await button('Stop').evaluate((element) => element === document.activeElement)).toBe(true);
    await page().keyboard.press('Enter');
    await server().getByText('Stopped.').waitFor();
  });

  it('shows an unknown server’s key, and goes on once it is trusted', async () => {
    await server().getByRole('textbox', { name: 'Port' }).fill(String(sshd.port));
    await button('Test this: SSH login').click();
    await server().getByText('Is this your server?').waitFor();
    await server().getByRole('code').getByText(sshd.fingerprint).waitFor();
    await button('Trust this server and go on').click();
    await step('SSH login').getByText('holds no way to log in').waitFor();
    expect(await server().getByRole('textbox', { name: 'Fingerprint' }).inputValue()).toBe(sshd.fingerprint);
  });

  it('says in plain words that a password is wrong', async () => {
    await password().fill('Ganz falsch 7');
    await button('Test this: SSH login').click();
    await step('SSH login').getByText('Check the user, and the password').waitFor();
    expect(await step('SSH login').textContent()).not.toContain('Ganz falsch 7');
  });

  it('works with what lets it in', async () => {
    await password().fill(sshPassword);
    await button('Test this: SSH login').click();
    await step('SSH login').getByText('is logged in').waitFor();
  });
});

describe('the shops on the server', () => {
  it('are found, and one that is chosen fills in its database, its folder and its names', async () => {
    await button('Find shops on this server').click();
    const sites = server().getByRole('list', { name: 'Shops on this server' });
    await sites.getByText('https://loja.example').waitFor({ timeout: 60_000 });
    expect(await page().content()).not.toContain(login.password ?? '');
    await button('Use this: Loja da Eva').click();
    await button('In the form: Loja da Eva').waitFor();
    expect(await page().getByLabel('Name of the shop').inputValue()).toBe('Loja da Eva');
    expect(await page().getByLabel('Sender').inputValue()).toBe('Loja da Eva <wordpress@loja.example>');
    expect(await database().getByRole('textbox', { name: 'Port' }).inputValue()).toBe(String(login.port));
    expect(await database().getByRole('textbox', { name: 'Name of the database' }).inputValue()).toBe(
      login.database,
    );
    await database().getByText('Read from wp-config.php on the server; stored when you save.').waitFor();
  });
});

describe('a database', () => {
  it('says in plain words that its password is wrong', async () => {
    await database().getByLabel('Password', { exact: true }).fill('falsch');
    await button('Find queue tables').click();
    await database().getByRole('alert').getByText('Check user and password').waitFor();
    await database()
      .getByLabel('Password', { exact: true })
      .fill(login.password ?? '');
  });

  it('shows its queue tables, and why one cannot be used', async () => {
    await button('Find queue tables').click();
    const tables = database().getByRole('list', { name: 'Tables that look like mail queues' });
    await tables.getByText('fila_de_envio').waitFor();
    const other = tables.getByRole('listitem').filter({ hasText: 'newsletter_jobs' });
    await other.getByText(/Cannot be used: newsletter_jobs\.status/).waitFor();
    expect(await other.getByRole('button').count()).toBe(0);
    await button('Use this: fila_de_envio').click();
    await button('In the form: fila_de_envio').waitFor();
    await database().getByText('WP Email Queue').first().waitFor();
    expect(await database().getByRole('textbox', { name: 'Name of the queue table' }).inputValue()).toBe(
      'fila_de_envio',
    );
    expect(
      await database().getByRole('textbox', { name: 'Columns with other names' }).inputValue(),
    ).toContain('destinatario = para');
  });

  it('is looked through by the doctor', async () => {
    await button('Test this: database').click();
    await step('Clock of the database').waitFor();
    await step('Queue table and columns').getByRole('img', { name: 'All is well' }).waitFor();
  });
});

it('is found fault with by nobody, in both themes, with everything that was found on screen', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page().emulateMedia({ colorScheme });
    expect(await violations(page())).toEqual([]);
  }
  await page().emulateMedia({ colorScheme: 'light' });
});

describe('the shop that was found', () => {
  it('is saved, connected, and drains', async () => {
    const mail = group('Mail account');
    await mail.getByRole('textbox', { name: 'Address' }).fill('127.0.0.1');
    await mail.getByRole('textbox', { name: 'Port' }).fill(String(smtp.port));
    await mail.getByRole('combobox', { name: 'Encryption' }).click();
    await page().getByRole('option', { name: 'None' }).click();
    await button('Test this: mail account').click();
    await step('Login at the mail server').getByText('without a login').waitFor();
    await button('Save and connect').click();
    const banner = page().getByRole('region', { name: 'State of the shop' });
    await banner.getByText('Disabled', { exact: true }).waitFor();
    await db.run('INSERT INTO fila_de_envio (para, assunto, mensagem, cabecalhos) VALUES (?, ?, ?, ?)', [
      'eva@shop.example',
      'Bem-vindo',
      'Seu cadastro foi um sucesso.',
      '[]',
    ]);
    await button('Enable').click();
    await expect.poll(() => smtp.mails.length, { timeout: 30_000 }).toBe(1);
    await expect
      .poll(async () => (await db.query('SELECT situacao FROM fila_de_envio'))[0], { timeout: 30_000 })
      .toEqual({ situacao: 'enviado' });
    await button('Disable').click();
    await page().getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await banner.getByText('Disabled', { exact: true }).waitFor();
  });

  it('is not trusted by a click once its server shows another key', async () => {
    await sshd.stop();
    await sshd.start({ newHostKey: true });
    await page().getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
    await page().getByRole('tab', { name: 'Connection' }).click();
    await button('Test this: SSH login').click();
    await server().getByText('This is not the server that it was').waitFor();
    await server().getByRole('code').getByText(sshd.fingerprint).waitFor();
    expect(await server().getByRole('code').count()).toBe(2);
    expect(await page().getByRole('button', { name: /Trust/ }).count()).toBe(0);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page().emulateMedia({ colorScheme });
      expect(await violations(page())).toEqual([]);
    }
  });
});
