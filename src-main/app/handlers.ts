import { shell } from 'electron';
import type { AppInfo, ProfileView } from '../contract/channels.ts';
import { PostroomError } from '../contract/errors.ts';
import { type BookEntry, demoProfileId, fullProfile, type ProfileBook } from '../settings/book.ts';
import type { KeptPreferences, PreferenceFile } from '../settings/preferences.ts';
import type { Vault } from '../settings/vault.ts';
import type { Handlers } from './answer.ts';
import type { Connectors } from './connectors.ts';
import type { FoundPasswords } from './found-passwords.ts';
import { setStartAtLogin, startsAtLogin } from './login-item.ts';
import { Logs } from './logs.ts';
import type { Looks } from './looks.ts';
import { pickFile } from './pick-file.ts';
import { exportProfile, importProfile } from './profile-files.ts';
import type { Shops } from './shops.ts';
import type { MainWindow } from './window.ts';
import { say, spoken } from './words.ts';

interface Tools {
  shops: Shops;
  looks: Looks;
  connectors: Connectors;
  found: FoundPasswords;
  book: ProfileBook;
  vault: Vault;
  window: MainWindow;
  preferences: PreferenceFile;
  /** preferences were set */
  onPreferences: (set: KeptPreferences) => void;
  version: string;
}

/** What happens on each call of the window. Rules live elsewhere; this is the list of who does what. */
export function createHandlers(tools: Tools): Handlers {
  const { shops, looks, connectors, found, book, vault, window, preferences, onPreferences, version } = tools;
  const view = (entry: BookEntry): ProfileView => ({
    ...entry,
    secrets: vault.states(entry.id),
    asks: vault.asks(entry.id),
  });

  /** @throws PostroomError `refused` for a shop that is set up: its guide is over */
  const guided = (id: string): BookEntry => {
    const entry = book.get(id);
    if (entry.guide === null)
      throw new PostroomError('refused', 'This shop is set up. Change it in its settings.');
    return entry;
  };

  const logs = new Logs(shops, window);
  return {
    'app:info': async (): Promise<AppInfo> => ({
      version,
      electron: process.versions.electron ?? '',
      platform: process.platform,
      vault: await vault.available(),
      language: spoken(),
      preferences: { ...preferences.read(), startAtLogin: startsAtLogin() },
      lastProfile: book.last,
    }),
    'app:save-preferences': ({ startAtLogin, ...patch }) => {
      if (startAtLogin !== undefined) setStartAtLogin(startAtLogin);
      const kept = preferences.save(patch);
      onPreferences(kept);
      return { ...kept, startAtLogin: startsAtLogin() };
    },
    'app:open-link': async (url) => {
      await shell.openExternal(url); // http and https only: the contract's schema has seen to it
      return undefined;
    },
    'app:choose-file': (kind) => {
      const options = {
        title: say(kind === 'private-key' ? 'chooseKey' : 'chooseCertificate'),
        properties: ['openFile' as const, 'showHiddenFiles' as const],
      };
      return pickFile(window, options);
    },

    'profiles:list': () => shops.summaries(),
    'profiles:get': (id) => view(book.get(id)),
    'profiles:save': async (id, form, given) => {
      if (id !== null && book.get(id).demo) {
        throw new PostroomError('refused', 'The demo shop has no connection to change.');
      }
      const secrets = found.resolve(given);
      const kept = id === null ? {} : (await vault.readable(id)).opened;
      const set = Object.fromEntries(Object.entries(secrets).filter(([, secret]) => secret));
      fullProfile(form, { ...kept, ...set }); // refuses what the engine could not use
      const entry = book.put(id, form);
      await vault.save(entry.id, secrets);
      found.forget();
      book.last = entry.id;
      await shops.reconnect(entry.id);
      return view(entry);
    },
    'profiles:give-secrets': async (id, secrets) => {
      book.get(id);
      await vault.save(id, secrets);
      await shops.reconnect(id);
      return undefined;
    },
    'profiles:remove': async (id) => {
      await shops.disconnect(id);
      vault.forget(id);
      book.remove(id);
      return undefined;
    },
    'guide:keep': async (id, form, given, step) => {
      if (id !== null) guided(id);
      const secrets = found.resolve(given);
      const entry = book.put(id, form, { guide: step });
      await vault.save(entry.id, secrets);
      return view(entry);
    },
    'guide:connect': async (id) => {
      const { form } = guided(id);
      fullProfile(form, (await vault.readable(id)).opened); // refuses what the engine could not use
      book.last = id;
      await shops.reconnect(id);
      return undefined;
    },
    'guide:place': (id, step) => {
      guided(id);
      book.placeGuide(id, step);
      return undefined;
    },
    'profiles:export': (id) => {
      const entry = book.get(id);
      if (entry.demo) throw new PostroomError('refused', 'The demo shop has no connection to save.');
      return exportProfile(window, entry, vault.states(id));
    },
    'profiles:import': () => importProfile(window),

    'look:tables': (look, draft) => looks.tables(look, draft),
    'look:sites': (look, draft) => looks.sites(look, draft),
    'look:doctor': (look, draft, part) => looks.doctor(look, draft, part),
    'look:stop': (look) => looks.stop(look),

    'connector:status': (look, id, folder) => connectors.status(look, id, folder),
    'connector:install': (look, id, order) => connectors.install(look, id, order),
    'connector:tables': (look, id) => connectors.tables(look, id),
    'connector:remove': (look, id, order) => connectors.remove(look, id, order),
    'connector:stop': (look) => connectors.stop(look),

    'demo:open': async () => {
      if (!book.list().some((entry) => entry.id === demoProfileId)) {
        book.put(demoProfileId, { name: 'Demo shop' }, { demo: true });
      }
      book.last = demoProfileId;
      const connection = await shops.connect(demoProfileId);
      if (connection.phase === 'failed') {
        const { code, message, detail } = connection.error;
        throw new PostroomError(code, message, detail ? { detail } : {});
      }
      return shops.summary(demoProfileId);
    },
    'demo:inbox': (limit) => shops.demo().inbox(limit),
    'demo:order': (n) => shops.demo().order(n),

    'shop:connect': (id) => {
      book.last = id;
      return shops.connect(id);
    },
    'shop:disconnect': (id) => shops.disconnect(id),
    'shop:status': (id) => shops.status(id),
    'shop:overview': (id) => shops.desk(id).overview(),
    'shop:enable': (id) => shops.desk(id).enable(),
    'shop:disable': (id) => shops.desk(id).disable(),
    'shop:take-over': async (id) => {
      await shops.desk(id).takeOver();
      return undefined;
    },
    'shop:share-again': async (id) => {
      await shops.desk(id).shareAgain();
      return undefined;
    },
    'shop:pause': (id, order) => shops.desk(id).pause(order),
    'shop:resume': async (id) => {
      await shops.desk(id).resume();
      return undefined;
    },
    'shop:doctor': (id) =>
      shops.doctor(id, (step) => window.signal('shop:doctor-step', { profile: id, step })),
    'shop:test-mail': (id, address) =>
      shops.testMail(id, address, (words) => window.signal('shop:test-mail-waits', { profile: id, words })),
    'shop:stop-test-mail': (id) => shops.stopTestMail(id),
    'shop:mail-types': (id) => shops.desk(id).mailTypes(),
    'shop:schema': (id, apply) => shops.schema(id, apply),

    'queue:list': (id, page) => shops.desk(id).list(page),
    'queue:rows': (id, rows) => shops.desk(id).named(rows),
    'queue:counts': (id, filter) => shops.desk(id).counts(filter),
    'queue:kinds': (id) => shops.desk(id).kinds(),
    'queue:show': (id, row) => shops.desk(id).show(row),
    'queue:files': (id, row, checksum) => shops.desk(id).files(row, checksum),
    'queue:images': (id, row) => shops.desk(id).images(row),
    'queue:prepare': (id, what, order) => shops.desk(id).prepare(what, order),
    'queue:act': (id, token) => shops.desk(id).act(token),
    'queue:waiting-deletes': (id) => shops.desk(id).waitingDeletes(),
    'queue:undo': (id, token) => shops.desk(id).undo(token),
    'queue:retry': (id, what) => shops.desk(id).retry(what),
    'queue:delete': (id, what) => shops.desk(id).remove(what),
    'queue:resolve': async (id, row, how) => {
      await shops.desk(id).resolve(row, how);
      return undefined;
    },
    'log:list': (id, query) => shops.desk(id).log(query),
    'log:count': (id, query) => shops.desk(id).countLog(query),
    'log:clear': (id) => logs.clear(id),
    'log:export': (id, query) => logs.export(id, query),
    'log:stop': (id) => logs.stop(id),
    'settings:save': (id, patch) => shops.desk(id).saveSettings(patch),
  };
}
