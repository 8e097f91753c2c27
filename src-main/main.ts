import { hostname } from 'node:os';
import path from 'node:path';
import { app, Menu, session } from 'electron';
import { Connectors } from './app/connectors.ts';
import { FoundPasswords } from './app/found-passwords.ts';
import { createHandlers } from './app/handlers.ts';
import { registerCalls } from './app/ipc.ts';
import type { Lamp } from './app/lamp.ts';
import { hiddenSwitch } from './app/login-item.ts';
import { Looks } from './app/looks.ts';
import { Notifications } from './app/notifications.ts';
import { declareScheme, servePage, shutSession } from './app/page-protocol.ts';
import { Power } from './app/power.ts';
import { Quit } from './app/quit.ts';
import { trustDevelopmentOrigin } from './app/sender.ts';
import { Shops } from './app/shops.ts';
import { AppTray } from './app/tray.ts';
import { Watch } from './app/watch.ts';
import { MainWindow } from './app/window.ts';
import { languageFor, say, speak, spoken } from './app/words.ts';
import type { Signals } from './contract/channels.ts';
import { isWhole } from './contract/guide.ts';
import { redact } from './contract/redact.ts';
import { ProfileBook } from './settings/book.ts';
import { systemKeychain } from './settings/keychain.ts';
import { PreferenceFile } from './settings/preferences.ts';
import { openFiles } from './settings/profiles.ts';
import { Vault } from './settings/vault.ts';

// Nothing here may be awaited at the top: Electron holds `ready` back until its first module is done.

const developmentUrl = app.isPackaged ? null : (process.env['VITE_DEV_SERVER_URL'] ?? null);
const outFolder = path.resolve(import.meta.dirname, '..');
const report = (text: string) => process.stderr.write(`postroom: ${redact(text)}\n`);

declareScheme();
// where Chromium's own sandbox cannot be had (root), asking for it would end every process that it starts
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();

if (app.requestSingleInstanceLock()) {
  void app
    .whenReady()
    .then(start)
    .catch((error: unknown) => {
      report(error instanceof Error ? (error.stack ?? error.message) : String(error));
      app.exit(1);
    });
} else {
  app.quit(); // the first one raises its window
}

async function start(): Promise<void> {
  const assets = path.join(app.getAppPath(), 'assets');
  const icon = path.join(assets, 'icon.png');
  // Linux panels take one size as it is; elsewhere the larger ones lie beside it
  const traySuffix = process.platform === 'linux' ? '-linux' : '';
  const iconFor = (lamp: Lamp) => path.join(assets, `tray-${lamp}${traySuffix}.png`);
  const userData = app.getPath('userData');
  const version = app.getVersion();

  if (developmentUrl) trustDevelopmentOrigin(developmentUrl);
  shutSession(session.defaultSession, developmentUrl);
  servePage(session.defaultSession, path.join(outFolder, 'renderer'));
  Menu.setApplicationMenu(process.platform === 'darwin' ? Menu.buildFromTemplate(macMenu()) : null);

  const files = openFiles(userData);
  const book = new ProfileBook(files.profiles);
  const preferences = new PreferenceFile(files.preferences);
  const speakAs = (language: string) => speak(languageFor(language, app.getPreferredSystemLanguages()));
  speakAs(preferences.read().language);
  const vault = new Vault(systemKeychain(), files.vault);
  const loadBoot = async () => {
    // drivers and all: not before the window is on its way
    const [boot, { openDemoShop }] = await Promise.all([import('./boot.ts'), import('./demo/shop.ts')]);
    return { ...boot, openDemoShop };
  };
  const shops = new Shops({
    book,
    vault,
    loadBoot,
    stateRoot: path.join(userData, 'shops'),
    version,
    consoleName: hostname(),
    report,
  });
  const watch = new Watch(shops);
  const found = new FoundPasswords();
  const looks = new Looks({
    vault,
    found,
    loadBoot,
    tell: (told) => window.signal('look:progress', told),
  });

  const connectors = new Connectors({
    profileOf: (id) => shops.profileOf(book.get(id)),
    loadBoot,
    shops,
    tell: (told) => window.signal('look:progress', told),
  });

  let leaving = () => false;
  const window = new MainWindow({
    preload: path.join(outFolder, 'preload', 'preload.cjs'),
    icon,
    book,
    developmentUrl,
    language: spoken,
    staysOnClose: () => {
      if (leaving()) return false;
      if (!preferences.read().keepInTray) {
        app.quit();
        return true; // leaving settles first, and closes the window itself
      }
      if (!book.toldOfTray) {
        book.toldOfTray = true;
        notifications.plain(say('keepsRunning'), say('keepsRunningBody'), () => void window.show());
      }
      return true;
    },
  });
  const openAt = (place: Signals['window:show']) => {
    void window.show().then(() => window.signal('window:show', place));
  };
  const notifications = new Notifications({
    shops,
    watch,
    icon,
    wanted: () => preferences.read(),
    open: openAt,
  });
  const power = new Power(shops, watch);

  registerCalls(
    createHandlers({
      shops,
      looks,
      connectors,
      found,
      book,
      vault,
      window,
      preferences,
      onPreferences: ({ language }) => {
        speakAs(language);
        tray.draw();
      },
      version,
    }),
    () => window.webContents(),
    report,
  );
  shops.on('changed', (profile) => window.signal('shop:changed', { profile }));
  shops.on('connection', (profile, connection) => window.signal('shop:connection', { profile, connection }));
  shops.on('ended', (profile, ended) => window.signal('shop:ended', { profile, ...ended }));
  app.on('second-instance', () => void window.show());
  app.on('activate', () => void window.show());

  const tray = new AppTray({
    shops,
    watch,
    iconFor,
    profile: () => book.last,
    open: () => void window.show(),
    show: openAt,
    quit: () => app.quit(),
  });
  const quit = new Quit({
    shops,
    watch,
    window,
    cleanUp: () => {
      looks.stopAll();
      connectors.stopAll();
      power.release();
      notifications.stop();
      watch.stop();
      tray.destroy();
    },
  });
  leaving = () => quit.isLeaving();

  // at login the icon near the clock is enough
  if (!process.argv.includes(hiddenSwitch)) await window.show();
  // each shop has a lane of its own, whichever is on screen; the demo shop only where it was looked at last
  for (const { id, demo, guide } of book.list())
    if (isWhole(guide) && (!demo || id === book.last)) void shops.connect(id);
}

/** macOS has its menu outside the window, and without one there is no copy and paste. */
function macMenu(): Electron.MenuItemConstructorOptions[] {
  return [{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }];
}
