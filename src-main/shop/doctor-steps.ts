import type { DoctorStep } from '../contract/desk.ts';
import { type ErrorCode, PostroomError, toWireError } from '../contract/errors.ts';

/** What a step found. A step that throws is red, in the error's words. */
export interface Finding {
  color: 'green' | 'amber' | 'red' | 'grey';
  found: string;
  advice?: string;
}

/** What to do when a step failed with an error of this kind, where the error's own words do not say it. */
const advice: Partial<Record<ErrorCode, string>> = {
  unreachable: 'Check the address and that this machine is online, then look again.',
  login: 'Correct user, password or key in the profile, then look again.',
  'host-key':
    'Compare the fingerprint with the one the host states; only when they are the same, put it into the profile.',
  rights: 'Ask the host to allow it.',
  schema: 'Install the tables: "Install the tables" in Settings, or postroom schema --apply.',
  config: 'Correct the profile, then look again.',
  disk: 'Make room on the disk, or correct the folder’s rights.',
  busy: 'End the other Postroom that uses it.',
};

/** Runs steps in order, times them, and leaves out what an earlier red one makes pointless. */
export class Steps {
  readonly done: DoctorStep[] = [];
  readonly #onStep: ((step: DoctorStep) => void) | undefined;

  readonly #signal: AbortSignal | undefined;

  constructor(onStep?: (step: DoctorStep) => void, signal?: AbortSignal) {
    this.#onStep = onStep;
    this.#signal = signal;
  }

  /**
   * @param needs ids of steps without which this one cannot be looked at; ids that were never run count as fine
   * @throws PostroomError `stopped`: what a step finds while its connections are being cut says nothing
   */
  async run(
    id: string,
    title: string,
    needs: readonly string[],
    look: () => Promise<Finding>,
  ): Promise<void> {
    this.#goOn();
    const lacking = this.done.find(
      (step) => needs.includes(step.id) && (step.color === 'red' || step.color === 'grey'),
    );
    if (lacking)
      return this.#add({
        id,
        title,
        color: 'grey',
        ms: 0,
        found: `Not looked at: it needs "${lacking.title}".`,
        advice: null,
      });
    const since = performance.now();
    let finding: Finding;
    try {
      finding = await look();
    } catch (error) {
      finding = fromError(error);
    }
    this.#goOn();
    const ms = Math.round(performance.now() - since);
    this.#add({
      id,
      title,
      color: finding.color,
      ms,
      found: finding.found,
      advice: finding.color === 'green' ? null : (finding.advice ?? null),
    });
  }

  #goOn(): void {
    if (this.#signal?.aborted) throw new PostroomError('stopped', 'The look was stopped.');
  }

  #add(step: DoctorStep): void {
    this.done.push(step);
    this.#onStep?.(step);
  }
}

/** What a look finds, or, where it fails, red with this advice in place of the usual one. */
export async function redirect(look: () => Promise<Finding>, advice: string): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    return { ...fromError(error), advice };
  }
}

/** A thrown error as a red finding. */
export function fromError(error: unknown): Finding {
  const { code, message } = toWireError(error);
  const found =
    error instanceof PostroomError
      ? message
      : `It failed: ${error instanceof Error ? error.message : String(error)}`;
  return {
    color: 'red',
    found,
    advice: advice[code] ?? 'Look into the log for more, and tell the host the words above.',
  };
}
