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

/** The plan that a run sent, or that it undid. */
export function planOf(run: Run, runs: readonly Run[]): string | undefined {
  return isUndo(run) ? runs.find(({ id }) => id === run.command[2])?.plan : run.plan;
}

/**
 * The run after which a plan is not sent again: it gave every record a final outcome, or it undid what was sent.
 * Undefined if the plan may be sent.
 */
export function endOfPlan(plan: string | undefined, runs: readonly Run[]): Run | undefined {
  if (plan === undefined) return undefined;
  const ends = (run: Run) => (isUndo(run) ? mayHaveWritten(run) : isComplete(run));
  return runs.find((run) => planOf(run, runs) === plan && ends(run));
}

/** True unless an undo ended before it wrote anything. A rejected record may have been written back in part. */
function mayHaveWritten({ end }: Run): boolean {
  const { updated = 0, rejected = 0, failed = 0, unknown = 0 } = end?.tally ?? {};
  return end === undefined || updated + rejected + failed + unknown > 0;
}

/** True if every record of a run has a final outcome. */
export function isComplete({ end }: Pick<Run, 'end'>): boolean {
  return end?.isWhole === true && (end.tally['failed'] ?? 0) === 0;
}

/** True if a signal ended a run after it had given every record a final outcome. */
export function isInterruptedWhole(run: Pick<Run, 'end'>): boolean {
  return isComplete(run) && (run.end?.exitCode === 130 || run.end?.exitCode === 143);
}

/** True if a run undid another run. Its rejects need not be pushed. */
export function isUndo({ command }: Pick<Run, 'command'>): boolean {
  return command[0] === 'runs';
}
