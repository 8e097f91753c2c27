/** The connector as this console brings it: the files of assets/shop-connector, checked against their manifest. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { PostroomError } from '../../contract/errors.ts';

export const stubName = 'postroom-connector.php';
export const folderName = 'postroom-connector';
/** In the shop the manifest lies in the connector's folder: by it a later console knows what was installed. */
export const manifestName = `${folderName}/manifest.json`;

/** `a/b.php`, nothing hidden, nothing that leads out */
const fileName = z
  .string()
  .max(200)
  .regex(/^postroom-connector(?:\.php|(?:\/[a-z0-9][\w-]*(?:\.[\w-]+)*)+)$/i);
const manifest = z.object({
  version: z.string().regex(/^\d{1,6}(\.\d{1,6}){1,3}$/),
  php: z.string().regex(/^\d+\.\d+$/),
  files: z
    .array(z.object({ name: fileName, size: z.number().int(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }))
    .min(1)
    .max(500),
});
export type Manifest = z.infer<typeof manifest>;

export interface Bundle {
  manifest: Manifest;
  /** every file that is put into the shop, the manifest among them, by its name relative to the must-use plugins */
  files: ReadonlyMap<string, Buffer>;
}

/** A manifest's text; null when it is none. */
export function parseManifest(text: string): Manifest | null {
  try {
    return manifest.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** @throws PostroomError `config` when this installation of Postroom lacks a file or has another than its manifest says */
export async function readBundle(folder: string = bundleFolder()): Promise<Bundle> {
  const broken = (what: string) =>
    new PostroomError('config', `This installation of Postroom is damaged: ${what}. Install Postroom anew.`);
  const text = await readFile(path.join(folder, 'manifest.json')).catch(() => {
    throw broken('the connector’s manifest is missing');
  });
  const read = parseManifest(text.toString());
  if (!read) throw broken('the connector’s manifest cannot be read');
  const files = new Map<string, Buffer>();
  for (const { name, sha256: sum } of read.files) {
    const bytes = await readFile(path.join(folder, name)).catch(() => null);
    if (!bytes || sha256(bytes) !== sum) throw broken(`the connector’s file ${name} is not what it was`);
    files.set(name, bytes);
  }
  files.set(manifestName, text);
  return { manifest: read, files };
}

/** Beside the program, whether that is a checkout, a bundle in out/ or the app's archive. */
function bundleFolder(): string {
  let at = import.meta.dirname;
  // src-main/shop/connector is three below, out/main and out/cli two
  for (let up = 0; up < 4; up += 1) {
    const folder = path.join(at, 'assets', 'shop-connector');
    if (existsSync(path.join(folder, 'manifest.json'))) return folder;
    at = path.dirname(at);
  }
  throw new PostroomError(
    'config',
    'This installation of Postroom lacks the shop connector. Install Postroom anew.',
  );
}

/** Below 0: a is older. Numbers, so that 0.10 is newer than 0.9. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) =>
    text.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0),
  );
  for (let at = 0; at < Math.max(left?.length ?? 0, right?.length ?? 0); at += 1) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
