import { Failure } from '../../src/base/failure.ts';
import { settleRewards } from '../../src/settle/flow/settle-rewards.ts';
import { Crash, type CrashWorld, type Life } from './crash-world.ts';

/** Whatever is there is settled, one reward after the other. */
export const oneByOne = { expectation: { total: null, count: null }, concurrency: 1 };

/** Whether the life ended as a kill ends it. */
export async function runThrough(
  world: CrashWorld,
  path: (life: Life, world: CrashWorld) => Promise<void>,
  crashStep: number,
): Promise<{ run: string; isKilled: boolean }> {
  const life = await world.live(crashStep);
  try {
    await path(life, world);
    return { run: life.run, isKilled: false };
  } catch (error) {
    if (error instanceof Crash) return { run: life.run, isKilled: true };
    // The program tells it, and ends.
    if (error instanceof Failure) return { run: life.run, isKilled: false };
    throw error;
  } finally {
    await world.end(life);
  }
}

/** Settles without disturbance, as a later run does, notes whether anything was left unknown, and returns the exit code that stands for it. */
export async function settleAlone(world: CrashWorld): Promise<number> {
  let isUnknown = false;
  await runThrough(
    world,
    async ({ settlement }) => {
      for await (const { outcome, cause } of settleRewards(settlement, oneByOne)) {
        isUnknown ||= outcome.outcome === 'unknown' || cause !== undefined;
      }
    },
    Number.POSITIVE_INFINITY,
  );
  const exitCode = isUnknown ? 11 : 0;
  await world.noteRun(exitCode);
  return exitCode;
}
