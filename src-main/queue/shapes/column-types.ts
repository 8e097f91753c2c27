/** What a column's type says of what it holds. */
import type { ShapeName } from '../../contract/profile.ts';

/** `bigint(20) unsigned`, `INTEGER`, `decimal(10,2)`; not `enum(...)`, `point` */
export const isNumber = (type: string): boolean =>
  /\b(?:tiny|small|medium|big)?int(?:eger|\d)?\b|\b(?:dec|decimal|numeric|float|double|real)\b/i.test(
    type.split('(')[0] ?? '',
  );

/** Why a table with a time column of this type cannot be drained; null where it can. */
export function refuseTime(shape: ShapeName, column: string, type: string): string | null {
  if (!isNumber(type)) return null;
  return `${column} keeps its times as numbers (${type.toLowerCase()}), as Laravel's own queue does; the ${shape} shape has DATETIME or TIMESTAMP. Such a table is left to its own worker.`;
}
