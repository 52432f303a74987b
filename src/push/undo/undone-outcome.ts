import type { UndoRecord } from '../../store/runs/undo-log.ts';
import type { UndoneFields } from '../fields/field.ts';
import { outcomeOf, type PushOutcome, type RecordPlace } from '../steps/outcome.ts';

/** A record that a run wrote, as outcomes name it. */
export function placeOf({ file, line, originId }: UndoRecord): RecordPlace {
  return { file, line, originId };
}

/** The outcome of a record of which some fields are written back: it is rejected where any is left alone. */
export function undoneOutcome(record: UndoRecord, { changes, leftAlone }: UndoneFields): PushOutcome {
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

export const gone = 'the service does not have it any more';
