#!/usr/bin/env node
// The part of fpm that electron-builder's deb target uses, on top of dpkg-deb. electron-builder takes it through
// CUSTOM_FPM_PATH on machines that cannot download fpm.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const { one, many, inputs } = readArguments(process.argv.slice(2));
if (one['-s'] !== 'dir' || one['-t'] !== 'deb')
  throw new Error(`only dir to deb, not ${one['-s']} to ${one['-t']}`);

const tree = fs.mkdtempSync(path.join(os.tmpdir(), 'fpm-deb-'));
try {
  for (const input of inputs) copyInto(tree, input);
  execFileSync('chmod', ['-R', 'u+rwX,go+rX,go-w', tree]);
  writeControl(
    path.join(tree, 'DEBIAN'),
    execFileSync('du', ['-sk', '--apparent-size', tree], { encoding: 'utf8' }),
  );
  const compression = (one['--deb-compression'] ?? 'xz').replace(/^gz$/, 'gzip');
  const level = process.env.FPM_DEB_LEVEL ? [`-z${process.env.FPM_DEB_LEVEL}`] : [];
  const build = [`-Z${compression}`, ...level, '--root-owner-group', '--build', tree, one['--package']];
  execFileSync('dpkg-deb', build, { stdio: 'inherit' });
} finally {
  fs.rmSync(tree, { recursive: true, force: true });
}

function readArguments(argv) {
  const read = { one: {}, many: { '-d': [], '--deb-recommends': [], '--deb-suggests': [] }, inputs: [] };
  while (argv.length > 0) {
    const arg = argv.shift();
    if (arg === '--force') continue;
    if (arg in read.many) read.many[arg].push(argv.shift());
    else if (arg.startsWith('-')) read.one[arg] = argv.shift();
    else read.inputs.push(arg);
  }
  return read;
}

/** `from/=/to` copies what is in a folder, `from=/to` the file itself. */
function copyInto(root, input) {
  const [source, to] = input.split('=');
  const isFolder = source.endsWith('/');
  const target = path.join(root, to);
  fs.mkdirSync(isFolder ? target : path.dirname(target), { recursive: true });
  execFileSync('cp', ['-a', '--reflink=auto', isFolder ? `${source}.` : source, target]);
}

function writeControl(folder, diskUsage) {
  fs.mkdirSync(folder);
  const [synopsis, ...long] = one['--description'].trim().split('\n');
  const fields = {
    Package: one['--name'],
    Version: one['--iteration'] ? `${one['--version']}-${one['--iteration']}` : one['--version'],
    License: one['--license'],
    Vendor: one['--vendor'],
    Architecture: one['--architecture'],
    Maintainer: one['--maintainer'],
    'Installed-Size': diskUsage.split('\t')[0],
    Depends: many['-d'].join(', '),
    Recommends: many['--deb-recommends'].join(', '),
    Suggests: many['--deb-suggests'].join(', '),
    Section: one['--category'] ?? 'default',
    Priority: one['--deb-priority'] ?? 'optional',
    Homepage: one['--url'],
    Description: [synopsis.trim(), ...long.map((line) => ` ${line.trim() || '.'}`)].join('\n'),
  };
  const lines = Object.entries(fields).flatMap(([key, value]) => (value ? [`${key}: ${value}\n`] : []));
  fs.writeFileSync(path.join(folder, 'control'), lines.join(''));
  const scripts = {
    preinst: '--before-install',
    postinst: '--after-install',
    prerm: '--before-remove',
    postrm: '--after-remove',
  };
  for (const [name, flag] of Object.entries(scripts)) {
    if (!one[flag]) continue;
    fs.copyFileSync(one[flag], path.join(folder, name));
    fs.chmodSync(path.join(folder, name), 0o755);
  }
}
