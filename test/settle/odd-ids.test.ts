import { expect, it } from 'vitest';
import { isPathSegment } from '../../src/contract/path-segment.ts';
import type { Transport } from '../../src/contract/wire.ts';
import { planSettlement } from '../../src/settle/flow/plan-settlement.ts';
import { triggerReward } from '../../src/settle/flow/settle-reward.ts';
import { exportRewards } from '../../src/settle/manual/export-rewards.ts';
import { importReward } from '../../src/settle/rules/transitions.ts';
import { openMembers, words } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

/** Ids in replies that have another meaning in a path, or cannot be written in one. */
const odd = ['', '.', '..', '../orders', '/', '4711/', 'a\\..\\b', 'a\0b', 'a\nb', '\ud800'];

/** A service that also lists a reward with each of these ids. */
async function openWorld(ids: readonly string[], taken = {}) {
  const around =
    (transport: Transport): Transport =>
    async (request, signal) => {
      const reply = await transport(request, signal);
      if (request.operation !== 'listRewards') return reply;
      const page = JSON.parse(reply.body) as { data: Record<string, unknown>[] };
      const [first] = page.data;
      const data = [...ids.map((id) => ({ ...first, id, status: 'QUEUED' })), ...page.data];
      return { ...reply, body: JSON.stringify({ ...page, data }) };
    };
  const world = await openMembers({ reviews: 8, around, taken });
  return { ...world, queued: world.rewardIds.length };
}

it.each(odd)('%j is no part of a path', (id) => {
  expect(isPathSegment(id)).toBe(false);
});

it.each(['4711', 'a/b', 'R-1.2', '...', 'a..b', '.well-known', '리뷰', '%', 'a?b#c'])(
  '%j is a part of a path',
  (id) => {
    expect(isPathSegment(id)).toBe(true);
  },
);

it.each([{}, { getReward: 'GET /admin/v2/reward/{rewardId}' }])(
  'rewards that cannot be addressed are held and named, and all others are paid (%j)',
  async (taken) => {
    const { settle, requests, queued } = await openWorld(odd, taken);
    const payer = scriptedPayer({});
    const { outcomes, error } = await settle(payer);
    expect(error).toBeUndefined();
    expect(words(outcomes)).toEqual({ paid: queued, held: odd.length });
    const held = outcomes.filter(({ outcome }) => outcome === 'held');
    expect(held.map(({ rewardId }) => rewardId)).toEqual(odd);
    expect(held[2]).toMatchObject({
      report: 'pending',
      key: null,
      reason: 'its id ".." cannot be part of an address, so its outcome could not be reported',
    });
    expect(payer.calls.filter(({ rewardId }) => odd.includes(rewardId))).toEqual([]);
    const isOddPath = (path: string) => /\/(?:\.{0,2}|%00|%0a)(?:\?|$)|%2f|%5c/i.test(path);
    expect(requests.filter(({ path, operation }) => operation !== 'listRewards' && isOddPath(path))).toEqual(
      [],
    );
  },
);

it('a dry run foresees that they are held', async () => {
  const { settlement, queued } = await openWorld(odd);
  const planned = [];
  for await (const plan of planSettlement(settlement(scriptedPayer({})))) planned.push(plan);
  expect(planned.filter(({ payment }) => payment)).toHaveLength(queued);
  expect(words(planned.map(({ outcome }) => outcome))).toMatchObject({ held: odd.length });
});

it('they go into no results file', async () => {
  const { settlement, queued } = await openWorld(odd);
  let written = 0;
  const write = async (payments: AsyncIterable<readonly unknown[]>) => {
    for await (const page of payments) written += page.length;
  };
  const outcomes = [];
  for await (const { outcome } of exportRewards(settlement(scriptedPayer({})), { batch: 'batch-1', write })) {
    outcomes.push(outcome);
  }
  expect(written).toBe(queued);
  expect(words(outcomes)).toMatchObject({ held: odd.length });
});

it('one that is asked for by name is refused before anything is paid', async () => {
  const { settlement } = await openWorld([]);
  const payer = scriptedPayer({});
  await expect(triggerReward(settlement(payer), '..')).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('its id ".." cannot be part of an address'),
  });
  expect(payer.calls).toEqual([]);
});

it('one that an earlier version paid is a conflict for a person, and blocks no other', async () => {
  const { settle, ledger, queued } = await openWorld(['..']);
  const seen = {
    atMs: 0,
    run: 'old',
    status: 'QUEUED',
    amount: 5_000_000n,
    memberOriginId: 'M1',
    document: '{}',
  };
  await ledger.change('..', importReward('..', seen, 'receipt'), { by: 'old' });
  const { outcomes, error } = await settle();
  expect(error).toBeUndefined();
  expect(words(outcomes)).toEqual({ paid: queued + 1, held: 1 });
  expect(outcomes.find(({ rewardId, outcome }) => rewardId === '..' && outcome === 'paid')).toMatchObject({
    report: 'conflict',
  });
});
