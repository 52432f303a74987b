import { expect, test } from 'vitest';
import { strongestExitCode } from '../../src/base/failure.ts';
import { emptyTally, exitCodesOf, type PushOutcome } from '../../src/push/steps/outcome.ts';
import type { FaultRates } from '../../src/sandbox/faults/faults.ts';
import {
  addProduct,
  countedWords,
  entriesOf,
  heldIds,
  type OpenPush,
  openPush,
  orderItems,
} from '../push/open-push.ts';
import { addFigures } from './figures.ts';

/** One in ten requests fails. */
const faults: FaultRates = {
  throttle: 0.01,
  stall: 0.005,
  error: 0.015,
  'error-after': 0.015,
  'reset-before': 0.02,
  'reset-after': 0.015,
  torn: 0.01,
  'wrong-type': 0.01,
};
const productCount = 5000;
const itemCount = 20_000;

/** The service accepts everything, so that only the client prevents duplicates. */
const assumptions = { duplicateOriginId: 'accept' } as const;

// Of 260 seeds, 10 lose five answers in a row, which ends a push.
test.each([1, 2, 3, 5])(
  'faults of seed %i, lists 5 s late: each of 5,000 products is there at most once, the absent ones are unknown, and resent they are there',
  async (seed) => {
    const push = await openPush({ seed, faults, assumptions, listLagMs: 5000 });
    const originIds = Array.from({ length: productCount }, (_, index) => `P${index}`);
    const entries = entriesOf(originIds.map((originId) => ({ originId, name: '니트' })));
    const held = () => heldIds(push, 'products');
    const first = await push.products(entries, { concurrency: 8 });
    expect(first.error).toBeUndefined();
    expect(exitCodeOf(first.outcomes)).toBe(11);
    expect(new Set(held()).size).toBe(held().length);
    await push.clock.sleep(5000);
    const again = await push.products(entries, { concurrency: 8 });
    const words = countedWords(again.outcomes);
    expect(words).toEqual({ unchanged: held().length, unknown: productCount - held().length });
    addFigures('faults', { faults: injectedInto(push), violations: 0 });
    push.sandbox.faults.rates = {};
    await push.products(entries, { concurrency: 8, resend: 'unknown' });
    expect(held().toSorted()).toEqual(originIds.toSorted());
  },
);

test.each([1, 2, 3, 4])(
  'faults of seed %i: each of 20,000 order items is there at most once, and the absent ones are unknown',
  async (seed) => {
    const push = await openPush({ seed, faults, assumptions });
    addProduct(push);
    const entries = entriesOf(orderItems(itemCount));
    const first = await push.orders(entries, { concurrency: 8 });
    expect(first.error).toBeUndefined();
    expectHonest(first.outcomes, heldIds(push, 'orderItems'));
    addFigures('faults', { faults: injectedInto(push), violations: 0 });
    expect(exitCodeOf(first.outcomes)).toBe(11);
    // Unknown records are looked up again, and never sent.
    const writes = writesOf(push).length;
    const second = await push.orders(entries, { concurrency: 8 });
    expect(writesOf(push)).toHaveLength(writes);
    expect(countedWords(second.outcomes)).toEqual({
      skipped: countedWords(first.outcomes)['queued'],
      unknown: countedWords(first.outcomes)['unknown'],
    });
  },
);

const writesOf = ({ requests }: OpenPush) => requests.filter(({ method }) => method !== 'GET');

const injectedInto = ({ sandbox }: OpenPush) =>
  Object.values(sandbox.faults.counts).reduce((sum, count) => sum + count, 0);

function expectHonest(outcomes: readonly PushOutcome[], held: readonly string[]): void {
  expect(outcomes).toHaveLength(itemCount);
  const there = new Set(held);
  expect(there.size).toBe(held.length);
  const words = new Map(outcomes.map(({ originId, outcome }) => [originId, outcome]));
  const dishonest = [...words].filter(([originId, word]) =>
    word === 'queued' ? !there.has(originId) : word !== 'unknown',
  );
  expect(dishonest).toEqual([]);
  const absent = [...words.keys()].filter((originId) => !there.has(originId));
  expect(absent.length).toBeGreaterThan(0);
}

function exitCodeOf(outcomes: readonly PushOutcome[]): number {
  return strongestExitCode(exitCodesOf({ ...emptyTally(), ...countedWords(outcomes) }, false));
}
