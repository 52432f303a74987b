import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { FieldChanges } from '../steps/outcome.ts';
import { isSame } from './differences.ts';

/** A field that an update of one kind of record can write; `S` is a record as the service shows it. */
export interface Field<S> {
  /** The name of the field in an update. */
  readonly name: string;
  /** The shown value in the form of an update; null if there is none. */
  readonly read: (shown: S) => Json;
  /** Converts a value to the form of an update; undefined if updates do not accept it. */
  readonly write: (value: Json) => Json | undefined;
  /** True if the shown value may be sent along with other changes. Without it, every value may. */
  readonly isKept?: (shown: S) => boolean;
  /** True if the service may replace the sent value by one of its own. */
  readonly isCopied?: boolean;
}

/** All fields of a kind, in the order of a body. */
export type Fields<S> = readonly Field<S>[];

/** Values by field name; undefined leaves a field alone. */
type Wanted = Readonly<Record<string, Json | undefined>>;

/** The changes from shown to wanted values, without equal ones. */
export function changesOf<S>(fields: Fields<S>, wanted: Wanted, shown: S): FieldChanges {
  const changes: Record<string, FieldChanges[string]> = {};
  for (const { name, read } of fields) {
    const { [name]: to } = wanted;
    if (to === undefined) continue;
    const from = read(shown);
    if (!isSame(name, to, from)) changes[name] = { from, to };
  }
  return changes;
}

/**
 * The body of an update that makes `changes`. If an update resets omitted fields to their defaults (assumption
 * `defaultsOnUpdate`), also includes these fields with their shown values.
 */
export function updateOf<S>(
  fields: Fields<S>,
  changes: FieldChanges,
  shown: S,
  { defaultsOnUpdate }: Pick<Assumptions, 'defaultsOnUpdate'>,
): JsonObject {
  const body: Record<string, Json> = {};
  for (const { name, read, write, isKept = () => true } of fields) {
    const { [name]: change } = changes;
    const kept = defaultsOnUpdate === 'apply' && isKept(shown) ? write(read(shown)) : undefined;
    const value = change === undefined ? kept : (write(change.to) ?? change.to);
    if (value !== undefined) body[name] = value;
  }
  return body;
}

/** The fields of a run to undo. Fields that already have their earlier values are in neither list. */
export interface UndoneFields {
  /** Fields that still have the sent value, with the change back to the earlier one. */
  readonly changes: FieldChanges;
  /** Fields that are left alone, each with the reason. */
  readonly leftAlone: ReadonlyMap<string, string>;
}

/**
 * Decides field by field which earlier values to restore to a record that a run changed. `isTaken` returns true if the
 * service is known to have accepted this value, even if it shows another one.
 */
export function undoneFields<S>(
  fields: Fields<S>,
  sent: FieldChanges,
  shown: S,
  isTaken: (value: Json) => boolean = () => false,
): UndoneFields {
  const changes: Record<string, FieldChanges[string]> = {};
  const leftAlone = new Map<string, string>();
  for (const field of fields) {
    const { name, isCopied = false } = field;
    const { [name]: change } = sent;
    if (change === undefined) continue;
    const { from, to } = change;
    const now = field.read(shown);
    const isCopy = isCopied && now !== null && isTaken(to);
    if (!isCopy && isSame(name, now, from)) continue;
    const isAsSent = isCopy || isSame(name, now, to);
    const obstacle = isAsSent ? obstacleTo(field, change, now) : `the service has ${JSON.stringify(now)} now`;
    if (obstacle === undefined) changes[name] = { from: now, to: from };
    else leftAlone.set(name, `${inWords(name, change)}, and ${obstacle}`);
  }
  return { changes, leftAlone };
}

/** The reason why an update cannot restore the earlier value of an unchanged field; undefined if it can. */
function obstacleTo<S>(
  { name, write, isCopied = false }: Field<S>,
  { from, to }: FieldChanges[string],
  now: Json,
): string | undefined {
  if (isCopied && !isSame(name, now, to))
    return (
      `the service shows it under its own address ${JSON.stringify(now)}, so no address of the ` +
      'earlier image is known'
    );
  // An update replaces whole objects and so removes parts, but {} is not documented to remove all of them.
  const wasEmpty = from === null || (isJsonObject(from) && Object.keys(from).length === 0);
  if (wasEmpty) return 'an update cannot empty it';
  return write(from) === undefined ? 'an update does not take the earlier value' : undefined;
}

function inWords(name: string, { from, to }: FieldChanges[string]): string {
  return `${name} was ${JSON.stringify(from)}, the run sent ${JSON.stringify(to)}`;
}
