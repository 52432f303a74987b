import type { RunJournal } from '../../../store/journal/push-journal.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import { journaledKinds } from './resolve.ts';

/** Whether outcomes that this run left unknown are still unknown to the journal. */
export async function hasUnknown(journal: RunJournal, { id, kind, end }: Run): Promise<boolean> {
  const journaled = journaledKinds[kind];
  if (journaled === undefined || (end?.tally['unknown'] ?? 0) === 0) return false;
  for await (const page of journal.runs.noted(id)) {
    const originIds = page.flatMap(({ outcome, originId }) => (outcome === 'unknown' ? originId : []));
    const known = [...(await journal.known(journaled, originIds)).values()];
    if (known.some(({ fate }) => fate === 'unknown')) return true;
  }
  return false;
}
