import { describe, expect, it } from 'vitest';
import { guideSteps, isWhole } from '../../src-main/contract/guide.ts';
import { emptyDraft } from '../../src-renderer/settings/connection/draft.ts';
import { faultsOf } from '../../src-renderer/welcome/guide/faults.ts';
import { guessHost } from '../../src-renderer/welcome/guide/guess-host.ts';
import { inTheWay, mendedAt } from '../../src-renderer/welcome/guide/mended-at.ts';

const draft = {
  ...emptyDraft,
  name: 'Studio U',
  from: 'Studio U <shop@shop.example>',
  sshHost: 'ssh.shop.example',
  sshUser: 'shop',
  dbName: 'shop',
  dbUser: 'shop',
  smtpHost: 'smtp.shop.example',
  smtpUser: 'shop@shop.example',
};

describe('what is wrong with a field', () => {
  it('is nothing where all is filled in', () => {
    for (const step of ['server', 'shop', 'mail'] as const) expect(faultsOf(step, draft, true)).toEqual({});
  });

  it('is that it is empty', () => {
    expect(faultsOf('server', emptyDraft, false)).toEqual({ sshHost: 'empty', sshUser: 'empty' });
    expect(faultsOf('server', { ...emptyDraft, viaSsh: false }, false)).toEqual({});
    expect(faultsOf('shop', emptyDraft, false)).toEqual({ name: 'empty', dbName: 'empty', dbUser: 'empty' });
    expect(faultsOf('mail', emptyDraft, false)).toEqual({ from: 'empty', smtpHost: 'empty' });
  });

  it.each(['ssh://shop.example', 'shop@shop.example', 'shop.example/home', 'shop example'])(
    'is that %s is no address of a server',
    (host) => {
      expect(faultsOf('server', { ...draft, sshHost: host }, false)).toEqual({ sshHost: 'host' });
      expect(faultsOf('mail', { ...draft, smtpHost: host }, false)).toEqual({ smtpHost: 'host' });
      expect(faultsOf('shop', { ...draft, dbHost: host }, false)).toEqual({ dbHost: 'host' });
    },
  );

  it('is never an IPv6 address, nor blanks around a name', () => {
    for (const sshHost of ['::1', 'fe80::1%eth0', ' ssh.shop.example '])
      expect(faultsOf('server', { ...draft, sshHost }, false)).toEqual({});
  });

  it.each(['Studio U', 'shop@', '@shop.example', '<shop@shop.example', 'a@b c@d'])(
    'is that %s is no sender',
    (from) => {
      expect(faultsOf('mail', { ...draft, from }, false)).toEqual({ from: 'sender' });
    },
  );

  it('is what a shop’s own queue cannot be called', () => {
    const own = { ...draft, shape: 'jobs', layoutTable: 'a-b', layoutColumns: 'to', layoutZone: 'Prague!' };
    expect(faultsOf('shop', own, false)).toEqual({
      layoutTable: 'prefix',
      layoutColumns: 'columns',
      layoutZone: 'zone',
    });
    expect(faultsOf('shop', { ...own, shape: 'studiou-wcmq' }, false)).toEqual({});
  });

  it('is a password without a user, and a fingerprint of another kind', () => {
    expect(faultsOf('mail', { ...draft, smtpUser: '' }, true)).toEqual({ smtpUser: 'userMissing' });
    expect(faultsOf('mail', { ...draft, smtpUser: '' }, false)).toEqual({});
    expect(faultsOf('server', { ...draft, sshHostKey: 'aa:bb' }, false)).toEqual({
      sshHostKey: 'fingerprint',
    });
  });
});

describe('a red step', () => {
  const red = (id: string) => ({ id, title: id, color: 'red' as const, ms: 0, found: '', advice: null });

  it('is mended where its fields are', () => {
    expect(mendedAt(red('ssh.login'))).toBe('server');
    expect(mendedAt(red('ssh.forward'))).toBe('server');
    expect(mendedAt(red('database.login'))).toBe('shop');
    expect(mendedAt(red('files'))).toBe('shop');
    expect(mendedAt(red('mail.sender'))).toBe('mail');
  });

  it('of our own tables is no fault before they are installed; of a shop’s own it is', () => {
    const steps = [red('database.tables'), red('mail.login')];
    expect(inTheWay(steps, { shape: 'studiou-wcmq' }).map(({ id }) => id)).toEqual(['mail.login']);
    expect(inTheWay(steps, { shape: 'jobs' })).toHaveLength(2);
  });
});

describe('the host', () => {
  it('is known by its mail server, and something careful is chosen where it is not', () => {
    expect(guessHost('smtp.office365.com')).toMatchObject({ host: 'microsoft', limits: { minute: 30 } });
    expect(guessHost('SMTP.gmail.com ').host).toBe('gmail');
    expect(guessHost('smtp-relay.brevo.com')).toEqual({
      host: 'sending',
      limits: { minute: null, hour: 200, day: null },
    });
    expect(guessHost('smtp.shop.example')).toEqual({
      host: 'other',
      limits: { minute: null, hour: 200, day: null },
    });
    expect(guessHost('notgmail.com').host).toBe('other');
  });
});

it('a profile is whole once its check was passed', () => {
  expect(guideSteps.filter((step) => isWhole(step))).toEqual(['pace', 'tables', 'test', 'enable']);
  expect(isWhole(null)).toBe(true);
});
