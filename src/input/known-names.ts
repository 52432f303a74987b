import { comparisonKey } from './headers.ts';
import { neutralNames } from './presets/neutral-names.ts';
import type { RecordKind } from './record-kinds.ts';

/**
 * Whether a column goes by a name that is known to mean another field than `path`: it must not be proposed for it, however alike
 * the names look. `memberOriginId` in the place of `orderOriginId` would make one order of all that a member has bought.
 */
export function meansOther<T>(column: string, path: string, { name, fields }: RecordKind<T>): boolean {
  const key = comparisonKey(column);
  const own = fields.filter((field) => comparisonKey(field.path) === key).map((field) => field.path);
  const known = [...own, ...pathsNamed(key, neutralNames[name])];
  if (known.length > 0) return !known.includes(path);
  return Object.values(neutralNames).some((names) => pathsNamed(key, names).length > 0);
}

function pathsNamed(key: string, names: (typeof neutralNames)[keyof typeof neutralNames]): readonly string[] {
  return Object.entries(names)
    .filter(([, columns]) => columns.flat().some((column) => comparisonKey(column) === key))
    .map(([path]) => path);
}
