import { Failure } from '../../../base/failure.ts';
import { type Shard, shardText } from '../../../base/shard.ts';
import { pushLockName } from '../../../store/locks/locks.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import type { StateLocation } from '../../../store/state/state-location.ts';
import { runStates } from './run-states.ts';

/** The part of a push that decides which others may run at the same time. */
interface SharedPush {
  readonly kind: string;
  readonly shard?: Shard | undefined;
}

/**
 * The runs of a kind that run beside the holder of `push`'s lock: other shards of the same count. Of two pushes that
 * both record their runs and then call this, at least one sees the other.
 * @throws Failure('locked') while another run may send the same records.
 */
export async function runsBeside(
  runs: readonly Run[],
  { kind, shard }: SharedPush,
  state: StateLocation,
): Promise<ReadonlySet<string>> {
  const own = pushLockName(kind, shard);
  // Without shards, all runs of the kind share the lock that is held.
  const others = runs.filter((run) => run.kind === kind && pushLockName(kind, run.shard) !== own);
  const states = await runStates(others, state);
  const running = others.filter(({ id }) => states.get(id) === 'running');
  const overlapping = running.find((run) => run.shard === undefined || run.shard.count !== shard?.count);
  if (overlapping === undefined) return new Set(running.map(({ id }) => id));
  throw new Failure(
    'locked',
    `run ${overlapping.id} (${kind} push${shardFlag(overlapping.shard)}) is under way and may send the same records`,
    'wait until it has ended, then run the same command again; it continues from there',
  );
}

/**
 * Returns true for a run that has ended: it started no later than `runs` were listed, and is not in `beside`. Runs that
 * start later count as running.
 */
export function endedBy(runs: readonly Run[], beside: ReadonlySet<string>): (run: string | null) => boolean {
  const newest = runs[0]?.id ?? '';
  return (run) => run === null || (run <= newest && !beside.has(run));
}

function shardFlag(shard: Shard | undefined): string {
  return shard === undefined ? '' : ` --shard ${shardText(shard)}`;
}
