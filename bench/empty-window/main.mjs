// The least that Electron does: one window as shut as ours, with a heading in it.
import path from 'node:path';
import { app, BrowserWindow } from 'electron';

// not awaited: Electron is not ready before its first module is done
void app.whenReady().then(() => {
  const window = new BrowserWindow({
    width: 1240,
    height: 820,
    webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false },
  });
  return window.loadFile(path.join(import.meta.dirname, 'index.html'));
});
