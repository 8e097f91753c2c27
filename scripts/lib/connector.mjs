// The shop connector as a folder of files: what is made of its sources (languages, manifest), and whether it is current.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { countOfPhp, readPo, stringsOfPhp, writeMo, writePo } from './gettext.mjs';
import { inRoot } from './paths.mjs';

const connector = inRoot('assets', 'shop-connector');
const languages = path.join(connector, 'postroom-connector', 'languages');
const domain = 'postroom-connector';

/** Names of files below a folder, sorted, with `/` whatever the system. */
function filesBelow(folder) {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      path
        .relative(folder, path.join(entry.parentPath ?? entry.path, entry.name))
        .split(path.sep)
        .join('/'),
    )
    .sort();
}

/** What is copied into a shop's mu-plugins: the stub and the folder, nothing else of assets/shop-connector. */
export function connectorFiles() {
  return filesBelow(connector).filter((name) => name === `${domain}.php` || name.startsWith(`${domain}/`));
}

export function connectorVersion() {
  const read = (name, pattern) => pattern.exec(fs.readFileSync(path.join(connector, name), 'utf8'))?.[1];
  const stub = read(`${domain}.php`, /^ \* Version: (\S+)$/m);
  const folder = read(`${domain}/load.php`, /^const VERSION = '([^']+)';$/m);
  if (!stub || stub !== folder)
    throw new Error(`the connector's versions differ: ${stub} in the stub, ${folder} in load.php`);
  return stub;
}

/** The files that are made: `[[name below assets/shop-connector, bytes], ...]`. Throws when a translation lacks. */
export function madeLanguages() {
  const sources = filesBelow(connector)
    .filter((name) => name.endsWith('.php'))
    .map((name) => [name, fs.readFileSync(path.join(connector, name), 'utf8')]);
  const strings = stringsOfPhp(sources);
  const asked = countOfPhp(sources);
  const read = sources.reduce((sum, source) => sum + stringsOfPhp([source]).length, 0);
  if (read !== asked) throw new Error(`${asked} strings are asked for in PHP, ${read} were found`);
  const header = (more) => [
    `Project-Id-Version: Postroom connector ${connectorVersion()}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=UTF-8',
    'Content-Transfer-Encoding: 8bit',
    ...more,
    `X-Domain: ${domain}`,
  ];
  const made = [[`${domain}/languages/${domain}.pot`, Buffer.from(writePo(header([]), strings))]];
  for (const name of fs.readdirSync(languages).filter((one) => one.endsWith('.po'))) {
    const language = name.slice(domain.length + 1, -3);
    const there = readPo(fs.readFileSync(path.join(languages, name), 'utf8'));
    const forms = /^Plural-Forms: (nplurals=(\d).*)$/m.exec(there.get('')?.text[0] ?? '');
    if (!forms) throw new Error(`${name} does not say its Plural-Forms`);
    const entries = strings.map((string) => ({ ...string, text: there.get(string.id)?.text ?? [] }));
    const lacking = entries.filter(
      ({ plural, text }) => text.filter(Boolean).length !== (plural === null ? 1 : Number(forms[2])),
    );
    if (lacking.length > 0) throw new Error(`${name} lacks: ${lacking.map(({ id }) => id).join(' | ')}`);
    const head = header([`Language: ${language}`, `Plural-Forms: ${forms[1]}`]);
    made.push([`${domain}/languages/${name}`, Buffer.from(writePo(head, entries))]);
    const top = { id: '', plural: null, text: [head.map((line) => `${line}\n`).join('')] };
    made.push([`${domain}/languages/${name.slice(0, -3)}.mo`, writeMo([top, ...entries])]);
  }
  return made;
}

/** `{ version, files: [{ name, size, sha256 }] }`: what an installer copies and what it checks by reading back. */
export function madeManifest() {
  const files = connectorFiles().map((name) => {
    const bytes = fs.readFileSync(path.join(connector, name));
    return { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  return Buffer.from(`${JSON.stringify({ version: connectorVersion(), php: '8.2', files }, null, 2)}\n`);
}

export const manifestName = 'manifest.json';
export const inConnector = (name) => path.join(connector, name);
