/** Reading a config file: JSON, secrets from the environment, paths of this machine. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { PostroomError } from '../contract/errors.ts';
import {
  isFileDatabase,
  type Profile,
  profileParts,
  readProfile,
  readProfilePart,
  type SomeParts,
  type SshLogin,
} from '../contract/profile.ts';
import { jsonFault } from './json-place.ts';

/**
 * The profile that a config file describes (DESIGN section 6).
 * @throws PostroomError `usage` without a file name, `config` when it cannot be used
 */
export async function readConfig(file: string | undefined, env: NodeJS.ProcessEnv): Promise<Profile> {
  const place = placeOf(file);
  return profileFrom(await readText(place), place, env);
}

function placeOf(file: string | undefined): string {
  if (!file) throw new PostroomError('usage', 'Which shop? Name its config file: --config FILE');
  return path.resolve(withHome(file));
}

async function readText(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/^\ufeff/, '');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why =
      code === 'ENOENT'
        ? 'is not there'
        : code === 'EISDIR'
          ? 'is a folder'
          : code === 'EACCES' || code === 'EPERM'
            ? 'may not be read by this user'
            : 'cannot be read';
    throw new PostroomError('config', `The config file ${file} ${why}.`, { cause: error });
  }
}

/**
 * The SSH login of a config file that need not say anything else yet.
 * @throws PostroomError `usage` | `config`, also when it has none
 */
export async function readSshLogin(file: string | undefined, env: NodeJS.ProcessEnv): Promise<SshLogin> {
  if (!file)
    throw new PostroomError('usage', 'Which server? Name a config file with an ssh part: --config FILE');
  const place = path.resolve(withHome(file));
  const whole = filledFrom(await readText(place), place, env);
  const part =
    typeof whole === 'object' && whole !== null ? { ssh: (whole as { ssh?: unknown }).ssh } : whole;
  const { ssh } = readProfilePart(profileParts.ssh, part, place);
  if (!ssh) throw new PostroomError('config', `${place} has no ssh part: shops are found through SSH.`);
  return localLogin(ssh, path.dirname(place));
}

/**
 * The parts of a config file that lead to the shop's server; database and files only where it names them.
 * @throws PostroomError `usage` | `config`
 */
export async function readServerParts(file: string | undefined, env: NodeJS.ProcessEnv): Promise<SomeParts> {
  const place = placeOf(file);
  const whole = filledFrom(await readText(place), place, env);
  const given: Record<string, unknown> = typeof whole === 'object' && whole !== null ? { ...whole } : {};
  const { ssh } = readProfilePart(profileParts.ssh, given, place);
  return {
    ssh: ssh && localLogin(ssh, path.dirname(place)),
    ...(given['database'] === undefined ? {} : readProfilePart(profileParts.queue, given, place)),
    ...(given['files'] === undefined ? {} : readProfilePart(profileParts.files, given, place)),
  };
}

/** The profile in a text. `file` is where it stands: relative paths in it start from its folder. */
export function profileFrom(text: string, file: string, env: NodeJS.ProcessEnv): Profile {
  return withPaths(readProfile(filledFrom(text, file, env), file), path.dirname(file));
}

/** The JSON of a config file with its secrets in place. */
function filledFrom(text: string, file: string, env: NodeJS.ProcessEnv): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new PostroomError('config', `${file} is no valid JSON: look at ${jsonFault(text)}.`);
  }
  const missing: string[] = [];
  const filled = substitute(json, env, [], missing);
  if (missing.length > 0) {
    throw new PostroomError('config', `${file} cannot be used: ${missing.slice(0, 4).join('; ')}.`);
  }
  return filled;
}

const variable = /\$\{ENV:([^}]*)\}/g;

/** `${ENV:NAME}` in every string, after the JSON was parsed: a quote in a password breaks nothing. */
function substitute(value: unknown, env: NodeJS.ProcessEnv, at: string[], missing: string[]): unknown {
  if (typeof value === 'string') {
    return value.replace(variable, (_, name: string) => {
      const found = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? env[name] : undefined;
      if (found === undefined)
        missing.push(`the environment variable ${name || '(no name)'} is not set (for ${at.join('.')})`);
      return found ?? '';
    });
  }
  if (Array.isArray(value))
    return value.map((item, index) => substitute(item, env, [...at, String(index)], missing));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, substitute(item, env, [...at, name], missing)]),
    );
  }
  return value;
}

/** A leading `~` is the home folder. */
export function withHome(text: string): string {
  return /^~(?=$|[\\/])/.test(text) ? path.join(homedir(), text.slice(1)) : text;
}

function localLogin(ssh: SshLogin, folder: string): SshLogin {
  const { privateKeyFile } = ssh;
  return privateKeyFile ? { ...ssh, privateKeyFile: path.resolve(folder, withHome(privateKeyFile)) } : ssh;
}

/** Paths of this machine made absolute; those of the shop's server stay as they are. */
function withPaths(profile: Profile, folder: string): Profile {
  const local = (text: string) => path.resolve(folder, withHome(text));
  const { database, ssh, files, smtp } = profile;
  return {
    ...profile,
    database: isFileDatabase(database) ? { ...database, file: local(database.file) } : database,
    ssh: ssh && localLogin(ssh, folder),
    files: files?.via === 'local' ? { ...files, root: local(files.root) } : files,
    smtp: smtp.ca ? { ...smtp, ca: local(smtp.ca) } : smtp,
  };
}
