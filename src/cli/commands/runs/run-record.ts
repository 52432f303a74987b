import { type HintText, hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { shardText } from '../../../base/shard.ts';
import type { JournaledKind, RunJournal } from '../../../store/journal/push-journal.ts';
import type { NotedOutcome, Run } from '../../../store/runs/run-log.ts';
import { recordsOfRun } from '../../templates/push/expected-count.ts';
import { endOfPlan, isInterruptedWhole, type RunState } from '../../templates/push/run-states.ts';

/** A run as printed; `undoableUntil` is the last day on which its updates can be undone. */
export function runRecord(run: Run, state: RunState, undoableUntil: string | undefined): JsonObject {
  const { id, kind, startedMs, end, command, folder, files, plan, shard } = run;
  return {
    run: id,
    kind,
    state,
    exitCode: end?.exitCode ?? null,
    startedAt: new Date(startedMs).toISOString(),
    endedAt: end === undefined ? null : new Date(end.endedMs).toISOString(),
    undoableUntil: undoableUntil ?? null,
    records: recordsOfRun(run),
    outcomes: Object.fromEntries(Object.entries(end?.tally ?? {}).filter(([, count]) => count > 0)),
    files,
    plan,
    shard: shard && shardText(shard),
    command,
    folder,
  };
}

/** The commands with which a person continues after a run, one of `runs`. */
export function nextCommands(run: Run, state: RunState, runs: readonly Run[]): readonly HintText[] {
  const { id, end, command } = run;
  const { rejected = 0, failed = 0, unknown = 0 } = end?.tally ?? {};
  const next: HintText[] = [];
  if (rejected + failed > 0) next.push(reviewctl`runs rejects ${id}`);
  if (unknown > 0) next.push(hint`${reviewctl`runs resolve ${id} --sent`} or --not-sent`);
  const isUnfinished =
    state === 'killed' || (end !== undefined && end.exitCode !== 0 && !isInterruptedWhole(run));
  if (isUnfinished && endOfPlan(run.plan, runs) === undefined) next.push(reviewctl`${command}`);
  return next;
}

/** The journaled kind of each kind of run. Updates may be repeated, so they are never left unknown. */
export const journaledKinds: Readonly<Record<string, JournaledKind>> = {
  orders: 'order-item',
  categories: 'category',
  products: 'product',
};

/** The noted unknown outcomes of a run that nobody has resolved since. */
export async function stillUnknown(
  journal: RunJournal,
  { kind }: Pick<Run, 'kind'>,
  noted: readonly NotedOutcome[],
): Promise<readonly NotedOutcome[]> {
  const unknown = noted.filter(({ outcome }) => outcome === 'unknown');
  const journaled = journaledKinds[kind];
  if (journaled === undefined || unknown.length === 0) return unknown;
  const originIds = unknown.map(({ originId }) => originId);
  const known = await journal.known(journaled, originIds);
  return unknown.filter(({ originId }) => known.get(originId)?.fate === 'unknown');
}

/** True while the journal does not know the outcome of a record of this run. */
export async function hasUnknown(journal: RunJournal, run: Run): Promise<boolean> {
  // Jobs of what was queued may have ended unknown since.
  const { unknown = 0, queued = 0 } = run.end?.tally ?? {};
  if (journaledKinds[run.kind] === undefined || unknown + queued === 0) return false;
  for await (const page of journal.runs.noted(run.id))
    if ((await stillUnknown(journal, run, page)).length > 0) return true;
  return false;
}
