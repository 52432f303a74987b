import { Failure } from '../../src/base/failure.ts';
import { settleRewards } from '../../src/settle/flow/settle-rewards.ts';
import { Crash, type CrashWorld, type Life } from './crash-world.ts';

/** Settles all rewards, one after another. */
export const oneByOne = { expectation: { total: null, count: null }, concurrency: 1 };

/** Runs a process to its end; `isKilled` is true if a crash ended it. */
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
    // The program reports the failure, and ends.
    if (error instanceof Failure) return { run: life.run, isKilled: false };
    throw error;
  } finally {
    await world.end(life);
  }
}

/**
 * Settles without faults, as a later run does. Logs and returns the exit code, which depends on whether a payment
 * remained unknown.
 */
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
