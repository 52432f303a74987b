import type { RunJournal } from '../../../store/journal/push-journal.ts';
import type { NotedOutcome, Run } from '../../../store/runs/run-log.ts';
import { isUndo } from './run-states.ts';

/** A record whose last outcome was `rejected` or `failed`, and the run of that outcome. */
export interface OpenReject {
  readonly run: Run;
  readonly outcome: NotedOutcome;
}

/** The outcome noted for a record that a person does not want to push any more. */
export const droppedOutcome = 'dropped';

export function isReject({ outcome }: Pick<NotedOutcome, 'outcome'>): boolean {
  return outcome === 'rejected' || outcome === 'failed';
}

/**
 * The noted outcomes of a run. The end of a job is also noted, without a line, by every process that follows the job;
 * it is yielded once, and with its line if one is known.
 */
export async function* notedOnce(
  { runs }: Pick<RunJournal, 'runs'>,
  run: string,
): AsyncGenerator<readonly NotedOutcome[]> {
  const known = new Set<string>();
  const nameOf = ({ originId, outcome }: NotedOutcome) => `${outcome} ${originId}`;
  for await (const page of runs.noted(run))
    for (const note of page) if (note.line !== 0) known.add(nameOf(note));
  for await (const page of runs.noted(run)) {
    yield page.filter((note) => {
      if (note.line !== 0) return true;
      const isNew = !known.has(nameOf(note));
      known.add(nameOf(note));
      return isNew;
    });
  }
}

/** Identifies a record across runs: by its id, or else by its file and line. */
export function recordName({
  originId,
  file,
  line,
}: Pick<NotedOutcome, 'originId' | 'file' | 'line'>): string {
  return originId === '' ? `${file}:${line}` : originId;
}

/**
 * The rejects that no later run has pushed and nobody has dropped, of one kind of push or of all; the newest run first.
 * A run notes the success of a record that an earlier one rejected, so the newest note counts.
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

/** True if the run may have notes: jobs of queued records may have failed since. */
function hasNotes({ end }: Run): boolean {
  if (end === undefined) return true;
  const { rejected = 0, failed = 0, unknown = 0, queued = 0 } = end.tally;
  return rejected + failed + unknown + queued + (end.closed ?? 0) > 0;
}
