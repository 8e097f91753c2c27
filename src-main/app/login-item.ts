import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { app } from 'electron';
import { PostroomError } from '../contract/errors.ts';
import { autostartEntry } from './autostart.ts';

/** A start at login shows no window: the icon near the clock is enough. */
export const hiddenSwitch = '--hidden';

/** Whether Postroom starts when this person logs in, as the system itself has it. */
export function startsAtLogin(): boolean {
  if (process.platform !== 'linux') return app.getLoginItemSettings({ args: [hiddenSwitch] }).openAtLogin;
  try {
    const entry = readFileSync(autostartFile(), 'utf8');
    // a desktop's own settings switch an entry off by these, and leave it there
    return !/^(Hidden=true|X-GNOME-Autostart-enabled=false)\s*$/m.test(entry);
  } catch {
    return false;
  }
}

/** @throws PostroomError `disk` where the entry cannot be written */
export function setStartAtLogin(on: boolean): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: on, args: [hiddenSwitch] });
    return;
  }
  // Electron does nothing here (its own documentation): the desktop reads a file
  const file = autostartFile();
  try {
    if (on) {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, autostartEntry(command()));
    } else rmSync(file, { force: true });
  } catch (cause) {
    throw new PostroomError('disk', `${file} cannot be written: Postroom does not start at login.`, {
      detail: String(cause),
      cause,
    });
  }
}

/** Desktop Application Autostart Specification: the person's own entries. */
const autostartFile = (): string =>
  path.join(
    process.env['XDG_CONFIG_HOME'] || path.join(homedir(), '.config'),
    'autostart',
    'postroom.desktop',
  );

/** What starts this very app again: the AppImage, not what it is mounted as; in development the folder along with Electron. */
function command(): string[] {
  const executable = process.env['APPIMAGE'] ?? process.execPath;
  return [executable, ...(app.isPackaged ? [] : [app.getAppPath()]), hiddenSwitch];
}
