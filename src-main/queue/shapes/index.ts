/** The shapes that a shop's own queue table may have. A fifth is one file and one line here. */
import type { ShapeName } from '../../contract/profile.ts';
import { emailJobs } from './email-jobs.ts';
import { jobs } from './jobs.ts';
import type { Shape } from './shape.ts';
import { wpEmailQueue } from './wp-email-queue.ts';

export const shapes: readonly Shape[] = [wpEmailQueue, jobs, emailJobs];

/** The shape of that name; null for our own tables, which need none. */
export function shapeNamed(name: ShapeName): Shape | null {
  return shapes.find((shape) => shape.name === name) ?? null;
}
