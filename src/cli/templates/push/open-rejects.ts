import type { RunJournal } from '../../../store/journal/push-journal.ts';
import type { NotedOutcome, Run } from '../../../store/runs/run-log.ts';
import { isUndo } from './run-states.ts';

/** A record whose last outcome was `rejected` or `failed`, and the run that it had it in. */
export interface OpenReject {
  readonly run: Run;
  readonly outcome: NotedOutcome;
}

/** The outcome that is noted of a record which a person does not want to push any more. */
export const droppedOutcome = 'dropped';

export function isReject({ outcome }: Pick<NotedOutcome, 'outcome'>): boolean {
  return outcome === 'rejected' || outcome === 'failed';
}

/** What records are known by across runs; one without an id is known by its place. */
export function recordName({
  originId,
  file,
  line,
}: Pick<NotedOutcome, 'originId' | 'file' | 'line'>): string {
  return originId === '' ? `${file}:${line}` : originId;
}

/**
 * The records that no later run has pushed, and nobody has dropped, those of the newest run first; of one kind of push,
 * or of all. A run notes what succeeds although an earlier one rejected it, so the newest note counts.
 */
export async function openRejects(
  { runs }: Pick<RunJournal, 'runs'>,
  kind?: string,
): Promise<readonly OpenReject[]> {
  const ofKinds = new Map<string, Set<string>>();
  const open: OpenReject[] = [];
  for (const run of await runs.list()) {
    if ((kind !== undefined && run.kind !== kind) || !hasNotes(run) || isUndo(run)) continue;
    const seen = ofKinds.get(run.kind) ?? new Set();
    ofKinds.set(run.kind, seen);
    const last = new Map<string, NotedOutcome>();
    for await (const page of runs.noted(run.id))
      for (const outcome of page) last.set(recordName(outcome), outcome);
    for (const [name, outcome] of last) {
      if (seen.has(name)) continue;
      seen.add(name);
      if (isReject(outcome)) open.push({ run, outcome });
    }
  }
  return open;
}

/** Whether anything may be noted of the run: jobs of what is queued may have failed since. */
function hasNotes({ end }: Run): boolean {
  if (end === undefined) return true;
  const { rejected = 0, failed = 0, unknown = 0, queued = 0 } = end.tally;
  return rejected + failed + unknown + queued + (end.closed ?? 0) > 0;
}
