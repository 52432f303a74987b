import type { Json, JsonObject } from '../../base/json.ts';
import type { UndoRecord } from '../../store/runs/undo-log.ts';
import { type FieldChanges, outcomeOf, type PushOutcome, type RecordPlace } from '../steps/outcome.ts';

/** The values of a field: before the run, as the run sent it, and as the service has it now. */
export interface FieldValues {
  readonly from: Json;
  readonly to: Json;
  readonly now: Json;
}

/** How the fields of a kind of record are compared and written. */
interface FieldRules {
  /** Which value a field has, as far as the service shows that. */
  readonly stateOf: (field: string, values: FieldValues) => 'as-sent' | 'as-before' | 'other';
  /** Why an update cannot bring back the earlier value of a field that is as it was sent; undefined where it can. */
  readonly obstacleTo: (field: string, values: FieldValues) => string | undefined;
}

/** The state of fields whose values are compared by `isSame`. */
export function stateBy(isSame: (field: string, one: Json, other: Json) => boolean): FieldRules['stateOf'] {
  return (field, { from, to, now }) => {
    if (isSame(field, now, from)) return 'as-before';
    return isSame(field, now, to) ? 'as-sent' : 'other';
  };
}

/** What becomes of the fields that a run changed. Those that have their earlier values already are in neither list. */
interface UndoneFields {
  /** Fields that are as they were sent, from what they are to what they were. */
  readonly changes: FieldChanges;
  /** Fields that are left alone, each with the reason. */
  readonly leftAlone: ReadonlyMap<string, string>;
}

/** Decides field by field what is written back to a record of which the service `has` these values. */
export function undoneFields(
  sent: FieldChanges,
  has: Readonly<Record<string, Json>>,
  { stateOf, obstacleTo }: FieldRules,
): UndoneFields {
  const changes: Record<string, FieldChanges[string]> = {};
  const leftAlone = new Map<string, string>();
  for (const [field, { from, to }] of Object.entries(sent)) {
    const values = { from, to, now: has[field] ?? null };
    const state = stateOf(field, values);
    if (state === 'as-before') continue;
    const isOther = state === 'other';
    const obstacle = isOther
      ? `the service has ${JSON.stringify(values.now)} now`
      : obstacleTo(field, values);
    if (obstacle === undefined) changes[field] = { from: values.now, to: from };
    else leftAlone.set(field, `${inWords(field, values)}, and ${obstacle}`);
  }
  return { changes, leftAlone };
}

function inWords(field: string, { from, to }: FieldValues): string {
  return `${field} was ${JSON.stringify(from)}, the run sent ${JSON.stringify(to)}`;
}

/** What is to be written, by field. */
export function writtenValues(changes: FieldChanges): JsonObject {
  return Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, to]));
}

/** Why a value cannot be part of an update. */
export function unwritable(value: Json): string {
  return value === null ? 'an update cannot empty it' : 'an update does not take the earlier value';
}

/** A record that a run wrote, as outcomes name it. */
export function placeOf({ file, line, originId }: UndoRecord): RecordPlace {
  return { file, line, originId };
}

/** The outcome of a record of which some fields are written back: it is rejected where any is left alone. */
export function undoOutcome(record: UndoRecord, { changes, leftAlone }: UndoneFields): PushOutcome {
  const { id } = record;
  const place = placeOf(record);
  const fields = Object.keys(changes);
  const details = fields.length === 0 ? { id } : { id, changes };
  if (leftAlone.size === 0) return outcomeOf(place, fields.length === 0 ? 'unchanged' : 'updated', details);
  const others = fields.length === 0 ? '' : `; written back: ${fields.join(', ')}`;
  const error = `left alone: ${[...leftAlone.values()].join('; ')}${others}`;
  return outcomeOf(place, 'rejected', { ...details, error });
}

/** The outcome of a record of which nothing can be written back. */
export function cannotUndo(record: UndoRecord, error: string): PushOutcome {
  return outcomeOf(placeOf(record), 'rejected', { id: record.id, error });
}
