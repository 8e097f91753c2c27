import type { DoctorStep } from '../contract/desk.ts';
import { PostroomError } from '../contract/errors.ts';
import type { FoundSite, FoundTable, LookDraft, LookPart, LookProgress } from '../contract/look.ts';
import { profileParts, readProfile, readProfilePart, type SomeParts } from '../contract/profile.ts';
import { hideSecrets } from '../contract/redact.ts';
import type { SecretName } from '../contract/secrets.ts';
import { withSecrets } from '../settings/book.ts';
import type { Vault } from '../settings/vault.ts';
import type { Boot } from './boot-door.ts';
import type { FoundPasswords } from './found-passwords.ts';

const source = 'This connection';

interface Tools {
  vault: Vault;
  found: FoundPasswords;
  loadBoot: () => Promise<Boot>;
  tell: (told: { look: string; progress: LookProgress }) => void;
}

interface Running {
  id: string;
  stop: AbortController;
}

/** Looks around for a form that need not be saved, nor whole. The window has one at a time: another one stops it. */
export class Looks {
  private running: Running | null = null;

  private readonly tools: Tools;

  constructor(tools: Tools) {
    this.tools = tools;
  }

  tables(id: string, draft: LookDraft): Promise<FoundTable[]> {
    return this.run(id, draft, async (form, options) => {
      const { findTables } = await this.tools.loadBoot();
      const { ssh } = readProfilePart(profileParts.ssh, form, source);
      const { database } = readProfilePart(profileParts.database, form, source);
      return findTables({ ssh, database }, options);
    });
  }

  /** The passwords that it finds stay here; the window gets keys that stand for them. */
  sites(id: string, draft: LookDraft): Promise<FoundSite[]> {
    return this.run(id, draft, async (form, { signal, onProgress }) => {
      const { findSites } = await this.tools.loadBoot();
      const { ssh } = readProfilePart(profileParts.ssh, form, source);
      if (!ssh)
        throw new PostroomError('config', 'Shops are found through SSH: switch it on and fill it in.');
      const sites = await findSites(ssh, { signal, onProgress: (words) => onProgress({ words }) });
      // a look that was stopped meanwhile must not leave passwords behind
      if (signal.aborted) throw stopped();
      return sites.map((site) => this.tools.found.keep(site));
    });
  }

  doctor(id: string, draft: LookDraft, part: LookPart): Promise<DoctorStep[]> {
    return this.run(id, draft, async (form, options) => {
      const { examineParts } = await this.tools.loadBoot();
      return examineParts(partsOf(form, part), options);
    });
  }

  /** Stops the look of that name; fine when it has ended already. */
  stop(id: string): undefined {
    if (this.running?.id === id) this.stopAll();
    return undefined;
  }

  stopAll(): void {
    this.running?.stop.abort();
    this.running = null;
  }

  private async run<T>(
    id: string,
    draft: LookDraft,
    look: (
      form: Record<string, unknown>,
      options: { signal: AbortSignal; onProgress: (progress: LookProgress) => void },
    ) => Promise<T>,
  ): Promise<T> {
    this.stopAll();
    const stop = new AbortController();
    const mine: Running = { id, stop };
    this.running = mine;
    const { signal } = stop;
    try {
      const form = await this.form(draft);
      if (signal.aborted) throw stopped();
      const onProgress = (progress: LookProgress) => {
        if (!signal.aborted) this.tools.tell({ look: id, progress });
      };
      return await look(form, { signal, onProgress });
    } catch (error) {
      // whatever broke while the connections were being cut, it broke because of that
      throw signal.aborted ? stopped() : error;
    } finally {
      if (this.running === mine) this.running = null;
    }
  }

  /** The form with every secret that can be had: those typed or found first, then those kept for its profile. */
  private async form({ profile, form, secrets }: LookDraft): Promise<Record<string, unknown>> {
    const given = this.tools.found.resolve(secrets);
    const kept = profile === null ? {} : (await this.tools.vault.readable(profile)).opened;
    const all: Partial<Record<SecretName, string>> = { ...kept };
    for (const [name, secret] of Object.entries(given) as [SecretName, string | null][]) {
      if (secret) all[name] = secret;
      else delete all[name];
    }
    hideSecrets(Object.values(all));
    return withSecrets(form, all);
  }
}

/** What a look at one part needs of a form: its own fields, and the login when its way leads through it. */
function partsOf(form: Record<string, unknown>, part: LookPart): SomeParts {
  const login = () => readProfilePart(profileParts.ssh, form, source);
  switch (part) {
    case 'ssh': {
      const { ssh } = login();
      if (!ssh) throw new PostroomError('config', 'This connection uses no SSH.');
      return { ssh };
    }
    case 'database':
      return { ...login(), ...readProfilePart(profileParts.queue, form, source) };
    case 'files': {
      const { files } = readProfilePart(profileParts.files, form, source);
      return { ssh: files?.via === 'sftp' ? login().ssh : null, files };
    }
    case 'mail': {
      const { smtp } = readProfilePart(profileParts.smtp, form, source);
      const from = form['from'];
      return {
        ssh: smtp.via === 'tunnel' ? login().ssh : null,
        smtp,
        ...(typeof from === 'string' ? { from } : {}),
      };
    }
    case 'all':
      return readProfile(form, source);
  }
}

const stopped = () => new PostroomError('stopped', 'The look was stopped.');
