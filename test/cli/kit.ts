/** The built command line program, run as a process of its own. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../..');
const program = path.join(root, 'out/cli/cli.mjs');

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  stdin?: string;
  cwd?: string;
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Ran>;
  /** resolves when stderr has the text */
  says(text: string): Promise<void>;
}

/** Builds the program where it is stale: a suite run alone must not test an older one. */
export async function builtCli(): Promise<void> {
  await promisify(execFile)(process.execPath, [path.join(root, 'scripts/build.mjs'), 'cli']);
}

export function startCli(args: readonly string[], { env = {}, stdin, cwd }: RunOptions = {}): Running {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: cwd ?? tmpdir(),
    env: { ...process.env, NO_COLOR: '', POSTROOM_DEBUG: '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ran: Ran = { code: null, stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  child.stdout.on('data', (part: Buffer) => {
    ran.stdout += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    ran.stderr += part.toString();
    for (const listener of listeners) listener();
  });
  child.stdin.on('error', () => {}); // it may end without reading
  child.stdin.end(stdin ?? '');
  const ended = new Promise<Ran>((resolve) => {
    child.on('close', (code) => resolve({ ...ran, code }));
  });
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!ran.stderr.includes(text)) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`it ended without saying "${text}": ${ran.stderr}`)));
    });
  return { child, ended, says };
}

export function runCli(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return startCli(args, options).ended;
}

export interface Folder {
  path: string;
  file(name: string, content: string | object): Promise<string>;
  remove(): Promise<void>;
}

export async function makeFolder(): Promise<Folder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'postroom-cli-'));
  return {
    path: folder,
    async file(name, content) {
      const place = path.join(folder, name);
      await writeFile(place, typeof content === 'string' ? content : JSON.stringify(content));
      return place;
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** A config with the embedded database. Port 1: nobody listens there. */
export function embeddedConfig(smtpPort = 1, more: object = {}): object {
  return {
    name: 'Test shop',
    database: { file: './shop.db' },
    smtp: { host: '127.0.0.1', port: smtpPort, security: 'none', connections: 3 },
    from: 'Test shop <shop@demo.example>',
    settings: { rate_per_minute: 60 },
    ...more,
  };
}

/** As a config file names a secret of the environment. */
export const fromEnv = (name: string): string => `\${ENV:${name}}`;

/** The lines of a text without the empty ones. */
export const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');
export const jsonLines = <T>(text: string): T[] => linesOf(text).map((line) => JSON.parse(line) as T);

/** What every error has to be: one line on stderr that begins with our name, nothing on stdout, no stack. */
export function faultsOfError({ stdout, stderr }: Ran): string[] {
  const faults: string[] = [];
  if (linesOf(stderr).length !== 1) faults.push(`not one line: ${stderr}`);
  if (!stderr.startsWith('postroom: ')) faults.push(`no name: ${stderr}`);
  if (/\n\s+at |node:internal|Error:/.test(stderr)) faults.push(`a stack: ${stderr}`);
  if (stdout !== '') faults.push(`data: ${stdout}`);
  return faults;
}
