import { randomUUID } from 'node:crypto';
import { PostroomError } from '../contract/errors.ts';
import type { FoundSite, GivenSecrets } from '../contract/look.ts';
import { hideSecrets } from '../contract/redact.ts';
import type { SecretName } from '../contract/secrets.ts';

/** ms without use after which found passwords are forgotten: long enough to fill in the rest of the form */
const keptMs = 15 * 60_000;

/**
 * Passwords that a look at the server's sites has read, for as long as a form may still want to save one (promise 12: the
 * window gets a key that stands for it). In memory only.
 */
export class FoundPasswords {
  private readonly passwords = new Map<string, string>();
  private timer: NodeJS.Timeout | null = null;

  /** The site as the window may see it, under a key of our own. Found anew, an older key of it still holds. */
  keep({ site, password }: { site: FoundSite; password: string | null }): FoundSite {
    const key = randomUUID();
    if (password !== null) {
      hideSecrets([password]);
      this.passwords.set(key, password);
      this.used();
    }
    return { ...site, key, database: { ...site.database, hasPassword: password !== null } };
  }

  /**
   * The secrets as text: found ones in place of their keys, those that were not given left out.
   * @throws PostroomError `secret` when a found one is forgotten already
   */
  resolve(given: GivenSecrets): Partial<Record<SecretName, string | null>> {
    const resolved: Partial<Record<SecretName, string | null>> = {};
    for (const [name, value] of Object.entries(given) as [SecretName, GivenSecrets['database.password']][]) {
      if (value === undefined) continue;
      resolved[name] = typeof value === 'object' && value !== null ? this.get(value.found) : value;
    }
    return resolved;
  }

  forget(): void {
    this.passwords.clear();
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private get(key: string): string {
    const password = this.passwords.get(key);
    if (password === undefined) {
      throw new PostroomError(
        'secret',
        'The password that was found on the server is forgotten by now. Find the shops once more, or type it.',
      );
    }
    this.used();
    return password;
  }

  private used(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.forget(), keptMs);
    this.timer.unref();
  }
}
