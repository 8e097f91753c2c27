import { describe, expect, it } from 'vitest';
import type { FoundSite, FoundTable } from '../../src-main/contract/look.ts';
import { profileParts, readProfilePart } from '../../src-main/contract/profile.ts';
import { parseMailbox } from '../../src-main/mail/address.ts';
import { draftOfSite, draftOfTable, worthShowing } from '../../src-renderer/settings/connection/choose.ts';
import { emptyDraft, toForm } from '../../src-renderer/settings/connection/draft.ts';
import { shownKey } from '../../src-renderer/settings/connection/host-key.ts';

const site: FoundSite = {
  key: 'k',
  folder: '/srv/www',
  url: 'https://www.studio-u.example/shop',
  title: 'Studio U',
  database: {
    host: '127.0.0.1',
    port: 3307,
    socketPath: null,
    user: 'wp',
    database: 'wp_shop',
    tablePrefix: 'wx_',
    hasPassword: true,
  },
  filesRoot: '/srv/www/wp-content/uploads/studiou-wcmq-attachments',
  tables: true,
  connector: false,
  problem: null,
  notes: [],
};

const table: FoundTable = {
  shape: 'jobs',
  layout: {
    table: 'fila',
    failedTable: 'fila_morta',
    columns: { payload: 'dados', queue: 'canal' },
    queues: ['mail', 'news'],
  },
  prefix: null,
  missing: [],
  refused: null,
  rows: 7,
  score: 0.9,
};

describe('a site that is chosen', () => {
  it('fills in its database, its folder and what is still empty', () => {
    const draft = { ...emptyDraft, ...draftOfSite({ ...emptyDraft, filesVia: 'local' }, site) };
    expect(toForm(draft, undefined)).toMatchObject({
      name: 'Studio U',
      from: 'Studio U <wordpress@studio-u.example>',
      database: { host: '127.0.0.1', port: 3307, user: 'wp', database: 'wp_shop', tablePrefix: 'wx_' },
      files: { root: site.filesRoot, via: 'sftp' },
    });
    const socket = { ...site, database: { ...site.database, socketPath: '/run/mysqld.sock' } };
    expect(toForm({ ...draft, ...draftOfSite(draft, socket) }, undefined)).toMatchObject({
      database: { socketPath: '/run/mysqld.sock' },
    });
    expect(draftOfSite({ ...draft, dbSocket: '/old.sock' }, site).dbSocket).toBe('');
  });

  it('leaves a name and a sender alone that the person has typed', () => {
    const typed = { ...emptyDraft, name: 'My shop', from: 'me@shop.example' };
    const patch = draftOfSite(typed, site);
    expect(patch).not.toHaveProperty('name');
    expect(patch).not.toHaveProperty('from');
  });

  it.each([
    ['Novák, Syn & "Co."', 'https://novak.example', ''],
    ['Studio U', null, 'shop@studio-u.example'],
    [null, 'https://novak.example', ''],
    ['Ünïcode', 'https://x.example', 'not an address'],
  ])('makes a sender that can be used of %s at %s', (title, url, smtpUser) => {
    const { from } = draftOfSite({ ...emptyDraft, smtpUser }, { ...site, title, url });
    expect(parseMailbox(from ?? '')).toMatchObject({ ok: true });
  });

  it('invents no sender where nothing says one', () => {
    expect(draftOfSite(emptyDraft, { ...site, title: null, url: null })).not.toHaveProperty('from');
    expect(draftOfSite(emptyDraft, { ...site, url: 'http://localhost' })).not.toHaveProperty('from');
  });
});

describe('a table that is chosen', () => {
  it('becomes the profile that drains it', () => {
    const form = toForm({ ...emptyDraft, dbUser: 'u', dbName: 'd', ...draftOfTable(table) }, undefined);
    expect(readProfilePart(profileParts.queue, form, 'form')).toMatchObject({
      shape: 'jobs',
      layout: table.layout,
      database: { tablePrefix: 'wp_' },
    });
  });

  it('takes the place of every field of another one', () => {
    const other: FoundTable = { ...table, shape: 'email-jobs', layout: { table: 'email_jobs', columns: {} } };
    const draft = { ...emptyDraft, ...draftOfTable(table), ...draftOfTable(other) };
    expect(draft).toMatchObject({
      shape: 'email-jobs',
      layoutTable: 'email_jobs',
      layoutFailedTable: '',
      layoutColumns: '',
      layoutQueues: '',
    });
    const own: FoundTable = {
      ...table,
      shape: 'studiou-wcmq',
      layout: { table: 'wx_studiou_wcmq_queue', columns: {} },
      prefix: 'wx_',
    };
    expect({ ...draft, ...draftOfTable(own) }).toMatchObject({
      shape: 'studiou-wcmq',
      dbPrefix: 'wx_',
      layoutTable: '',
    });
  });

  it('is not also shown with the reason why it is no other shape', () => {
    const refused: FoundTable = { ...table, shape: 'email-jobs', refused: 'other words' };
    const strange: FoundTable = { ...refused, layout: { table: 'strange', columns: {} } };
    expect(worthShowing([table, refused, strange, { ...strange, shape: 'jobs' }])).toEqual([table, strange]);
  });
});

describe('the key of a server', () => {
  const now = `SHA256:${'a'.repeat(43)}`;
  const before = `SHA256:${'b'.repeat(43)}`;
  const step = { id: 'ssh.host-key', title: '', ms: 1, advice: null };

  it('is read where it kept a look from going on, and nowhere else', () => {
    expect(shownKey({ code: 'host-key', message: `It shows ${now} now, ${before} before.` })).toBe(now);
    expect(shownKey(null, [{ ...step, color: 'red', found: `It shows ${now}.` }])).toBe(now);
    expect(shownKey(null, [{ ...step, color: 'green', found: `It is ${now}.` }])).toBeNull();
    expect(shownKey({ code: 'login', message: `Refused ${now}` })).toBeNull();
    expect(shownKey(null)).toBeNull();
  });
});
