import { pushLockName } from '../../../store/locks/locks.ts';
import { stateLocks } from '../../../store/open-store.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import type { StateLocation } from '../../../store/state/state-location.ts';

export type RunState = 'running' | 'ended' | 'killed';

/**
 * The states of `runs`, all of one location, newest first. The lock of a killed run is released. So a run without an
 * end is running only while the lock of its kind and shard is held, and then it is the newest of them.
 */
export async function runStates(
  runs: readonly Run[],
  state: StateLocation,
): Promise<ReadonlyMap<string, RunState>> {
  const locks = stateLocks(state);
  const states = new Map<string, RunState>();
  const locksSeen = new Set<string>();
  for (const { id, kind, shard, end } of runs) {
    const lock = pushLockName(kind, shard);
    const isNewest = !locksSeen.has(lock);
    locksSeen.add(lock);
    if (end !== undefined) states.set(id, 'ended');
    else states.set(id, isNewest && (await locks.isHeld(lock)) ? 'running' : 'killed');
  }
  return states;
}

/** True if a run sent a plan completely: every record has a final outcome, and the plan is not sent again. */
export function isPlanSent({ plan, end }: Run): boolean {
  return plan !== undefined && end?.isWhole === true && (end.tally['failed'] ?? 0) === 0;
}

/** True if a run undid another run. Its rejects need not be pushed. */
export function isUndo({ command }: Pick<Run, 'command'>): boolean {
  return command[0] === 'runs';
}
