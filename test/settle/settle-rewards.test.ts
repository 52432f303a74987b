import { expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { Failure } from '../../src/base/failure.ts';
import { observe } from '../../src/settle/rules/transitions.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import { gatedPayer } from './gated-payer.ts';
import { openPolicy } from './open-policy.ts';
import { mostEffects, openSettlement, statuses, words } from './open-settlement.ts';
import { type CallScript, isGone, losesAnswer, pays, refuses, scriptedPayer } from './scripted-payer.ts';

const hourMs = 3_600_000;

/** The rewards of the seeded sandbox that a member is to be paid for, and those of guest orders. */
async function openWorld(reviews: number) {
  const world = await openSettlement({ reviews });
  const rewards = [...world.sandbox.state.rewards.values()].filter(({ status }) => status === 'QUEUED');
  const ofGuest = (orderItemId: string) => {
    const item = world.sandbox.state.orderItems.get(orderItemId);
    return item === undefined || !world.sandbox.state.orders.get(item.orderId)?.memberOriginId;
  };
  const guests = rewards.filter(({ orderItemId }) => ofGuest(orderItemId)).length;
  return { ...world, queued: rewards.length, guests, members: rewards.length - guests };
}

it('every queued reward is paid once and reported SUCCESS, and a guest’s is held', async () => {
  const { settle, sandbox, members, guests } = await openWorld(250);
  expect(guests).toBeGreaterThan(0);
  const payer = scriptedPayer({});
  const { outcomes, error } = await settle(payer);
  expect(error).toBeUndefined();
  expect(words(outcomes)).toEqual({ paid: members, held: guests });
  expect(
    outcomes.filter(({ outcome }) => outcome === 'paid').every(({ report }) => report === 'confirmed'),
  ).toBe(true);
  expect(mostEffects(payer)).toBe(1);
  expect(payer.effects.size).toBe(members);
  expect(statuses(sandbox)['QUEUED']).toBe(guests);
});

it('the payer is called for the next reward while the outcome of the one before is put on record', async () => {
  const { settle, ledger, members } = await openWorld(30);
  let called = () => {};
  const isCalledAgain = new Promise<void>((resolve) => {
    called = resolve;
  });
  const payer = scriptedPayer({
    script: (_, call) => {
      if (call === 2) called();
      return pays;
    },
  });
  const change: Ledger['change'] = async (...args) => {
    const stepped = await ledger.change(...args);
    if (stepped.kind === 'changed' && stepped.entry.payment === 'paid') await isCalledAgain;
    return stepped;
  };
  const { outcomes } = await settle(payer, { ledger: { ...ledger, change }, concurrency: 1 });
  expect(words(outcomes)['paid']).toBe(members);
  expect(payer.widest).toBe(1);
});

it('payer and service together have no more calls to answer than the concurrency allows, and no more are on record as begun', async () => {
  let underWay = 0;
  let widest = 0;
  const answering = async <T>(answer: () => Promise<T>): Promise<T> => {
    underWay += 1;
    widest = Math.max(widest, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    return answer().finally(() => {
      underWay -= 1;
    });
  };
  const world = await openSettlement({
    reviews: 40,
    around: (transport) => (request, signal) => answering(() => transport(request, signal)),
  });
  const payer = scriptedPayer({ script: () => answering(async () => pays) });
  await world.settle(payer, { concurrency: 3 });
  expect(payer.effects.size).toBeGreaterThan(10);
  expect(widest).toBe(3);
  expect(await mostPaying(world.ledger)).toBe(3);
});

/** The most rewards that a call may have been under way for at once, by what is on record: so many would be unknown after a kill. */
async function mostPaying(ledger: Ledger): Promise<number> {
  const paying = new Set<string>();
  let most = 0;
  for await (const page of ledger.events()) {
    for (const { rewardId, payment } of page) {
      if (payment === 'paying') paying.add(rewardId);
      else paying.delete(rewardId);
      most = Math.max(most, paying.size);
    }
  }
  return most;
}

it('a second run pays nothing and reports nothing', async () => {
  const { settle, guests, requests } = await openWorld(30);
  await settle();
  const before = requests.length;
  const payer = scriptedPayer({});
  const { outcomes } = await settle(payer);
  expect(words(outcomes)).toEqual(guests === 0 ? {} : { held: guests });
  expect(payer.calls).toEqual([]);
  expect(requests.slice(before).every(({ method }) => method === 'GET')).toBe(true);
});

it('a lost answer of a payer without keys is unknown, is never called again, and nothing is reported to the service', async () => {
  const { settle, sandbox } = await openWorld(1);
  const payer = scriptedPayer({ script: () => losesAnswer });
  const first = await settle(payer);
  expect(words(first.outcomes)).toEqual({ unknown: 1 });
  const second = await settle(payer);
  expect(second.outcomes[0]).toMatchObject({ outcome: 'unknown', report: 'pending' });
  expect(payer.calls).toHaveLength(1);
  expect(statuses(sandbox)).toMatchObject({ QUEUED: 1 });
});

it('a refused reward is cancelled at the service, a misconfigured payer cancels nothing', async () => {
  const refusing = await openWorld(3);
  const { outcomes } = await refusing.settle(scriptedPayer({ script: () => refuses }));
  expect(words(outcomes)).toEqual({ refused: 3 });
  expect(statuses(refusing.sandbox)).toMatchObject({ CANCELLED: 3 });

  const misconfigured = await openWorld(30);
  const payer = scriptedPayer({
    script: () => ({ isEffective: false, answer: { kind: 'misconfigured', message: '401' } }),
  });
  const { error } = await misconfigured.settle(payer, { concurrency: 2 });
  expect(error).toMatchObject({ kind: 'config' });
  expect(payer.calls.length).toBeLessThanOrEqual(2);
  expect(statuses(misconfigured.sandbox)['QUEUED']).toBe(misconfigured.queued);
  expect((await misconfigured.settle()).error).toBeUndefined();
});

it('three unknowns in a row, or five refused connections, end the run', async () => {
  const lost = await openWorld(30);
  const losing = scriptedPayer({ script: () => losesAnswer });
  expect((await lost.settle(losing, { concurrency: 1 })).error).toMatchObject({ kind: 'unknown-outcome' });
  expect(losing.calls).toHaveLength(3);

  const gone = await openWorld(30);
  const away = scriptedPayer({ script: () => isGone });
  expect((await gone.settle(away, { concurrency: 1 })).error).toMatchObject({ kind: 'unreachable' });
  expect(away.calls).toHaveLength(5);
  expect(words((await gone.settle()).outcomes)).toMatchObject({ paid: gone.members });
});

it('unknowns of an earlier run do not end the next one', async () => {
  const { settle, members } = await openWorld(30);
  await settle(scriptedPayer({ script: () => losesAnswer }), { concurrency: 1 });
  const { outcomes, error } = await settle(scriptedPayer({}), { concurrency: 1 });
  expect(error).toBeUndefined();
  expect(words(outcomes)).toMatchObject({ unknown: 3, paid: members - 3 });
});

it('the cap of a run is hit exactly, and the next run continues', async () => {
  const { settle, members } = await openWorld(60);
  const policy = { ...openPolicy, maxPerRun: { amount: null, count: 7 } };
  const first = await settle(undefined, { policy, concurrency: 8 });
  expect(words(first.outcomes)['paid']).toBe(7);
  expect(first.settled.filter(({ cause }) => cause === 'capped')).toHaveLength(members - 7);
  const second = await settle(undefined);
  expect(words(second.outcomes)['paid']).toBe(members - 7);
});

it('the cap of a day holds for two settlers at once', async () => {
  const { settle, ledger } = await openWorld(80);
  const policy = { ...openPolicy, maxPerDay: 50_000_000n };
  const payers = [scriptedPayer({}), scriptedPayer({})];
  await Promise.all(payers.map((payer) => settle(payer, { policy, isOwnerAlive: async () => true })));
  const [day] = await ledger.budgets('day ');
  expect(day?.reservedAmount).toBe(0n);
  expect(day?.spentAmount).toBe(50_000_000n);
  const paid = payers.flatMap(({ calls }) => calls);
  expect(paid.reduce((sum, { amount }) => sum + amount, 0n)).toBe(50_000_000n);
  expect(new Set(paid.map(({ rewardId }) => rewardId)).size).toBe(paid.length);
});

it('a frozen ledger pays nothing, also when it is frozen under way', async () => {
  const { settle, ledger, requests } = await openWorld(20);
  await ledger.freeze('an audit');
  expect((await settle()).error).toMatchObject({
    kind: 'guard',
    message: 'the ledger is frozen: an audit; nothing was paid',
  });
  expect(requests).toEqual([]);
  await ledger.unfreeze();
  const payer = scriptedPayer({
    script: async () => {
      await ledger.freeze('an audit');
      return pays;
    },
  });
  expect((await settle(payer, { concurrency: 1 })).error).toMatchObject({ kind: 'guard' });
  expect(payer.calls).toHaveLength(1);
});

it('an amount the service changed after the first call is held, never paid under the old key', async () => {
  const { settle, sandbox } = await openWorld(1);
  await settle(scriptedPayer({ script: () => isGone }));
  const [reward] = sandbox.state.rewards.values();
  if (reward) sandbox.transact(({ state }) => state.rewards.put({ ...reward, amount: reward.amount + 1 }));
  const payer = scriptedPayer({ capabilities: { idempotentForMs: hourMs } });
  const { outcomes } = await settle(payer);
  expect(outcomes[0]?.outcome).toBe('held');
  expect(payer.calls).toEqual([]);
});

it('one reward is never called for twice at once', async () => {
  const { settle } = await openWorld(40);
  const payer = scriptedPayer({
    script: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return pays;
    },
  });
  const overrides = { isOwnerAlive: async () => true };
  await Promise.all([settle(payer, overrides), settle(payer, overrides), settle(payer, overrides)]);
  expect(mostEffects(payer)).toBe(1);
  expect(new Set(payer.calls.map(({ rewardId }) => rewardId)).size).toBe(payer.calls.length);
});

it('a payer that cannot be used cancels nothing and leaves no claim behind, one that breaks leaves an unknown', async () => {
  const throwing = (error: Error) =>
    scriptedPayer({
      script: () => {
        throw error;
      },
    });
  const unusable = await openWorld(1);
  const { error } = await unusable.settle(throwing(new Failure('config', 'the program is gone')));
  expect(error).toMatchObject({ kind: 'config' });
  expect(words((await unusable.settle()).outcomes)).toEqual({ paid: 1 });

  const broken = await openWorld(1);
  expect(words((await broken.settle(throwing(new Error('a bug')))).outcomes)).toEqual({ unknown: 1 });
});

it('a reward that another process saw again under way is not left out', async () => {
  // More than one page of the ledger: what is behind the first page is read when the other process has seen it.
  const { settle, ledger, members } = await openWorld(520);
  const payer = scriptedPayer({
    script: async (_payment, call) => {
      if (call > 1) return pays;
      for await (const page of ledger.entries()) {
        for (const { rewardId, seen } of page) {
          await ledger.change(rewardId, observe(rewardId, { ...seen, run: 'webhook' }), { by: 'webhook' });
        }
      }
      return pays;
    },
  });
  expect(words((await settle(payer, { concurrency: 1 })).outcomes)['paid']).toBe(members);
});

it('a payer that refuses everything is stopped after five', async () => {
  const { settle, sandbox } = await openWorld(30);
  const refusing = scriptedPayer({ script: () => refuses });
  expect((await settle(refusing, { concurrency: 8 })).error).toMatchObject({ kind: 'guard' });
  expect(statuses(sandbox)['CANCELLED']).toBe(5);
});

it('a payer is called for one reward at a time until it has paid one', async () => {
  const { settle } = await openWorld(30);
  const waiting = (payer: { readonly calls: readonly unknown[] }) => payer.calls.length;
  const seen: number[] = [];
  const payer = scriptedPayer({
    script: async (_payment, call) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (call === 1) seen.push(waiting(payer));
      return pays;
    },
  });
  await settle(payer, { concurrency: 8 });
  expect(seen).toEqual([1]);
  expect(payer.widest).toBeGreaterThan(1);
});

it('a payer that left a call in doubt within the hour is tried once', async () => {
  const { settle } = await openWorld(30);
  const first = scriptedPayer({ script: () => losesAnswer });
  await settle(first, { concurrency: 8 });
  const second = scriptedPayer({ script: () => losesAnswer });
  expect((await settle(second, { concurrency: 8 })).error).toMatchObject({ kind: 'unknown-outcome' });
  expect([first.calls.length, second.calls.length]).toEqual([3, 1]);
});

it('a run that is stopped while it reads the list pays nothing, and expects nothing of what it has read', async () => {
  const { settle } = await openWorld(5);
  const payer = scriptedPayer({});
  const expectation = { total: null, count: 1_000 };
  const stopped = await settle(payer, { stopping: AbortSignal.abort(), expectation });
  expect(stopped).toEqual({ outcomes: [], settled: [] });
  expect(payer.calls).toEqual([]);
});

it('a run that is stopped calls for nothing more, and shows all that is in doubt', async () => {
  const { settle } = await openWorld(20);
  const stopsAt = async (last: number, script: (call: number) => CallScript) => {
    const stop = new AbortController();
    const payer = scriptedPayer({
      capabilities: { idempotentForMs: 24 * hourMs },
      script: (_, call) => {
        if (call === last) stop.abort();
        return script(call);
      },
    });
    const { settled, error } = await settle(payer, { stopping: stop.signal, concurrency: 1 });
    const shown = settled.map(({ outcome: { outcome, reason }, cause }) => ({ outcome, reason, cause }));
    return {
      calls: payer.calls.length,
      error,
      inDoubt: shown.filter(({ outcome }) => outcome === 'unknown'),
    };
  };
  const inDoubt = { outcome: 'unknown', reason: 'the answer was lost' };
  expect(await stopsAt(2, (call) => (call === 1 ? losesAnswer : pays))).toEqual({
    calls: 2,
    error: undefined,
    inDoubt: [{ ...inDoubt, cause: 'outcome-unknown' }],
  });
  expect(await stopsAt(1, () => pays)).toEqual({
    calls: 1,
    error: undefined,
    inDoubt: [{ ...inDoubt, cause: 'in-doubt' }],
  });
});

it('a reward that another process is paying is left for the end of a run, and has one result in it', async () => {
  const { settle, members } = await openWorld(20);
  const other = gatedPayer();
  const overrides = { isOwnerAlive: async () => true, concurrency: 1 };
  const others = settle(other.payer, overrides);
  await other.begun.reached(1);
  const { settled } = await settle(scriptedPayer({}), overrides);
  other.gate.open();
  await others;
  const results = settled.filter(({ cause }) => cause !== 'held');
  expect(results.map(({ outcome, cause }) => cause ?? outcome.outcome)).toEqual([
    ...Array.from({ length: members - 1 }, () => 'paid'),
    'under-way',
  ]);
  expect(new Set(settled.map(({ outcome }) => outcome.rewardId)).size).toBe(settled.length);
});

it.each([
  ['a lost answer pauses once before it calls again', 1, 1],
  ['no lost answer does not pause', 0, 0],
])('a run with %s', async (_, lost, count) => {
  const { settle, clock } = await openWorld(10);
  const pauses: number[] = [];
  const noting: Clock = {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: (ms, signal) => {
      pauses.push(ms);
      return clock.sleep(ms, signal);
    },
  };
  const payer = scriptedPayer({
    capabilities: { idempotentForMs: 24 * hourMs },
    script: (_payment, call) => (call <= lost ? losesAnswer : pays),
  });
  await settle(payer, { clock: noting });
  expect(pauses).toHaveLength(count);
});
