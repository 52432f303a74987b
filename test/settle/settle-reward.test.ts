import { expect, it } from 'vitest';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import { ownTurn } from '../../src/settle/flow/pay-reward.ts';
import { settleReward } from '../../src/settle/flow/settle-reward.ts';
import type { Settlement } from '../../src/settle/flow/settlement.ts';
import { syncQueued } from '../../src/settle/flow/sync-queued.ts';
import { observe } from '../../src/settle/rules/transitions.ts';
import type { LedgerEntry, LedgerEvent } from '../../src/store/ledger/ledger.ts';
import { openSettlement } from './open-settlement.ts';
import { pagesOf } from './read-ledger.ts';
import { scriptedPayer } from './scripted-payer.ts';

/** A reward that the service lists, in a ledger of which it is noted when it is proved to be the one in use. */
async function open() {
  const world = await openSettlement({ reviews: 1 });
  const [reward] = world.sandbox.state.rewards.values();
  if (reward === undefined) throw new Error('there is no reward');
  await syncQueued(world.settlement(scriptedPayer({})));
  await world.clock.sleep(10);
  let fences = 0;
  const ledger = {
    ...world.ledger,
    fence: () => {
      fences += 1;
      return world.ledger.fence();
    },
  };
  const settle = async (overrides: Partial<Settlement> = {}, leavesToOthers = false) => {
    const before = { fences, reports: reports() };
    const settlement = world.settlement(scriptedPayer({}), { ledger, beganMs: 0, ...overrides });
    const turn = { ...ownTurn, leavesToOthers };
    const settled = await settleReward(settlement, { rewardId: reward.id }, async () => undefined, turn);
    return { settled, fences: fences - before.fences, reports: reports() - before.reports };
  };
  const reports = () => world.requests.filter(({ method }) => method === 'PATCH').length;
  return { ...world, ledger, reward, settle };
}

it('a reward is settled by one report of a run that has just proved its ledger, and not again', async () => {
  const { settle, settlement } = await open();
  const { service } = settlement(scriptedPayer({}));
  const trouble = new ServiceFailure('unreachable', 'gone', undefined, { operation: 'updateReward' });
  const away = { ...service, update: () => Promise.reject(trouble) };
  expect(await settle({ service: away }, true)).toEqual({
    settled: {
      outcome: expect.objectContaining({ outcome: 'paid', report: 'sent' }),
      isEarlier: false,
      trouble,
    },
    fences: 1,
    reports: 0,
  });
  expect(await settle({}, true)).toMatchObject({
    settled: {
      outcome: { outcome: 'waiting', reason: 'another process has just decided it' },
      cause: 'under-way',
    },
    fences: 0,
    reports: 0,
  });
  const confirmed = {
    outcome: expect.objectContaining({ outcome: 'paid', report: 'confirmed' }),
    isEarlier: true,
  };
  expect(await settle()).toStrictEqual({ settled: confirmed, fences: 1, reports: 1 });
  expect(await settle()).toStrictEqual({ settled: confirmed, fences: 0, reports: 0 });
});

it('a reward whose report was confirmed is settled again where the service has forgotten that', async () => {
  const { settle, ledger, reward, clock, sandbox } = await open();
  await settle();
  const confirmedAtMs = clock.now();
  const entry = await ledger.find(reward.id);
  const events: LedgerEvent[] = [];
  for await (const page of ledger.events(reward.id)) events.push(...page);
  const [last] = events.slice(-1);
  if (entry === undefined || last === undefined) throw new Error('the reward is not in the ledger');
  const seen: LedgerEvent = { ...last, kind: 'seen', atMs: confirmedAtMs + 5 };
  const isReported = async (status: string, seenMs: number, nowMs: number) => {
    sandbox.transact(({ state }) => state.rewards.put({ ...reward, status: 'QUEUED' }));
    const shown: LedgerEntry = { ...entry, seen: { ...entry.seen, status, atMs: confirmedAtMs + seenMs } };
    const own = { ...ledger, find: async () => shown, events: () => pagesOf([...events, seen]) };
    const now = () => confirmedAtMs + nowMs;
    const { reports } = await settle({
      ledger: own,
      clock: { now, monotonicMs: now, sleep: async () => undefined },
    });
    return reports > 0;
  };
  expect({
    'listed after it': await isReported('QUEUED', 1, 2),
    'listed in the same instant': await isReported('QUEUED', 0, 2),
    'listed before it': await isReported('QUEUED', -1, 2),
    'listed before it, just now': await isReported('QUEUED', -1, 0),
    'listed before it, on a clock that was set back since': await isReported('QUEUED', -1, -1),
    'shown after it, and not waiting': await isReported('SUCCESS', 1, 2),
  }).toEqual({
    'listed after it': true,
    'listed in the same instant': true,
    'listed before it': false,
    'listed before it, just now': false,
    'listed before it, on a clock that was set back since': true,
    'shown after it, and not waiting': false,
  });
});

it('a reward that shows another member since it was read is charged to the budget of that member', async () => {
  const { ledger, reward, settlement } = await open();
  const read = await ledger.find(reward.id);
  if (read === undefined) throw new Error('the reward is not in the ledger');
  const seen = { ...read.seen, memberOriginId: 'another', atMs: read.seen.atMs + 1 };
  await ledger.change(reward.id, observe(reward.id, seen), { by: 'webhook' });
  let refreshed = 0;
  const settled = await settleReward(
    settlement(scriptedPayer({}), { ledger, beganMs: 0 }),
    { rewardId: reward.id, read },
    async () => {
      refreshed += 1;
    },
  );
  expect(settled.outcome.outcome).toBe('paid');
  expect(refreshed).toBe(1);
  const members = (await ledger.budgets('member ')).map(({ scope }) => scope.split(' ').at(-1));
  expect(members).toEqual(['another']);
});

it('a reward that was decided since it was read is not paid again, and left to the process that decided it', async () => {
  const { ledger, reward, settlement } = await open();
  const read = await ledger.find(reward.id);
  if (read === undefined) throw new Error('the reward is not in the ledger');
  const payer = scriptedPayer({});
  const settle = (run: string) =>
    settleReward(
      settlement(payer, { ledger, beganMs: 0, run }),
      { rewardId: reward.id, read },
      async () => undefined,
      { ...ownTurn, leavesToOthers: true },
    );
  expect((await settle('one')).outcome.outcome).toBe('paid');
  expect(await settle('other')).toMatchObject({ cause: 'under-way' });
  expect(payer.calls).toHaveLength(1);
});
