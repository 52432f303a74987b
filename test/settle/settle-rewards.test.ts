import { expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { Failure } from '../../src/base/failure.ts';
import { observe } from '../../src/settle/rules/transitions.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import { gatedPayer } from './gated-payer.ts';
import { openPolicy } from './open-policy.ts';
import { mostEffects, openMembers, openSettlement, statuses, words } from './open-settlement.ts';
import { type CallScript, isGone, losesAnswer, pays, refuses, scriptedPayer } from './scripted-payer.ts';

const hourMs = 3_600_000;
const keyed = { idempotentForMs: 24 * hourMs };
const isOwnerAlive = async () => true;
const rejects: CallScript = { isEffective: false, answer: { kind: 'misconfigured', message: '401' } };
/** Answers in the next turn of the event loop. */
const soon = async () => {
  await new Promise((resolve) => setImmediate(resolve));
  return pays;
};

it('every queued reward is paid once and reported SUCCESS, a guest’s is held, and a second run does nothing', async () => {
  const { settle, sandbox, requests } = await openSettlement({ reviews: 250 });
  const queued = statuses(sandbox)['QUEUED'] ?? 0;
  const payer = scriptedPayer({});
  const { outcomes, error } = await settle(payer);
  expect(error).toBeUndefined();
  const held = words(outcomes)['held'] ?? 0;
  expect(held).toBeGreaterThan(0);
  expect(words(outcomes)).toEqual({ paid: queued - held, held });
  for (const { outcome, report } of outcomes)
    expect(report).toBe(outcome === 'paid' ? 'confirmed' : 'pending');
  expect([mostEffects(payer), payer.effects.size]).toEqual([1, queued - held]);
  expect(statuses(sandbox)['QUEUED']).toBe(held);
  const before = requests.length;
  const again = scriptedPayer({});
  expect(words((await settle(again)).outcomes)).toEqual({ held });
  expect(again.calls).toEqual([]);
  expect(requests.slice(before).every(({ method }) => method === 'GET')).toBe(true);
});

it('the payer is called for the next reward while the outcome of the one before is put on record', async () => {
  const { settle, ledger, rewardIds } = await openMembers();
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
  expect([words(outcomes), payer.widest]).toEqual([{ paid: rewardIds.length }, 1]);
});

it('payer and service together have no more calls to answer than the concurrency allows', async () => {
  let underWay = 0;
  let widest = 0;
  const answering = async <T>(answer: () => Promise<T>): Promise<T> => {
    underWay += 1;
    widest = Math.max(widest, underWay);
    await soon();
    return answer().finally(() => {
      underWay -= 1;
    });
  };
  const { settle, ledger } = await openSettlement({
    reviews: 40,
    around: (transport) => (request, signal) => answering(() => transport(request, signal)),
  });
  const payer = scriptedPayer({ script: () => answering(async () => pays) });
  await settle(payer, { concurrency: 3 });
  expect(payer.effects.size).toBeGreaterThan(10);
  expect(widest).toBe(3);
  // The number of payments that the ledger would show as unknown after a kill.
  const paying = new Set<string>();
  let most = 0;
  for await (const page of ledger.events()) {
    for (const { rewardId, payment } of page) {
      if (payment === 'paying') paying.add(rewardId);
      else paying.delete(rewardId);
      most = Math.max(most, paying.size);
    }
  }
  expect(most).toBe(3);
});

it('a payer is called for one reward at a time until it has paid one', async () => {
  const { settle } = await openMembers({ reviews: 30 });
  let atFirst = 0;
  const payer = scriptedPayer({
    script: async (_payment, call) => {
      await soon();
      if (call === 1) atFirst = payer.calls.length;
      return pays;
    },
  });
  await settle(payer, { concurrency: 8 });
  expect([atFirst, payer.widest > 1]).toEqual([1, true]);
});

it('a lost answer of a payer without keys is unknown, never called again, and not reported', async () => {
  const { settle, sandbox } = await openMembers({ reviews: 1 });
  const payer = scriptedPayer({ script: () => losesAnswer });
  expect(words((await settle(payer)).outcomes)).toEqual({ unknown: 1 });
  expect((await settle(payer)).outcomes).toMatchObject([{ outcome: 'unknown', report: 'pending' }]);
  expect([payer.calls.length, statuses(sandbox)]).toEqual([1, { QUEUED: 1 }]);
});

it.each<
  [what: string, script: CallScript, concurrency: number, calls: number, kind: string, cancelled?: number]
>([
  ['leaves three rewards in doubt', losesAnswer, 1, 3, 'unknown-outcome'],
  ['does not take five payments', isGone, 1, 5, 'unreachable'],
  ['rejects our credentials for two rewards', rejects, 2, 2, 'config'],
  ['refuses five rewards', refuses, 8, 5, 'guard', 5],
])(
  'a payer that %s ends the run, and another one pays the rest',
  async (_, script, concurrency, calls, kind, cancelled) => {
    const { settle, sandbox, rewardIds } = await openMembers({ reviews: 30 });
    const payer = scriptedPayer({ script: () => script });
    expect((await settle(payer, { concurrency })).error).toMatchObject({ kind });
    expect(payer.calls).toHaveLength(calls);
    expect(statuses(sandbox)['CANCELLED']).toBe(cancelled);
    const next = await settle(scriptedPayer({}), { concurrency: 1 });
    const isLeft = script === losesAnswer || script === refuses;
    expect(next.error).toBeUndefined();
    expect(words(next.outcomes)['paid']).toBe(rewardIds.length - (isLeft ? calls : 0));
  },
);

it('a payer that has just left three calls in doubt ends the run with one more', async () => {
  const { settle } = await openMembers({ reviews: 30 });
  await settle(scriptedPayer({ script: () => losesAnswer }));
  const second = scriptedPayer({ script: () => losesAnswer });
  expect((await settle(second)).error).toMatchObject({ kind: 'unknown-outcome' });
  expect(second.calls).toHaveLength(1);
});

it('a payer that cannot be used leaves no claim behind, one that breaks leaves an unknown', async () => {
  const throwing = (error: Error) =>
    scriptedPayer({
      script: () => {
        throw error;
      },
    });
  const unusable = await openMembers({ reviews: 1 });
  const { error } = await unusable.settle(throwing(new Failure('config', 'the program is gone')));
  expect(error).toMatchObject({ kind: 'config' });
  expect(words((await unusable.settle()).outcomes)).toEqual({ paid: 1 });
  const broken = await openMembers({ reviews: 1 });
  expect(words((await broken.settle(throwing(new Error('a bug')))).outcomes)).toEqual({ unknown: 1 });
});

it('the cap of a run is hit exactly, and the next run continues', async () => {
  const { settle, rewardIds } = await openMembers({ reviews: 60 });
  const policy = { ...openPolicy, maxPerRun: { amount: null, count: 7 } };
  const first = await settle(undefined, { policy, concurrency: 8 });
  expect(words(first.outcomes)['paid']).toBe(7);
  expect(first.settled.filter(({ cause }) => cause === 'capped')).toHaveLength(rewardIds.length - 7);
  expect(words((await settle()).outcomes)['paid']).toBe(rewardIds.length - 7);
});

it('a frozen ledger pays nothing, also when it is frozen under way', async () => {
  const { settle, ledger, requests } = await openMembers({ reviews: 20 });
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

it('a reward that another process saw again under way is not left out', async () => {
  // More than one page of the ledger. The second page is read after the other process has observed its rewards.
  const { settle, ledger, rewardIds } = await openMembers({ reviews: 520 });
  const payer = scriptedPayer({
    script: async (_payment, call) => {
      if (call > 1) return pays;
      for await (const page of ledger.entries()) {
        for (const { rewardId, seen } of page)
          await ledger.change(rewardId, observe(rewardId, { ...seen, run: 'webhook' }), { by: 'webhook' });
      }
      return pays;
    },
  });
  expect(words((await settle(payer, { concurrency: 1 })).outcomes)).toEqual({ paid: rewardIds.length });
});

it('a run that is stopped while it reads the list pays nothing, and expects nothing of it', async () => {
  const { settle } = await openMembers();
  const payer = scriptedPayer({});
  const expectation = { total: null, count: 1_000 };
  const stopped = await settle(payer, { stopping: AbortSignal.abort(), expectation });
  expect([stopped, payer.calls]).toEqual([{ outcomes: [], settled: [] }, []]);
});

it('a run that is stopped calls for nothing more, and shows all that is in doubt', async () => {
  const { settle } = await openMembers({ reviews: 20 });
  const stopsAt = async (last: number, script: (call: number) => CallScript) => {
    const stop = new AbortController();
    const payer = scriptedPayer({
      capabilities: keyed,
      script: (_, call) => {
        if (call === last) stop.abort();
        return script(call);
      },
    });
    const { settled, error } = await settle(payer, { stopping: stop.signal, concurrency: 1 });
    const inDoubt = settled.filter(({ outcome }) => outcome.outcome === 'unknown');
    return [
      payer.calls.length,
      error,
      inDoubt.map(({ outcome: { reason }, cause }) => `${cause}: ${reason}`),
    ];
  };
  const lostFirst = (call: number) => (call === 1 ? losesAnswer : pays);
  expect(await stopsAt(2, lostFirst)).toEqual([2, undefined, ['outcome-unknown: the answer was lost']]);
  expect(await stopsAt(1, () => pays)).toEqual([1, undefined, ['in-doubt: the answer was lost']]);
});

it('a reward that another process is paying is left for the end of a run, and has one result in it', async () => {
  const { settle, rewardIds } = await openMembers({ reviews: 20 });
  const other = gatedPayer();
  const overrides = { isOwnerAlive, concurrency: 1 };
  const others = settle(other.payer, overrides);
  await other.begun.reached(1);
  const { settled } = await settle(scriptedPayer({}), overrides);
  other.gate.open();
  await others;
  expect(settled.map(({ outcome, cause }) => cause ?? outcome.outcome)).toEqual([
    ...rewardIds.slice(1).map(() => 'paid'),
    'under-way',
  ]);
  expect(settled.map(({ outcome }) => outcome.rewardId).toSorted()).toEqual(rewardIds);
});

it.each([
  ['a lost answer pauses once before it calls again', 1],
  ['no lost answer does not pause', 0],
])('a run with %s', async (_, lost) => {
  const { settle, clock } = await openMembers();
  const pauses: number[] = [];
  const noting: Clock = {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: (ms, signal) => {
      pauses.push(ms);
      return clock.sleep(ms, signal);
    },
  };
  const script = (_payment: unknown, call: number) => (call <= lost ? losesAnswer : pays);
  await settle(scriptedPayer({ capabilities: keyed, script }), { clock: noting });
  expect(pauses).toHaveLength(lost);
});

it('a report that cannot be made is tried once in a run', async () => {
  const { settle, reports, rewardIds } = await openMembers({
    around: (transport) => async (request, signal) =>
      request.method === 'PATCH' ? { status: 404, headers: {}, body: '{}' } : transport(request, signal),
  });
  const { outcomes } = await settle();
  expect(outcomes.map(({ rewardId }) => rewardId).toSorted()).toEqual(rewardIds);
  expect(reports()).toBe(rewardIds.length);
});

it('a clock that ran ahead by days and was set back hides no reward', async () => {
  const { settle, clock, rewardIds } = await openMembers();
  await clock.sleep(72 * hourMs);
  await settle(scriptedPayer({ script: () => isGone }));
  clock.setBack(72 * hourMs);
  expect(words((await settle()).outcomes)).toEqual({ paid: rewardIds.length });
});
