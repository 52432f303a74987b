import { expect, it } from 'vitest';
import { syncQueued } from '../../src/settle/flow/sync-queued.ts';
import { mostEffects, openSettlement, statuses } from './open-settlement.ts';
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

it('no reward has two outcomes in a run, and each that waits has one, although another run observes those that are held again', async () => {
  const { first, world } = await settleWithinAnother();
  const ids = first.outcomes.map(({ rewardId }) => rewardId);
  expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
  const held = [...world.sandbox.state.rewards.values()].filter(({ status }) => status === 'QUEUED');
  expect(held.length).toBeGreaterThan(0);
  expect(ids).toEqual(expect.arrayContaining(held.map(({ id }) => id)));
});

it('several runs of one shop share its rewards, and hardly ever report what another one has paid', async () => {
  const world = await openSettlement({ reviews: 600 });
  const waiting = statuses(world.sandbox)['QUEUED'] ?? 0;
  const slow = scriptedPayer({
    script: async () => {
      await world.clock.sleep(20);
      return pays;
    },
  });
  const names = ['one', 'two', 'three', 'four'];
  const runs = names.map((run) => world.settle(slow, { run, isOwnerAlive: async () => true }));
  const results = await Promise.all(runs);
  expect(results.map(({ error }) => error)).toEqual(names.map(() => undefined));
  expect(mostEffects(slow)).toBe(1);
  const paid = results.map(
    ({ settled }) =>
      settled.filter(({ outcome, isEarlier }) => outcome.outcome === 'paid' && isEarlier !== true).length,
  );
  const all = paid.reduce((sum, count) => sum + count, 0);
  expect(all).toBe(statuses(world.sandbox)['SUCCESS']);
  expect(all).toBeGreaterThan(waiting / 2);
  expect(Math.min(...paid)).toBeGreaterThan(all / 8);
  const reports = world.requests.filter(({ method }) => method === 'PATCH').length;
  expect(reports - all).toBeLessThan(all / 20);
});

it('what the service has forgotten is reported again by this run, although another one that only lists has listed it', async () => {
  const { settle, settlement, sandbox, requests, clock } = await openSettlement({ reviews: 20 });
  const payer = scriptedPayer({});
  await settle(payer);
  const forgotten = [...sandbox.state.rewards.values()].filter(({ status }) => status === 'SUCCESS');
  sandbox.transact(({ state }) => {
    for (const reward of forgotten) state.rewards.put({ ...reward, status: 'QUEUED' });
  });
  await clock.sleep(1);
  const before = requests.length;
  const exporting = settlement(payer, { run: 'export' });
  const own = settlement(payer, { run: 'own' }).service;
  const service = {
    ...own,
    queued: async function* () {
      await clock.sleep(1);
      await syncQueued(exporting);
      yield* own.queued();
    },
  };
  const { error } = await settle(payer, { run: 'own', service });
  expect(error).toBeUndefined();
  expect(forgotten.length).toBeGreaterThan(0);
  const reports = requests.slice(before).filter(({ method }) => method === 'PATCH');
  expect(reports).toHaveLength(forgotten.length);
});
