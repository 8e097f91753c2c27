import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { PostroomError } from '../contract/errors.ts';
import { type GuideStep, guideStep } from '../contract/guide.ts';
import { type Profile, readProfile } from '../contract/profile.ts';
import { profileId, type SecretName, secretNames } from '../contract/secrets.ts';

/** A small file of named values. */
export interface KeyValueFile {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  delete(key: string): void;
}

const entry = z.object({
  id: profileId,
  name: z.string(),
  demo: z.boolean().default(false),
  /** where its guide stands; null = it is set up. A step that this version does not know counts as set up. */
  guide: guideStep.nullable().catch(null),
  form: z.unknown(),
});
export type BookEntry = z.infer<typeof entry>;

const bounds = z.object({
  x: z.number().int().optional(),
  y: z.number().int().optional(),
  width: z.number().int().min(400).max(20_000),
  height: z.number().int().min(300).max(20_000),
});
/** Where the window was, in device-independent pixels. */
export type WindowBounds = z.infer<typeof bounds>;

/** Id of the demo shop's profile: there is one at most. */
export const demoProfileId = 'demo';

/** The profiles that this person has, in their order, without any secret; and what the app remembers of itself. */
export class ProfileBook {
  private readonly file: KeyValueFile;

  constructor(file: KeyValueFile) {
    this.file = file;
  }

  list(): BookEntry[] {
    const found = z.array(z.unknown()).safeParse(this.file.get('profiles'));
    if (!found.success) return [];
    return found.data.flatMap((item) => {
      const parsed = entry.safeParse(item);
      return parsed.success ? [parsed.data] : [];
    });
  }

  get(id: string): BookEntry {
    const found = this.list().find((one) => one.id === id);
    if (!found) throw new PostroomError('not-found', 'This shop is no longer in the list. Connect it again.');
    return found;
  }

  /** Adds or replaces a profile. `form` loses every secret that it may carry. */
  put(
    id: string | null,
    form: unknown,
    { demo = false, guide = null }: { demo?: boolean; guide?: GuideStep | null } = {},
  ): BookEntry {
    const clean = withoutSecrets(form);
    const name = (clean as { name?: unknown }).name;
    const made: BookEntry = {
      id: id ?? randomUUID(),
      name: typeof name === 'string' ? name : '',
      demo,
      guide,
      form: clean,
    };
    const all = this.list();
    const at = all.findIndex((one) => one.id === made.id);
    if (at === -1) all.push(made);
    else all[at] = made;
    this.file.set('profiles', all);
    return made;
  }

  /** Notes where the guide of a profile stands; null = it is done. */
  placeGuide(id: string, guide: GuideStep | null): void {
    const { form, demo } = this.get(id);
    this.put(id, form, { demo, guide });
  }

  remove(id: string): void {
    this.file.set(
      'profiles',
      this.list().filter((one) => one.id !== id),
    );
    if (this.last === id) this.last = null;
  }

  /** Profile that was shown last. */
  get last(): string | null {
    const id = profileId.safeParse(this.file.get('last'));
    return id.success && this.list().some((one) => one.id === id.data) ? id.data : null;
  }

  set last(id: string | null) {
    if (id === null) this.file.delete('last');
    else this.file.set('last', id);
  }

  /** Whether the person was told that closing the window leaves Postroom running. */
  get toldOfTray(): boolean {
    return this.file.get('toldOfTray') === true;
  }

  set toldOfTray(told: boolean) {
    this.file.set('toldOfTray', told);
  }

  get windowBounds(): WindowBounds | null {
    const found = bounds.safeParse(this.file.get('windowBounds'));
    return found.success ? found.data : null;
  }

  set windowBounds(value: WindowBounds | null) {
    if (value) this.file.set('windowBounds', value);
  }
}

/** A form without any secret, whoever put one into it. */
export function withoutSecrets(form: unknown): Record<string, unknown> {
  const copy = asObject(structuredClone(form));
  for (const name of secretNames) {
    const [group, field] = name.split('.') as [string, string];
    const part = copy[group];
    if (typeof part === 'object' && part !== null) delete (part as Record<string, unknown>)[field];
  }
  return copy;
}

/**
 * Form and secrets as the full profile that the engine takes.
 * @throws PostroomError `config`, naming each field that cannot be used.
 */
export function fullProfile(form: unknown, secrets: Partial<Record<SecretName, string>>): Profile {
  return readProfile(withSecrets(form, secrets), 'This connection');
}

/** A form with these secrets in their places, and no others. */
export function withSecrets(
  form: unknown,
  secrets: Partial<Record<SecretName, string>>,
): Record<string, unknown> {
  const copy = withoutSecrets(form);
  for (const name of secretNames) {
    const secret = secrets[name];
    if (secret === undefined) continue;
    const [group, field] = name.split('.') as [string, string];
    const part = copy[group];
    // a secret of a part that the form has not got (no SSH) is simply not needed
    if (typeof part === 'object' && part !== null) (part as Record<string, unknown>)[field] = secret;
  }
  return copy;
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
