import { type Outcomes, outcomesOf } from './columns.ts';
import type { JournalEntry, RequestEnd } from './push-journal.ts';

/**
 * The outcomes of a request, by the position of its entries: matches the entries in `end` with those begun; of equal
 * ones, the last.
 * @throws Error for an entry that was not begun, or with other content.
 */
export function matchOutcomes(entries: readonly JournalEntry[], end: RequestEnd): Outcomes {
  if ('jobIds' in end) return acceptedOutcomes(end.jobIds, entries.length);
  const { accepted = [], unknown = [] } = end;
  const positions = new Map(entries.map((entry, position) => [keyOf(entry), position]));
  const positionOf = (entry: JournalEntry) => {
    const position = positions.get(keyOf(entry));
    if (position === undefined) throw new Error(`the record ${entry.originId} was not begun so`);
    return position;
  };
  const outcomes = outcomesOf(entries.length, 'none');
  for (const { entry, jobId, objectId } of accepted) {
    const position = positionOf(entry);
    outcomes.states[position] = 'accepted';
    outcomes.jobIds[position] = jobId;
    outcomes.objectIds[position] = objectId;
  }
  for (const entry of unknown) outcomes.states[positionOf(entry)] = 'unknown';
  return outcomes;
}

/** All entries were accepted, each with a job. */
function acceptedOutcomes(jobIds: readonly string[], count: number): Outcomes {
  if (jobIds.length !== count) throw new Error(`${jobIds.length} jobs cannot be those of ${count} entries`);
  return { ...outcomesOf(count, 'accepted'), jobIds: [...jobIds] };
}

function keyOf({ kind, originId, contentHash }: JournalEntry): string {
  return `${kind} ${contentHash} ${originId}`;
}
