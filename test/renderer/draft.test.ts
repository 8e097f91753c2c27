import { describe, expect, it } from 'vitest';
import { readProfile } from '../../src-main/contract/profile.ts';
import { emptyDraft, toDraft, toForm } from '../../src-renderer/settings/connection/draft.ts';

const filled = {
  ...emptyDraft,
  name: 'Studio U',
  from: 'shop@shop.example',
  sshHost: 'shop.example',
  sshUser: 'shop',
  dbUser: 'shop',
  dbName: 'shop',
  smtpHost: 'smtp.shop.example',
};

describe('the connection form', () => {
  it('makes what the engine takes', () => {
    const profile = readProfile(toForm(filled, undefined), 'form');
    expect(profile).toMatchObject({
      ssh: { host: 'shop.example', port: 22 },
      smtp: { security: 'starttls' },
      files: null,
    });
    expect(readProfile(toForm({ ...filled, viaSsh: false }, undefined), 'form').ssh).toBeNull();
  });

  it('shows again what was saved', () => {
    for (const draft of [
      filled,
      { ...filled, viaSsh: false, sshHost: '', sshUser: '' },
      {
        ...filled,
        filesRoot: '/srv/files',
        smtpVia: 'tunnel',
        uncapped: true,
        dbTls: true,
        sshKeyFile: '~/.ssh/id',
      },
      { ...filled, dbSocket: '/run/mysqld/mysqld.sock' },
      {
        ...filled,
        shape: 'jobs',
        layoutTable: 'fila',
        layoutFailedTable: 'fila_morta',
        layoutQueues: 'mail, newsletters',
        layoutColumns: 'payload = dados\nqueue = fila',
        layoutZone: 'Europe/Prague',
      },
    ]) {
      expect(toDraft(toForm(draft, undefined))).toEqual(draft);
    }
  });

  it('says where a table of another shape differs, and nothing of it for our own', () => {
    const draft = {
      ...filled,
      shape: 'wp-email-queue',
      layoutTable: ' fila ',
      layoutColumns: 'destinatario=para,\n',
    };
    const old = { layout: { table: 'before', queues: ['x'], books: 'console' } };
    const profile = readProfile(toForm(draft, old), 'form');
    expect(profile.layout).toEqual({
      table: 'fila',
      columns: { destinatario: 'para' },
      timeZone: null,
      books: 'console',
    });
    expect(() => readProfile(toForm({ ...draft, layoutColumns: 'destinatario' }, undefined), 'form')).toThrow(
      /layout\.columns\.destinatario/,
    );
    expect(() => readProfile(toForm({ ...draft, layoutZone: "x'; DROP" }, undefined), 'form')).toThrow(
      /layout\.timeZone: must be SYSTEM/,
    );
    expect(toForm({ ...draft, shape: 'studiou-wcmq' }, undefined)).not.toHaveProperty('layout');
  });

  it('keeps what it does not show', () => {
    const old = {
      settings: { rate_per_minute: 7 },
      smtp: { ca: '/ca.pem', connections: 3 },
      database: { tls: { ca: 'x', verify: true } },
    };
    const form = toForm({ ...filled, dbTls: true }, old);
    expect(readProfile(form, 'form')).toMatchObject({
      settings: { rate_per_minute: 7 },
      smtp: { ca: '/ca.pem', connections: 3 },
      database: { tls: { ca: 'x' } },
    });
  });

  it('lets a socket go that the person has emptied', () => {
    const old = { database: { socketPath: '/run/mysqld.sock' } };
    expect(toForm({ ...toDraft(old), dbSocket: '' }, old)['database']).not.toHaveProperty('socketPath');
  });

  it('is not upset by nonsense', () => {
    expect(toDraft(null)).toEqual({ ...emptyDraft, viaSsh: false });
    expect(toDraft({ ssh: 'x', smtp: [1], name: 7 })).toMatchObject({ name: '', smtpHost: '' });
  });
});
