/** The mail server's steps of the doctor: each red one is caused for real, its advice is followed, and then it is green. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { DoctorStep } from '../../src-main/contract/desk.ts';
import { profileSchema } from '../../src-main/contract/profile.ts';
import { createMailServer } from '../../src-main/mail/deliver.ts';
import { runDoctor } from '../../src-main/shop/doctor.ts';
import { openSsh } from '../../src-main/shop/ssh.ts';
import { freePort } from '../support/ports.ts';
import { type SmtpServerOptions, selfSignedCertificate, startSmtpServer } from '../support/smtp-server.ts';
import { startSshd } from '../support/sshd.ts';

const folder = mkdtempSync(join(tmpdir(), 'postroom-doctor-mail-'));
const tls = selfSignedCertificate();
const ca = join(folder, 'ca.pem');
writeFileSync(ca, tls.cert);
const users = { 'shop@shop.example': 'Tajné heslo 7' };
const right = { user: 'shop@shop.example', password: 'Tajné heslo 7' };
const open: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of open) await close();
  rmSync(folder, { recursive: true, force: true });
});

async function server(options: SmtpServerOptions = {}) {
  const made = await startSmtpServer(options);
  open.push(() => made.close());
  return made;
}

/** The steps by their ids, for a mail account as somebody typed it. */
async function look(
  smtp: Record<string, unknown>,
  from = 'shop@shop.example',
): Promise<Record<string, DoctorStep>> {
  const profile = profileSchema.parse({
    name: 'Test',
    database: { file: join(folder, 'unused.db') },
    smtp: { host: '127.0.0.1', ...smtp },
    from,
  });
  const mail = createMailServer(profile.smtp, { timeouts: { greeting: 2_000, connect: 2_000 } });
  const steps = await runDoctor(
    { ssh: null, smtp: profile.smtp },
    { ssh: null, db: null, files: null, examineMail: () => mail.examine(), sender: from },
  );
  await mail.close();
  for (const step of steps)
    if (step.color === 'red' || step.color === 'amber') expect(step.advice, step.id).toBeTruthy();
  expect(JSON.stringify(steps)).not.toContain('heslo');
  return Object.fromEntries(steps.map((step) => [step.id, step]));
}
const colors = (steps: Record<string, DoctorStep>) =>
  Object.values(steps).map(({ id, color }) => `${id} ${color}`);
const allGreen = ['name', 'greeting', 'encryption', 'login', 'sender'].map((step) => `mail.${step} green`);

describe('the doctor at the mail server', () => {
  it('finds nothing wrong where nothing is, and begins no mail', async () => {
    const good = await server({ users, tls });
    const steps = await look({ ...right, port: good.port, security: 'starttls', ca, host: 'localhost' });
    expect(colors(steps)).toEqual(allGreen);
    expect(steps['mail.greeting']?.found).toMatch(/^220 /);
    expect(steps['mail.encryption']?.found).toMatch(/certificate is valid.*8BITMIME/);
    expect(good.mails).toHaveLength(0);
    expect(good.logins).toHaveLength(1);
  });

  it('names a host that is not there, and a port where nobody or somebody else listens', async () => {
    expect(colors(await look({ host: 'mail.invalid', port: 587 }))).toEqual([
      'mail.name red',
      ...allGreen.slice(1).map((step) => step.replace('green', 'grey')),
    ]);
    expect((await look({ port: await freePort() }))['mail.greeting']).toMatchObject({ color: 'red' });
    const web = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    open.push(async () => web.close());
    const { port } = web.address() as { port: number };
    expect((await look({ port }))['mail.greeting']).toMatchObject({
      color: 'red',
      found: expect.stringContaining('HTTP/1.1 400'),
      advice: expect.stringContaining('port'),
    });
  });

  it('names a certificate that is not to be trusted; with its authority it is', async () => {
    const strict = await server({ users, tls });
    const account = { ...right, port: strict.port, security: 'starttls', host: 'localhost' };
    expect((await look(account))['mail.encryption']).toMatchObject({
      color: 'red',
      found: expect.stringContaining('self-signed'),
    });
    expect(colors(await look({ ...account, ca }))).toEqual(allGreen);
  });

  it('says that passwords would cross the network in the open, but not where they do not', async () => {
    const open_ = await server({ users });
    // on this machine itself nothing crosses a network
    expect((await look({ ...right, port: open_.port, security: 'none' }))['mail.encryption']?.color).toBe(
      'green',
    );
    expect(
      (await look({ ...right, port: open_.port, security: 'starttls' }))['mail.encryption'],
    ).toMatchObject({
      color: 'red',
    });
  });

  it('names a wrong password, with the right one it is green', async () => {
    const strict = await server({ users });
    const account = { port: strict.port, security: 'none', user: right.user };
    const wrong = await look({ ...account, password: 'wrong' });
    expect(wrong['mail.login']).toMatchObject({ color: 'red', found: expect.stringContaining('535') });
    expect(wrong['mail.sender']?.color).toBe('grey');
    expect(colors(await look({ ...account, password: right.password }))).toEqual(allGreen);
  });

  it('names a sender that is not allowed, with one that is it is green', async () => {
    const strict = await server({
      users,
      behaviour: ({ step, sender }) =>
        step === 'mail' && sender !== 'shop@shop.example'
          ? '553 5.7.1 Sender address rejected: not owned by user'
          : undefined,
    });
    const account = { ...right, port: strict.port, security: 'none' };
    expect((await look(account, 'other@shop.example'))['mail.sender']).toMatchObject({
      color: 'red',
      found: expect.stringContaining('not owned by user'),
      advice: expect.stringContaining('own address as the sender'),
    });
    expect(colors(await look(account))).toEqual(allGreen);
  });

  it('goes through the shop’s own server where mail leaves from there', async () => {
    const sshd = await startSshd();
    open.push(() => sshd.remove());
    const inside = await server({ users });
    const smtp = profileSchema.shape.smtp.parse({
      ...{ ...right, host: '127.0.0.1', port: inside.port },
      ...{ security: 'none', via: 'tunnel' },
    });
    const ssh = openSsh(sshd.login());
    const mail = createMailServer(smtp, { openSocket: () => ssh.forward(smtp.host, smtp.port) });
    const steps = await runDoctor(
      { ssh: sshd.login(), smtp },
      { ssh, db: null, files: null, examineMail: () => mail.examine(), sender: 'shop@shop.example' },
    );
    expect(steps.filter(({ color }) => color !== 'green')).toEqual([]);
    expect(steps.map(({ id }) => id)).not.toContain('mail.name');
    await mail.close();
    await ssh.close();
  });
});
