import type { Field } from '../records/field.ts';
import { comparisonKey } from '../records/headers.ts';
import type { RecordKind } from '../records/record-kinds.ts';
import { neutralNames } from './presets/neutral-names.ts';

/**
 * Whether the name of a column means another field than `path`, so that it must not be proposed for it, however similar
 * the names are: with `memberOriginId` for `orderOriginId`, all purchases of a member would become one order.
 */
export function meansOther(column: string, path: string, kind: RecordKind): boolean {
  const key = comparisonKey(column);
  const paths = pathsOf(kind).get(key);
  return paths === undefined ? allKeys().has(key) : !paths.has(path);
}

/** Whether the name of a column consists of two known names, as if the delimiter between them were lost. */
export function isTwoNames(column: string, kind: RecordKind): boolean {
  const key = comparisonKey(column).replaceAll('"', '');
  const known = pathsOf(kind);
  return (
    !known.has(key) &&
    [...known.keys()].some((name) => key.startsWith(name) && known.has(key.slice(name.length)))
  );
}

/** The paths of the fields that a column may mean, by the comparison key of its name. */
type KnownPaths = ReadonlyMap<string, ReadonlySet<string>>;

const pathsOfFields = new WeakMap<readonly Field[], KnownPaths>();
let keysAnywhere: ReadonlySet<string> | undefined;

/** Cached, because every cell of the first rows of a file is looked up. */
function pathsOf({ name, fields }: RecordKind): KnownPaths {
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

/** The known column names of all kinds of records. */
function allKeys(): ReadonlySet<string> {
  keysAnywhere ??= new Set(
    Object.values(neutralNames).flatMap((names) => Object.values(names).flat(2).map(comparisonKey)),
  );
  return keysAnywhere;
}
