// Where the packaged app is, and whether only what belongs there is inside.
import fs from 'node:fs';
import path from 'node:path';
import { inRoot } from './paths.mjs';
import { PlainError } from './say.mjs';

export const outputFolder = ({ testVariant }) => inRoot('dist', ...(testVariant ? ['test'] : []));

const unpacked = {
  linux: { folder: 'linux-unpacked', executable: 'postroom', resources: 'resources' },
  win32: { folder: 'win-unpacked', executable: 'Postroom.exe', resources: 'resources' },
  darwin: {
    folder: process.arch === 'arm64' ? 'mac-arm64' : 'mac',
    executable: 'Postroom.app/Contents/MacOS/Postroom',
    resources: 'Postroom.app/Contents/Resources',
  },
};

function places(variant) {
  const place = unpacked[process.platform];
  if (!place) throw new PlainError(`no package for ${process.platform}`);
  const folder = path.join(outputFolder(variant), place.folder);
  return { executable: path.join(folder, place.executable), resources: path.join(folder, place.resources) };
}

/** The executable of the packaged app; `{ testVariant: true }` for the one that a test can attach to. */
export function packagedExecutable(variant) {
  return places(variant).executable;
}

const belongs = [
  /^\/(package\.json|out|node_modules|assets)$/,
  /^\/out\/(main|preload|renderer)(\/|$)/,
  /^\/assets\/[^/]+\.png$/,
  /^\/assets\/shop-connector(\/(manifest\.json|postroom-connector(\.php|\/.*)?))?$/,
  /^\/node_modules\/(libsql|@libsql|@neon-rs|detect-libc)(\/|$)/,
];
const never = /\.(map|tsx?)$/;

/** Throws where the archive holds anything but the built app and libsql, or lacks a part of them. */
export async function checkContents(variant) {
  const archive = path.join(places(variant).resources, 'app.asar');
  if (!fs.existsSync(archive)) throw new PlainError(`there is no ${archive}`);
  const { listPackage } = (await import('@electron/asar')).default;
  const files = listPackage(archive, {}).map((file) => file.replaceAll('\\', '/'));
  const strangers = files.filter(
    (file) => never.test(file) || !belongs.some((pattern) => pattern.test(file)),
  );
  if (strangers.length > 0)
    throw new PlainError(`does not belong into the package: ${strangers.slice(0, 5).join(', ')}`);
  const parts = [
    '/out/main/main.mjs',
    '/out/preload/preload.cjs',
    '/out/renderer/index.html',
    '/node_modules/libsql/index.js',
    '/assets/shop-connector/manifest.json',
    '/assets/shop-connector/postroom-connector.php',
    '/assets/shop-connector/postroom-connector/load.php',
  ];
  const missing = parts.filter((part) => !files.includes(part));
  if (missing.length > 0) throw new PlainError(`missing in the package: ${missing.join(', ')}`);
  if (!files.some((file) => /^\/node_modules\/@libsql\/[^/]+\/index\.node$/.test(file)))
    throw new PlainError("missing in the package: libsql's library for this platform");
}
