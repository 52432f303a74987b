import { type Fates, fatesOf } from './columns.ts';
import type { JournalEntry, RequestEnd } from './push-journal.ts';

/**
 * The fates of a request, by the position of its entries: matches the entries in `end` with those begun; of equal ones,
 * the last.
 * @throws Error for an entry that was not begun, or with other content.
 */
export function placeEnd(entries: readonly JournalEntry[], end: RequestEnd): Fates {
  if ('jobIds' in end) return takenFates(end.jobIds, entries.length);
  const { accepted = [], unknown = [] } = end;
  const positions = new Map(entries.map((entry, position) => [keyOf(entry), position]));
  const positionOf = (entry: JournalEntry) => {
    const position = positions.get(keyOf(entry));
    if (position === undefined) throw new Error(`the record ${entry.originId} was not begun so`);
    return position;
  };
  const fates = fatesOf(entries.length, 'none');
  for (const { entry, jobId, objectId } of accepted) {
    const position = positionOf(entry);
    fates.states[position] = 'accepted';
    fates.jobIds[position] = jobId;
    fates.objectIds[position] = objectId;
  }
  for (const entry of unknown) fates.states[positionOf(entry)] = 'unknown';
  return fates;
}

/** All entries were accepted, each with a job. */
function takenFates(jobIds: readonly string[], count: number): Fates {
  if (jobIds.length !== count) throw new Error(`${jobIds.length} jobs cannot be those of ${count} entries`);
  return { ...fatesOf(count, 'accepted'), jobIds: [...jobIds] };
}

function keyOf({ kind, originId, contentHash }: JournalEntry): string {
  return `${kind} ${contentHash} ${originId}`;
}
