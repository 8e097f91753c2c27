/** Looking around before there is a profile: a login is tried, its server's key trusted, a queue with other names found. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import type { Database } from '../../src-main/shop/database.ts';
import { openMysql } from '../../src-main/shop/mysql.ts';
import { makeDatabase, sharedMariadb } from '../support/mariadb.ts';
import { type ScriptedSmtpServer, startSmtpServer } from '../support/smtp-server.ts';
import { type SshServer, startSshd } from '../support/sshd.ts';
import { launch, type RunningApp } from './support.ts';

const asRoot = userInfo().uid === 0;
/** only root can start an sshd that takes a password (test/support/sshd.ts) */
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
  sshd = await startSshd(asRoot ? { password: sshPassword } : {});
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
    await step('SSH login')
      .getByText(asRoot ? 'Check the user, and the password' : 'takes no passwords')
      .waitFor();
    expect(await step('SSH login').textContent()).not.toContain('Ganz falsch 7');
  });

  it('works with what lets it in', async () => {
    await password().fill(asRoot ? sshPassword : '');
    if (!asRoot)
      await server()
        .getByRole('textbox', { name: /Private key file/ })
        .fill(sshd.keyFile);
    await button('Test this: SSH login').click();
    await step('SSH login').getByText('is logged in').waitFor();
  });
});

describe('a database', () => {
  it('says in plain words that its password is wrong', async () => {
    await database().getByRole('textbox', { name: 'Port' }).fill(String(login.port));
    await database().getByRole('textbox', { name: 'Name of the database' }).fill(login.database);
    await database().getByRole('textbox', { name: 'User name' }).fill(login.user);
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

describe('the shop that was found', () => {
  it('is saved, connected, and drains', async () => {
    await page().getByLabel('Name of the shop').fill('Loja');
    await page().getByLabel('Sender').fill('Loja <loja@shop.example>');
    const mail = group('Mail account');
    await mail.getByRole('textbox', { name: 'Address' }).fill('127.0.0.1');
    await mail.getByRole('textbox', { name: 'Port' }).fill(String(smtp.port));
    await mail.getByRole('combobox', { name: 'Encryption' }).click();
    await page().getByRole('option', { name: 'None' }).click();
    await button('Test this: mail account').click();
    await step('Mail server and login').getByText('answers').waitFor();
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
  });
});
