import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { FieldChanges } from '../steps/outcome.ts';
import { isSame } from './differences.ts';

/** A field that an update of a kind of record can write; `S` is a record as the service shows it. */
export interface Field<S> {
  /** As an update names it. */
  readonly name: string;
  /** Its value, as an update names it; null if there is none. */
  readonly read: (shown: S) => Json;
  /** A value as an update takes it; undefined if no update takes it. */
  readonly write: (value: Json) => Json | undefined;
  /** Whether the service shows a value that may be sent along with others; every value may unless given. */
  readonly isKept?: (shown: S) => boolean;
  /** Whether the service may show a value of its own for what it was sent. */
  readonly isCopied?: boolean;
}

/** All fields of a kind, in the order of a body. */
export type Fields<S> = readonly Field<S>[];

/** Values by the names of fields; undefined for what is to be left alone. */
type Wanted = Readonly<Record<string, Json | undefined>>;

/** The fields whose wanted values the service does not show, from what to what. */
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
 * What an update sends to make `changes`. Where it would put the fields it leaves out back to their defaults
 * (assumption `defaultsOnUpdate`), it has these fields, too, as the service shows them.
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

/** What becomes of the fields that a run changed. Those that have their earlier values already are in neither list. */
export interface UndoneFields {
  /** Fields that are as they were sent, from what they are to what they were. */
  readonly changes: FieldChanges;
  /** Fields that are left alone, each with the reason. */
  readonly leftAlone: ReadonlyMap<string, string>;
}

/**
 * Decides field by field what is written back to a record that a run changed and the service shows now. `isTaken`: the
 * service is known to have taken this value of a field, whatever it shows for it.
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

/** Why an update cannot bring back the earlier value of a field that is as it was sent; undefined where it can. */
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
  // An update replaces an object as a whole, and so takes out parts; that {} takes out all of them is not documented.
  const wasEmpty = from === null || (isJsonObject(from) && Object.keys(from).length === 0);
  if (wasEmpty) return 'an update cannot empty it';
  return write(from) === undefined ? 'an update does not take the earlier value' : undefined;
}

function inWords(name: string, { from, to }: FieldChanges[string]): string {
  return `${name} was ${JSON.stringify(from)}, the run sent ${JSON.stringify(to)}`;
}
