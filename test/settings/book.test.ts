import { describe, expect, it } from 'vitest';
import { fullProfile, ProfileBook, withoutSecrets } from '../../src-main/settings/book.ts';
import { memoryFile } from './memory.ts';

const form = {
  name: 'Studio U',
  from: 'Studio U <shop@shop.example>',
  ssh: { host: 'shop.example', user: 'shop' },
  database: { host: '127.0.0.1', user: 'shop', database: 'shop' },
  smtp: { host: 'smtp.shop.example' },
};
const leaking = {
  ...form,
  ssh: { ...form.ssh, password: 'p1', passphrase: 'p2' },
  database: { ...form.database, password: 'p3' },
  smtp: { ...form.smtp, password: 'p4' },
};

describe('profiles', () => {
  it('are kept in order, without any secret that a form may carry', () => {
    const file = memoryFile();
    const book = new ProfileBook(file);
    const first = book.put(null, leaking);
    const second = book.put(null, { ...form, name: 'Second' });
    book.put(first.id, { ...leaking, name: 'First' });
    expect(book.list().map(({ name }) => name)).toEqual(['First', 'Second']);
    expect(book.get(second.id).form).toEqual({ ...form, name: 'Second' });
    expect(JSON.stringify([...file.content])).not.toMatch(/p[1-4]"/);
  });

  it('survive a file that somebody has edited', () => {
    const file = memoryFile();
    file.set('profiles', [{ id: '../x', name: 'bad' }, { id: 'good', name: 'Good', form: {} }, 7]);
    file.set('last', 'gone');
    file.set('windowBounds', { width: 'wide' });
    const book = new ProfileBook(file);
    expect(book.list().map(({ id }) => id)).toEqual(['good']);
    expect(book.last).toBeNull();
    expect(book.windowBounds).toBeNull();
    file.set('profiles', 'nonsense');
    expect(book.list()).toEqual([]);
  });

  it('forget the last one with it', () => {
    const book = new ProfileBook(memoryFile());
    const { id } = book.put(null, form);
    book.last = id;
    expect(book.last).toBe(id);
    book.remove(id);
    expect(book.last).toBeNull();
    expect(() => book.get(id)).toThrow(/no longer in the list/);
  });

  it('remember where their guide stands until it is done, and what a later version wrote counts as done', () => {
    const file = memoryFile();
    const book = new ProfileBook(file);
    const { id } = book.put(null, { name: 'Half' }, { guide: 'mail' });
    expect(book.get(id)).toMatchObject({ guide: 'mail', demo: false });
    book.placeGuide(id, 'enable');
    expect(book.get(id)).toMatchObject({ guide: 'enable', form: { name: 'Half' } });
    book.placeGuide(id, null);
    expect(book.get(id).guide).toBeNull();
    file.set('profiles', [
      { id: 'old', name: 'Old', form: {} },
      { id: 'new', name: 'New', form: {}, guide: 'fireworks' },
    ]);
    expect(book.list().map(({ guide }) => guide)).toEqual([null, null]);
  });
});

describe('a full profile', () => {
  it('is form and secrets together', () => {
    const profile = fullProfile(form, {
      'ssh.passphrase': 'a',
      'smtp.password': 'b',
      'database.password': 'c',
    });
    expect(profile).toMatchObject({
      ssh: { passphrase: 'a', password: null },
      smtp: { password: 'b' },
      database: { password: 'c' },
    });
  });

  it('has no use for secrets of parts that are not there', () => {
    const direct = fullProfile({ ...form, ssh: null }, { 'ssh.password': 'a' });
    expect(direct.ssh).toBeNull();
  });

  it('takes no secret from the form', () => {
    expect(withoutSecrets(leaking)).toEqual(form);
    expect(fullProfile(leaking, {}).smtp.password).toBeNull();
  });

  it('names the field that cannot be used', () => {
    expect(() => fullProfile({ ...form, smtp: { host: '' } }, {})).toThrow(/smtp\.host/);
    expect(() => fullProfile(null, {})).toThrow(/cannot be used/);
  });
});
