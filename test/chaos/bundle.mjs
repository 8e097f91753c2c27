/**
 * Bundles the programs of the chaos suite for Node: workers must start in a fraction of a second, many times a seed,
 * and the sources are TypeScript. Plain JavaScript, since scripts/chaos.mjs runs it too.
 */
import { builtinModules } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const here = path.dirname(fileURLToPath(import.meta.url));

/** Native modules lie outside of the bundle's folder, and no worker opens an embedded database or an SSH session. */
const withoutNative = {
  name: 'without-native',
  enforce: 'pre',
  resolveId: (id) =>
    id === 'cpu-features' || id === 'libsql' || id.endsWith('sshcrypto.node') ? '\0left-out' : null,
  load: (id) =>
    id === '\0left-out' ? 'export default class { constructor() { throw new Error("left out"); } }' : null,
};

export async function bundlePrograms(outDir, names) {
  await build({
    configFile: false,
    root: path.resolve(here, '../..'),
    mode: 'production',
    logLevel: 'error',
    publicDir: false,
    plugins: [withoutNative],
    ssr: { noExternal: true },
    define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      emptyOutDir: true,
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(names.map((name) => [name, path.join(here, `${name}.ts`)])),
        external: [/^node:/, ...builtinModules],
        output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  return Object.fromEntries(names.map((name) => [name, path.join(outDir, `${name}.mjs`)]));
}
