import { expect, it } from 'vitest';
import { openSettlement, statuses } from './open-settlement.ts';
import { pays, scriptedPayer } from './scripted-payer.ts';

/** Two runs over 60 rewards: `two` settles all of them while `one` waits for its first payment. */
async function settleWithinAnother() {
  const world = await openSettlement({ reviews: 60 });
  const quick = scriptedPayer({
    script: async () => {
      await world.clock.sleep(20);
      return pays;
    },
  });
  let second: Promise<unknown> | undefined;
  const slow = scriptedPayer({
    script: async () => {
      second ??= world.settle(quick, { run: 'two' });
      await second;
      return pays;
    },
  });
  const first = await world.settle(slow, { run: 'one', concurrency: 1 });
  expect(first.error).toBeUndefined();
  return { world, first, slow, quick };
}

it('what another run reported after this one had listed it is not reported again', async () => {
  const { world, slow, quick } = await settleWithinAnother();
  const reports = world.requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path);
  expect(reports).toHaveLength(statuses(world.sandbox)['SUCCESS'] ?? 0);
  expect(new Set(reports).size).toBe(reports.length);
  expect([slow.calls.length, quick.calls.length]).toEqual([1, reports.length - 1]);
});

it('each reward has one outcome in a run, although another run observes those that are held again', async () => {
  const { first, world } = await settleWithinAnother();
  const ids = first.outcomes.map(({ rewardId }) => rewardId);
  expect(statuses(world.sandbox)['QUEUED']).toBeGreaterThan(0);
  expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
  expect(ids).toHaveLength(60);
});
