/** The source files of this project and what they import, as the parser of the bundler sees it. */
import fs from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';

export const root = path.resolve(import.meta.dirname, '../..');

export interface ImportEdge {
  /** importing file, relative to the checkout, with `/` */
  from: string;
  /** file of this project (relative) or a package, as written */
  to: string;
  isPackage: boolean;
  /** nothing of it is left at run time */
  isType: boolean;
  /** imported names; `*` for a whole module, `default` for its default */
  names: string[];
}

const skipped = new Set(['node_modules', 'out', 'dist', 'coverage', '.git', 'test-results']);

/** All files below a folder, relative to the checkout, with `/`. */
export function filesBelow(folder: string): string[] {
  const start = path.join(root, folder);
  if (!fs.existsSync(start)) return [];
  return fs
    .readdirSync(start, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .filter((file) => !file.split('/').some((part) => skipped.has(part)));
}

export function sourceFiles(...folders: string[]): string[] {
  return folders.flatMap(filesBelow).filter((file) => /\.(ts|tsx|mjs)$/.test(file));
}

export function readText(file: string): string {
  return fs.readFileSync(path.join(root, file), 'utf8');
}

/** Every import, export-from and import() of a file. */
export function importsOf(file: string): ImportEdge[] {
  const text = readText(file);
  const { module, errors } = parseSync(file, text, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const edge = (request: string, isType: boolean, names: string[]): ImportEdge => {
    const isPackage = !request.startsWith('.');
    return { from: file, to: isPackage ? request : resolveFrom(file, request), isPackage, isType, names };
  };
  const imports = module.staticImports.map(({ moduleRequest, entries }) =>
    edge(
      moduleRequest.value,
      entries.length > 0 && entries.every((entry) => entry.isType),
      entries.map(({ importName }) =>
        importName.kind === 'Name'
          ? (importName.name ?? '')
          : importName.kind === 'Default'
            ? 'default'
            : '*',
      ),
    ),
  );
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap((entry) =>
      entry.moduleRequest
        ? [edge(entry.moduleRequest.value, entry.isType, [entry.importName.name ?? '*'])]
        : [],
    ),
  );
  const later = module.dynamicImports.flatMap(({ moduleRequest }) => {
    const literal = /^(['"`])(.*)\1$/s.exec(text.slice(moduleRequest.start, moduleRequest.end));
    return literal?.[2] ? [edge(literal[2], false, ['*'])] : [];
  });
  return [...imports, ...exports, ...later];
}

function resolveFrom(file: string, request: string): string {
  return path.posix.normalize(path.posix.join(path.posix.dirname(file), request.replace(/\?.*$/, '')));
}

/** The package of an import: `mysql2` of `mysql2/promise`, `@scope/name` of `@scope/name/deep`. */
export function packageName(request: string): string {
  const parts = request.split('/');
  return request.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? request);
}
