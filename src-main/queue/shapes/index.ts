/** The shapes that a shop's own queue table may have. A fifth is one file and one line here. */
import type { ShapeName } from '../../contract/profile.ts';
import type { Shape } from './shape.ts';

const shapes: readonly Shape[] = [];

/** The shape of that name; null for our own tables, which need none. */
export function shapeNamed(name: ShapeName): Shape | null {
  return shapes.find((shape) => shape.name === name) ?? null;
}
