/** The rules of the house (docs/architecture.md), read off the import graph as it really is. */
import { isBuiltin } from 'node:module';
import { describe, expect, it } from 'vitest';
import {
  filesBelow,
  type ImportEdge,
  importsOf,
  packageName,
  readText,
  sourceFiles,
} from './support/source-tree.ts';

const mainFiles = sourceFiles('src-main');
const rendererFiles = sourceFiles('src-renderer');
const edges = [...mainFiles, ...rendererFiles].flatMap(importsOf);

/** Floors of the house, from the ground up. A room imports from its own floor's room and from the floors below. */
const floors = [
  ['contract', 'enqueue'],
  ['shop', 'settings'],
  ['queue', 'mail'],
  ['engine'],
  ['boot', 'demo'],
  ['app', 'cli'],
];
/** Rooms of one floor that may use each other. */
const neighbours = new Set(['boot demo', 'demo boot']);

/** Packages (or single names of one) that one file alone may import, and which. */
const singleImporters: { what: string; name?: string; allowed: string[] }[] = [
  { what: 'electron-store', allowed: ['src-main/settings/profiles.ts'] },
  { what: 'electron', name: 'safeStorage', allowed: ['src-main/settings/keychain.ts'] },
  { what: 'electron', name: 'ipcMain', allowed: ['src-main/app/ipc.ts'] },
  { what: 'ssh2', allowed: ['src-main/shop/ssh.ts'] },
  { what: 'mysql2', allowed: ['src-main/shop/mysql.ts'] },
  { what: 'libsql', allowed: ['src-main/shop/sqlite.ts'] },
  { what: 'nodemailer', allowed: ['src-main/mail/deliver.ts'] },
];
const electronRooms = ['app', 'settings', 'preload', 'main'];

/** `shop` of src-main/shop/ssh.ts, `boot` of src-main/boot.ts, `cli` of src-main/cli.ts and src-main/cli/list.ts. */
function roomOf(file: string): string {
  const part = file.split('/')[1] ?? '';
  return part.replace(/\.ts$/, '');
}

function floorOf(room: string): number {
  if (room === 'main') return floorOf('app');
  return floors.findIndex((rooms) => rooms.includes(room));
}

const show = ({ from, to }: ImportEdge): string => `${from} -> ${to}`;
const from = (folder: string): ImportEdge[] => edges.filter((edge) => edge.from.startsWith(folder));

describe('the house', () => {
  it('is really read', () => {
    expect(mainFiles.length).toBeGreaterThan(40);
    expect(rendererFiles.length).toBeGreaterThan(15);
    expect(edges.length).toBeGreaterThan(200);
    for (const room of ['contract', 'enqueue', 'shop', 'queue', 'mail', 'engine', 'app'])
      expect(from(`src-main/${room}/`).length, room).toBeGreaterThan(2);
  });

  it('has no room that nobody planned', () => {
    const rooms = new Set(mainFiles.map(roomOf));
    rooms.delete('preload');
    expect([...rooms].filter((room) => floorOf(room) < 0)).toEqual([]);
  });

  it('imports only downwards', () => {
    const upward = from('src-main/').filter(({ from: file, to, isPackage }) => {
      if (isPackage || !to.startsWith('src-main/') || file === 'src-main/preload.ts') return false;
      const [here, there] = [roomOf(file), roomOf(to)];
      if (here === there || here === 'main') return false;
      if (neighbours.has(`${here} ${there}`)) return false;
      return floorOf(there) >= floorOf(here);
    });
    expect(upward.map(show)).toEqual([]);
  });

  it('takes from the window nothing but its words', () => {
    const taken = from('src-main/').filter(({ to }) => to.startsWith('src-renderer/'));
    expect(taken.filter(({ to }) => !/^src-renderer\/locales\/\w+\.json$/.test(to)).map(show)).toEqual([]);
  });

  it('has no import cycles at run time', () => {
    expect(cyclesOf(edges.filter(({ isPackage, isType }) => !isPackage && !isType))).toEqual([]);
  });

  it('has one importer of each driver', () => {
    for (const { what, name, allowed } of singleImporters) {
      const importers = edges.filter(
        (edge) =>
          edge.isPackage &&
          packageName(edge.to) === what &&
          (name === undefined || edge.names.includes(name) || edge.names.includes('*')),
      );
      const strangers = importers.filter((edge) => !allowed.includes(edge.from));
      expect(strangers.map(show), `${what} ${name ?? ''}`).toEqual([]);
      expect(new Set(importers.map((edge) => edge.from)), `${what} ${name ?? ''}`).toEqual(new Set(allowed));
    }
  });

  it('has Electron in the app alone', () => {
    const users = edges.filter(({ to, isPackage }) => isPackage && /^electron(-store)?(\/|$)/.test(to));
    expect(users.filter((edge) => !electronRooms.includes(roomOf(edge.from))).map(show)).toEqual([]);
    // settings/ keeps secrets and profiles of the app; nothing below the app may come to need it
    const settings = from('src-main/').filter(({ to }) => to.startsWith('src-main/settings/'));
    const keepers = settings
      .map((edge) => roomOf(edge.from))
      .filter((room) => !['settings', 'app', 'main'].includes(room));
    expect(keepers).toEqual([]);
  });

  it('has a contract of plain words: zod and nothing else', () => {
    const others = from('src-main/contract/').filter(({ to, isPackage }) =>
      isPackage ? to !== 'zod' : !to.startsWith('src-main/contract/'),
    );
    expect(others.map(show)).toEqual([]);
  });

  it('has an entry for producers that stands alone, with nothing to install beside it', () => {
    const others = from('src-main/enqueue/').filter(({ to, isPackage }) =>
      isPackage ? !isBuiltin(to) : !to.startsWith('src-main/enqueue/'),
    );
    expect(others.map(show)).toEqual([]);
  });

  it('has a window and a bridge that know the contract alone', () => {
    const outside = from('src-renderer/').filter(({ to, isPackage }) =>
      isPackage
        ? isBuiltin(to) || packageName(to) === 'electron'
        : !to.startsWith('src-renderer/') &&
          !to.startsWith('src-main/contract/') &&
          !to.startsWith('assets/'),
    );
    expect(outside.map(show)).toEqual([]);
    const bridge = from('src-main/preload.ts').filter(({ to, isPackage }) =>
      isPackage ? to !== 'electron' : !to.startsWith('src-main/contract/'),
    );
    expect(bridge.map(show)).toEqual([]);
  });

  it('keeps its files short', () => {
    const files = sourceFiles('src-main', 'src-renderer', 'test', 'bench', 'scripts');
    expect(files.length).toBeGreaterThan(80);
    const long = files.filter((file) => readText(file).split('\n').length > 401);
    expect(long).toEqual([]);
  });

  it('names no machine and no registry', () => {
    // in pieces, or this file would find itself
    const hosts = [
      ['registry', 'npmjs', 'org'],
      ['deb', 'debian', 'org'],
      ['security', 'debian', 'org'],
    ];
    const words = ['/wor' + 'k/', '/roo' + 't/.', ...hosts.map((parts) => parts.join('.'))];
    const files = filesBelow('.').filter((file) => !/\.(png|ico|icns|woff2|pdf|gz)$/.test(file));
    expect(files.length).toBeGreaterThan(100);
    const found = files.flatMap((file) => {
      const text = readText(file);
      return words.filter((word) => text.includes(word)).map((word) => `${file}: ${word}`);
    });
    expect(found).toEqual([]);
  });
});

/** Each cycle of a graph once, as `a -> b -> a`. */
function cyclesOf(graph: ImportEdge[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from: file, to } of graph) next.set(file, [...(next.get(file) ?? []), to]);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: string[]): void => {
    const at = trail.indexOf(file);
    if (at >= 0) cycles.push([...trail.slice(at), file].join(' -> '));
    if (at >= 0 || done.has(file)) return;
    for (const each of next.get(file) ?? []) visit(each, [...trail, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return cycles;
}
