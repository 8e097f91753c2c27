// How each target is bundled. The oldest runtimes decide the syntax: Node 20 and Chromium 130 (Electron 33).
import { builtinModules } from 'node:module';
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { inRoot, root } from './lib/paths.mjs';
import { targets } from './lib/targets.mjs';

// libsql is a native module (N-API) and stays in node_modules; all else is bundled.
const external = ['electron', /^electron\//, 'libsql', /^node:/, ...builtinModules];

/**
 * ssh2 asks for two native helpers inside try/catch and does without them where they are missing. They are left
 * out everywhere, so that the bundle is the same on a machine with a compiler and on one without.
 */
const withoutNativeHelpers = {
  name: 'without-native-helpers',
  enforce: 'pre',
  resolveId: (id) => (id === 'cpu-features' || id.endsWith('sshcrypto.node') ? '\0left-out' : null),
  load: (id) =>
    id === '\0left-out' ? "throw new Error('native helper left out'); export default {};" : null,
};

/** Vite's inline configuration of one target. `outDir` may be another folder than the final one. */
export function viteConfig(
  name,
  { outDir = path.dirname(inRoot(targets[name].outFile)), development = false } = {},
) {
  const common = {
    configFile: false,
    mode: development ? 'development' : 'production',
    logLevel: 'warn',
    clearScreen: false,
  };
  return name === 'renderer' ? rendererConfig(common, outDir) : nodeConfig(common, name, outDir, development);
}

function rendererConfig(common, outDir) {
  return {
    ...common,
    root: inRoot('src-renderer'),
    base: './',
    plugins: [react()],
    build: { target: 'chrome130', outDir, emptyOutDir: true, chunkSizeWarningLimit: 4000 },
  };
}

function nodeConfig(common, name, outDir, development) {
  const { entry, outFile } = targets[name];
  return {
    ...common,
    root,
    publicDir: false,
    plugins: [withoutNativeHelpers],
    ssr: { noExternal: true },
    // bundled CommonJS packages ask for it; an ES module has another word
    define:
      name === 'preload' ? {} : { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
    build: {
      ssr: inRoot(entry), // resolves packages for Node, not for browsers
      target: 'node20',
      outDir,
      emptyOutDir: true,
      minify: false, // stack traces of a console must be readable
      sourcemap: development ? 'inline' : false,
      rolldownOptions: {
        external,
        output: {
          format: name === 'preload' ? 'cjs' : 'es',
          // A sandboxed preload must be one file. The others load what they need when they need it; their chunks lie
          // beside the entry, so that import.meta.dirname means the same in all of them.
          codeSplitting: name !== 'preload',
          chunkFileNames: '[name]-[hash].mjs',
          entryFileNames: path.basename(outFile),
          banner: name === 'cli' ? '#!/usr/bin/env node' : '',
        },
      },
    },
  };
}
