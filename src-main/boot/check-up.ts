/** The doctor's word before a shop is enabled: with a red step its customers' mail would wait for nothing. */
import type { DoctorStep } from '../contract/desk.ts';
import { PostroomError } from '../contract/errors.ts';

/** ms for which a look without a red step is believed: long enough to read it and press the button */
const freshMs = 60_000;

export class CheckUp {
  private last: { at: number; steps: DoctorStep[] } | null = null;
  private readonly examine: (onStep?: (step: DoctorStep) => void) => Promise<DoctorStep[]>;

  constructor(examine: (onStep?: (step: DoctorStep) => void) => Promise<DoctorStep[]>) {
    this.examine = examine;
  }

  async run(onStep?: (step: DoctorStep) => void): Promise<DoctorStep[]> {
    const steps = await this.examine(onStep);
    this.last = { at: performance.now(), steps };
    return steps;
  }

  /** @throws PostroomError `unreachable` (as `doctor` answers a red step) that names the first one and what to do */
  async demandGood(): Promise<void> {
    const known = this.last && performance.now() - this.last.at < freshMs ? this.last.steps : null;
    const steps = known && !firstRed(known) ? known : await this.run();
    const red = firstRed(steps);
    if (!red) return;
    throw new PostroomError(
      'unreachable',
      `It was not enabled, since mail could not leave: "${red.title}" is not in order. ${red.found} ${red.advice ?? ''}`.trim(),
    );
  }
}

const firstRed = (steps: readonly DoctorStep[]) => steps.find(({ color }) => color === 'red');
