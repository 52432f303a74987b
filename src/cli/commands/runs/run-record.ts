import type { JsonObject } from '../../../base/json.ts';
import { shardText } from '../../../base/shard.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import { recordsOfRun } from '../../templates/push/expected-count.ts';
import type { RunState } from '../../templates/push/run-states.ts';

/** A run as commands print it; `undoableUntil` is the last day on which its updates can be undone. */
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
    ...(plan === undefined ? {} : { plan }),
    ...(shard === undefined ? {} : { shard: shardText(shard) }),
    command,
    folder,
  };
}
