import type { JsonObject } from '../../../base/json.ts';
import { pushLockName } from '../../../store/locks/locks.ts';
import { stateLocation, stateLocks } from '../../../store/open-store.ts';
import type { Run } from '../../../store/runs/run-log.ts';

/** The state of a run: it is running, has ended, or was killed. */
export type RunState = 'running' | 'ended' | 'killed';

/** A run as commands print it; `undoableUntil` is the last day on which its updates can be undone. */
export function runRecord(run: Run, state: RunState, undoableUntil: string | undefined): JsonObject {
  const { id, kind, startedMs, end, command, folder, files, plan } = run;
  return {
    run: id,
    kind,
    state,
    exitCode: end?.exitCode ?? null,
    startedAt: new Date(startedMs).toISOString(),
    endedAt: end === undefined ? null : new Date(end.endedMs).toISOString(),
    undoableUntil: undoableUntil ?? null,
    outcomes: Object.fromEntries(Object.entries(end?.tally ?? {}).filter(([, count]) => count > 0)),
    files,
    ...(plan === undefined ? {} : { plan }),
    command,
    folder,
  };
}

/**
 * The states of `runs`, which are of one folder, newest first. The kernel releases the lock of a killed run. So a run
 * without an end is running only while the lock of its kind is held, and then it is the newest of its kind.
 */
export async function runStates(
  runs: readonly Run[],
  folder: string,
): Promise<ReadonlyMap<string, RunState>> {
  const locks = stateLocks(stateLocation(folder));
  const states = new Map<string, RunState>();
  const kindsSeen = new Set<string>();
  for (const { id, kind, end } of runs) {
    const isNewest = !kindsSeen.has(kind);
    kindsSeen.add(kind);
    if (end !== undefined) states.set(id, 'ended');
    else states.set(id, isNewest && (await locks.isHeld(pushLockName(kind))) ? 'running' : 'killed');
  }
  return states;
}
