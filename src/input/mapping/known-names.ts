import type { Field } from '../records/field.ts';
import { comparisonKey } from '../records/headers.ts';
import type { RecordKind } from '../records/record-kinds.ts';
import { neutralNames } from './presets/neutral-names.ts';

/**
 * Whether a column goes by a name that is known to mean another field than `path`: it must not be proposed for it, however alike
 * the names look. `memberOriginId` in the place of `orderOriginId` would make one order of all that a member has bought.
 */
export function meansOther<T>(column: string, path: string, kind: RecordKind<T>): boolean {
  const key = comparisonKey(column);
  const paths = pathsOf(kind).get(key);
  return paths === undefined ? allKeys().has(key) : !paths.has(path);
}

/** Whether a column is called by two known names in one, as where the delimiter between them is lost. */
export function isTwoNames<T>(column: string, kind: RecordKind<T>): boolean {
  const key = comparisonKey(column).replaceAll('"', '');
  const known = pathsOf(kind);
  return (
    !known.has(key) &&
    [...known.keys()].some((name) => key.startsWith(name) && known.has(key.slice(name.length)))
  );
}

/** By the key of a column, the fields it is known to mean. */
type KnownPaths = ReadonlyMap<string, ReadonlySet<string>>;

const pathsOfFields = new WeakMap<readonly Field[], KnownPaths>();
let keysAnywhere: ReadonlySet<string> | undefined;

/** Made once: every column of each of the first rows of a file is looked up here. */
function pathsOf<T>({ name, fields }: RecordKind<T>): KnownPaths {
  const made = pathsOfFields.get(fields);
  if (made !== undefined) return made;
  const paths = new Map<string, Set<string>>();
  const add = (column: string, path: string) => {
    const key = comparisonKey(column);
    paths.set(key, (paths.get(key) ?? new Set()).add(path));
  };
  for (const { path, isServiceId } of fields) if (!isServiceId) add(path, path);
  for (const [path, columns] of Object.entries(neutralNames[name])) {
    for (const column of columns.flat()) add(column, path);
  }
  pathsOfFields.set(fields, paths);
  return paths;
}

/** What columns of any kind of record are called. */
function allKeys(): ReadonlySet<string> {
  keysAnywhere ??= new Set(
    Object.values(neutralNames).flatMap((names) => Object.values(names).flat(2).map(comparisonKey)),
  );
  return keysAnywhere;
}
