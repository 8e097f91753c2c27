// electron-builder copies an Electron folder that it is given whole: drop what only development needs.
import fs from 'node:fs';
import path from 'node:path';

export default function afterPack({ appOutDir, electronPlatformName }) {
  if (electronPlatformName !== 'linux') return;
  for (const name of ['resources/default_app.asar', 'version'])
    fs.rmSync(path.join(appOutDir, name), { force: true });
}
