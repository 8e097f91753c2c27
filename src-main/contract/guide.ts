/** The guided way from nothing to a shop that drains: its steps, by which an unfinished profile is found again. */
import { z } from 'zod';

/** In their order. */
export const guideSteps = ['server', 'shop', 'mail', 'check', 'pace', 'tables', 'test', 'enable'] as const;
export const guideStep = z.enum(guideSteps);
export type GuideStep = z.infer<typeof guideStep>;

/** Whether a profile whose guide stands there is whole: what comes before the pace may still lack fields. */
export function isWhole(guide: GuideStep | null): boolean {
  return guide === null || guideSteps.indexOf(guide) >= guideSteps.indexOf('pace');
}
