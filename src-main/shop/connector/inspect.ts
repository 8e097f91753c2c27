/** What of the connector lies in a shop, file by file. Reads only. */
import type {
  ConnectorOddity,
  ConnectorReport,
  ConnectorSite,
  ConnectorState,
} from '../../contract/connector.ts';
import type { Sftp } from '../ssh-sftp.ts';
import {
  type Bundle,
  compareVersions,
  folderName,
  type Manifest,
  manifestName,
  parseManifest,
  sha256,
  stubName,
} from './bundle.ts';
import type { ChosenSite } from './site.ts';
import { forEach, readFileOf, statOf, walk } from './tree.ts';

/** Docs/connector.md: what the connector is made for. */
const oldest = { wordpress: '6.8', woocommerce: '9.8' };

/** What is put aside while it is worked on; WordPress loads nothing whose name does not end in .php. */
export const asideName = /^\.postroom-[0-9a-f]{16}\.tmp$/;

interface Seen {
  stub: boolean;
  folder: boolean;
  /** sums by name; null = a link, or nothing that could be read as a file */
  sums: Map<string, string | null>;
  version: string | null;
  manifest: Manifest | null;
}

/** @throws PostroomError `rights` | `unreachable` */
export async function inspect(
  sftp: Sftp,
  { site, notes }: ChosenSite,
  bundle: Bundle,
): Promise<ConnectorReport> {
  const there = (await statOf(sftp, site.plugins)) === null ? [] : await sftp.list(site.plugins);
  const leftovers = there.map(({ name }) => name).filter((name) => asideName.test(name));
  const seen = await look(sftp, site.plugins);
  const { odd, missing } = compare(seen, bundle);
  const state = stateOf(seen, bundle, missing);
  const report: ConnectorReport = {
    site,
    state,
    version: seen.manifest?.version ?? seen.version,
    offered: bundle.manifest.version,
    odd,
    missing: state === 'absent' ? [] : missing,
    leftovers,
    obstacles: [],
    notes: [...notes],
  };
  judge(report, bundle.manifest.php);
  return report;
}

async function look(sftp: Sftp, plugins: string): Promise<Seen> {
  const stub = await statOf(sftp, `${plugins}/${stubName}`);
  const folder = await statOf(sftp, `${plugins}/${folderName}`);
  const kinds = new Map<string, string>();
  if (stub) kinds.set(stubName, stub.kind);
  if (folder && folder.kind !== 'folder') kinds.set(folderName, folder.kind);
  else if (folder)
    for (const [name, kind] of await walk(sftp, `${plugins}/${folderName}`))
      kinds.set(`${folderName}/${name}`, kind);
  const seen: Seen = {
    stub: stub !== null,
    folder: folder !== null,
    sums: new Map(),
    version: null,
    manifest: null,
  };
  await forEach(kinds, async ([name, kind]) => {
    const bytes = kind === 'file' ? await readFileOf(sftp, `${plugins}/${name}`) : null;
    seen.sums.set(name, bytes && sha256(bytes));
    if (name === stubName && bytes)
      seen.version = /^ \* Version: (\S{1,30})$/m.exec(bytes.toString())?.[1] ?? null;
    if (name === manifestName && bytes) seen.manifest = parseManifest(bytes.toString());
  });
  return seen;
}

/**
 * A file is as it was installed when its sum stands in the manifest that was installed with it, or in ours. Without such a
 * manifest, files of another version cannot be told from changed ones: they are kept as well.
 */
function compare(
  { sums, manifest, version }: Seen,
  bundle: Bundle,
): { odd: ConnectorOddity[]; missing: string[] } {
  const ours = new Map([...bundle.files].map(([name, bytes]) => [name, sha256(bytes)]));
  const theirs = new Map(manifest?.files.map((file) => [file.name, file.sha256]) ?? []);
  const known = manifest !== null || version === bundle.manifest.version;
  const odd: ConnectorOddity[] = [];
  for (const [name, sum] of [...sums].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (sum === null) odd.push({ name, how: name.endsWith('/') ? 'added' : 'link' });
    else if (name !== manifestName && sum !== ours.get(name) && sum !== theirs.get(name))
      odd.push({ name, how: !known ? 'unknown' : ours.has(name) || theirs.has(name) ? 'changed' : 'added' });
    else if (name === manifestName && !manifest) odd.push({ name, how: 'changed' });
  }
  const expected = manifest
    ? [...theirs.keys()]
    : known
      ? [...ours.keys()].filter((name) => name !== manifestName)
      : [stubName];
  return { odd, missing: expected.filter((name) => !sums.has(name)).sort() };
}

function stateOf(
  { stub, folder, sums, manifest, version }: Seen,
  bundle: Bundle,
  missing: string[],
): ConnectorState {
  if (!stub && !folder) return 'absent';
  if (!stub || !folder || missing.length > 0) return 'partial';
  const installed = manifest?.version ?? version;
  const order = installed === null ? -1 : compareVersions(installed, bundle.manifest.version);
  if (order > 0) return 'newer';
  // one that was copied by hand has no manifest beside it, and is the same all the same
  const same = bundle.manifest.files.every(({ name, sha256: sum }) => sums.get(name) === sum);
  const foreign = manifest?.files.some(({ name, sha256: sum }) => sum !== sums.get(name)) === false && !same;
  return order < 0 || foreign ? 'older' : 'current';
}

/** What keeps it from being installed there, and what a person should know. */
function judge(report: ConnectorReport, php: string): void {
  const { site, notes, obstacles } = report;
  const below = (version: string | null, least: string) =>
    version !== null && compareVersions(version, least) < 0;
  if (below(site.wordpress, oldest.wordpress))
    obstacles.push({
      what: 'wordpress',
      words: `The shop has WordPress ${site.wordpress}, the connector needs ${oldest.wordpress} or newer. Update WordPress first.`,
    });
  if (site.wordpress === null)
    notes.push(`The version of WordPress cannot be read; it must be ${oldest.wordpress} or newer.`);
  if (site.woocommerce === null)
    notes.push(`WooCommerce was not found in ${site.folder}: without it the connector does nothing.`);
  else if (below(site.woocommerce, oldest.woocommerce))
    notes.push(
      `The shop has WooCommerce ${site.woocommerce}; the connector is made for ${oldest.woocommerce} or newer.`,
    );
  if (report.state === 'newer')
    obstacles.push({
      what: 'newer',
      words: `The shop has the connector ${report.version}, newer than the ${report.offered} that this console brings. Update Postroom on this computer.`,
    });
  phpWords(report, site, php);
}

function phpWords({ notes, obstacles }: ConnectorReport, { php }: ConnectorSite, least: string): void {
  if (php === null)
    notes.push(
      `Which PHP the server runs cannot be asked with this login; it must be ${least} or newer. On an older one the connector does nothing.`,
    );
  else if (compareVersions(php.version, least) >= 0) {
    if (php.of === 'shell')
      notes.push(
        `PHP ${php.version} is what the command line of the server runs; the web server may use another one.`,
      );
  } else if (php.of === 'web')
    obstacles.push({
      what: 'php',
      words: `The shop's .htaccess chooses PHP ${php.version}, the connector needs ${least} or newer. Choose a newer one in the hosting's panel.`,
    });
  else
    obstacles.push({
      what: 'php',
      words: `The server's command line runs PHP ${php.version}, the connector needs ${least} or newer. If the web server uses a newer one than the command line, say so.`,
    });
}
