import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseDuration } from '../../../base/duration.ts';
import { Failure } from '../../../base/failure.ts';
import { reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { date, note, optional, type View, word } from '../../../output/views/view.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import { sweepUndoLogs, undoableRuns } from '../../../store/runs/undo-log-files.ts';
import { switchFlag } from '../../flags/flags.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { printRecords } from '../../runtime/print.ts';
import { endOfPlan, planOf, runStates } from '../../templates/push/run-states.ts';
import { type OpenRuns, placeFlags, useRuns } from './open-runs.ts';
import { hasUnknown } from './run-record.ts';

const view: View = {
  noun: 'run',
  id: 'run',
  csvColumns: ['run', 'kind', 'startedAt', 'action', 'reason'],
  columns: [
    word('run'),
    word('kind'),
    word('action'),
    date('started', 'startedAt', optional),
    note('reason'),
  ],
};

export const command = defineCommand({
  argument: { term: '[age]', help: 'from which runs are removed, such as 180d' },
  flags: {
    dryRun: switchFlag('only list what would be removed', 'n'),
    ...outputFlags,
    ...placeFlags,
  },
  examples: ['reviewctl runs prune 180d --dry-run', 'reviewctl runs prune 180d -o none'],
  run: async (invocation) => {
    const runs = await useRuns(invocation);
    const { args, context, flags, notices } = invocation;
    const nowMs = context.clock.now();
    const oldestMs = nowMs - ageOf(args[0]);
    const all = await runs.journal.runs.list();
    const old = all.filter((run) => lastMs(run) <= oldestMs);
    const reasons = await reasonsToKeep(runs, all, old, nowMs);
    const gone = old.filter(({ id }) => !reasons.has(id));
    if (!flags.dryRun) {
      await runs.journal.runs.remove(gone.map(({ id }) => id));
      sweepUndoLogs(runs.state.folder, nowMs);
    }
    const records = old.map((run) => pruned(run, reasons.get(run.id)));
    await printRecords(invocation, view, records);
    const stayed = all.length - gone.length;
    notices.summary(
      `${counted(gone.length, 'run')} ${flags.dryRun ? 'would be removed' : 'removed'}, ${stayed} kept` +
        (reasons.size === 0 ? '' : ` (${reasons.size} older than ${args[0]})`),
    );
    notices.info('the journal still records what the runs sent, so nothing is sent again');
  },
});

/** @throws Failure('usage') if no age is given; no default fits every shop. */
function ageOf(age: string | undefined): number {
  const way = reviewctl`runs prune 180d --dry-run`;
  if (age === undefined) throw new Failure('usage', 'an age is required: runs younger than it are kept', way);
  const ms = parseDuration(age);
  if (ms === undefined) throw new Failure('usage', `'${age}' is not an age such as 90d`, way);
  return ms;
}

function lastMs({ startedMs, end }: Run): number {
  return end?.endedMs ?? startedMs;
}

function pruned({ id, kind, startedMs }: Run, reason: string | undefined): JsonObject {
  const startedAt = new Date(startedMs).toISOString();
  return {
    run: id,
    kind,
    startedAt,
    action: reason === undefined ? 'remove' : 'keep',
    reason: reason ?? null,
  };
}

/** The reasons to keep old runs that a person or a later push may still need. */
async function reasonsToKeep(
  { journal, state: place }: OpenRuns,
  all: readonly Run[],
  old: readonly Run[],
  nowMs: number,
): Promise<ReadonlyMap<string, string>> {
  const states = await runStates(all, place);
  const undoable = undoableRuns(place.folder, nowMs);
  const newest = newestOfInputs(all);
  const reasons = new Map<string, string>();
  for (const run of old) {
    const state = states.get(run.id);
    const undoableUntil = undoable.get(run.id);
    if (state === 'running') reasons.set(run.id, 'it is running');
    else if (await hasUnknown(journal, run)) reasons.set(run.id, 'it has records with an unknown outcome');
    else if (state === 'killed') reasons.set(run.id, 'it was killed, and its command continues it');
    else if (undoableUntil !== undefined) reasons.set(run.id, `it can be undone until ${undoableUntil}`);
    else if (endOfPlan(planOf(run, all), all) !== undefined)
      reasons.set(run.id, 'it sent a plan, which is not sent twice');
    else if (newest.has(run.id)) reasons.set(run.id, newest.get(run.id) ?? '');
  }
  return reasons;
}

/** The newest run of each kind, and of each input that can be pushed again: guards compare the next push with it. */
function newestOfInputs(runs: readonly Run[]): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  const seen = new Set<string>();
  for (const { id, kind, folder, files } of runs) {
    const input = [kind, folder, ...files].join('\0');
    const isThere = files.some((file) => file === '-' || existsSync(resolve(folder, file)));
    if (!seen.has(input) && isThere) reasons.set(id, 'the next push of its files is compared with it');
    if (!seen.has(kind)) reasons.set(id, `it is the newest push of ${kind}`);
    seen.add(input).add(kind);
  }
  return reasons;
}
