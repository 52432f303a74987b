import { expect, it } from 'vitest';
import { driftOf, isCalledByPlan, plannedPayment } from '../../src/settle/rules/payment-plan.ts';
import {
  areSameTerms,
  isContradictory,
  joinedObservation,
  type RewardTerms,
  termsInWords,
} from '../../src/settle/rules/reward-terms.ts';
import { answered, claim, observe } from '../../src/settle/rules/transitions.ts';
import {
  claimOptions,
  entryAfter,
  identity,
  nowMs,
  observation,
  paid,
  plainPayer,
  seen,
  unknown,
} from './entries.ts';

function terms(order: unknown, changes: Partial<RewardTerms> = {}): RewardTerms {
  return { amount: 5_000_000n, memberOriginId: 'M1', document: JSON.stringify({ order }), ...changes };
}

const o1 = { id: '1', originId: 'O1' };

it.each<[one: RewardTerms, other: RewardTerms, words: string | undefined]>([
  [terms(o1), terms(o1), undefined],
  [terms(o1), terms({ ...o1, note: 1 }), undefined],
  [terms(o1), terms({ id: '1' }), undefined],
  [terms(o1), terms({ id: '', originId: '' }), undefined],
  [terms({ id: '', originId: 'O1' }), terms(o1), undefined],
  [terms(o1), terms({ id: 1, originId: null }), undefined],
  [terms(o1), terms(null), undefined],
  [terms(o1), { ...terms(o1), document: '[]' }, undefined],
  [terms(o1), terms({ ...o1, originId: 'O2' }), '500 to M1 for order O1'],
  [terms(o1), terms({ id: '2', originId: 'O1' }), '500 to M1 for order 1'],
  [terms(o1), terms({ id: '2', originId: 'O2' }), '500 to M1 for order O1'],
  [terms(o1, { amount: 1n }), terms(o1), '0.0001 to M1'],
  [terms(o1, { amount: null }), terms(o1), 'no exact amount to M1'],
  [terms(o1, { memberOriginId: 'M2' }), terms(o1), '500 to M2'],
  [terms(o1, { memberOriginId: null }), terms(o1), '500 to no member'],
])('%o and %o are the same terms, or differ in words (%s)', (one, other, words) => {
  expect(areSameTerms(one, other)).toBe(words === undefined);
  expect(termsInWords(one, other)).toBe(words ?? '500 to M1');
});

const plan = { id: 'p' };
const inPlan = ['plan p'];
const released = entryAfter(
  observe('R1', observation()),
  claim(claimOptions()),
  answered(1, { kind: 'retry', message: 'later' }, plainPayer),
);
const planned = plannedPayment(paid, 1);

it('a payment is planned with the ids of its order alone', () => {
  const document = JSON.stringify({ id: 'R1', order: { ...o1, memberOriginId: 'M1' } });
  const ordered = (text: string) => paid.terms && { ...paid.terms, document: text };
  const orderOf = (text: string) => plannedPayment({ ...paid, terms: ordered(text) }, 0).order;
  expect(orderOf(document)).toEqual(o1);
  expect(orderOf('{"order":{"id":"1"}}')).toEqual({ id: '1' });
  expect(orderOf('{"order":{"originId":"O1"}}')).toEqual({ originId: 'O1' });
  expect(orderOf('{"order":[]}')).toEqual({});
  expect(orderOf('[]')).toEqual({});
  expect(planned).toMatchObject({ rewardId: 'R1', amount: 5_000_000n, memberOriginId: 'M1', attempt: 1 });
  expect(planned.key).toBe(paid.terms?.key);
  expect(() => plannedPayment(seen, 0)).toThrow('reward R1 has no terms at attempt 0');
});

const otherRun = 'another run called the payer for it since it was planned';
const otherKey = 'it was found unpaid and given another key since it was planned';

it.each<[what: string, entry: Parameters<typeof driftOf>[0], drift: string | undefined]>([
  ['was not called for yet', seen, undefined],
  ['was called for in vain', released, undefined],
  ['is in doubt since before', unknown, undefined],
  ['is in doubt since another call', { ...unknown, attempt: 2 }, otherRun],
  ['is in doubt by the plan', { ...unknown, attempt: 2, scopes: inPlan }, undefined],
  ['was paid by another run', paid, otherRun],
  ['was paid by the plan', { ...paid, scopes: inPlan }, undefined],
  [
    'has another key',
    { ...paid, scopes: inPlan, terms: paid.terms && { ...paid.terms, key: 'k' } },
    otherKey,
  ],
  ['will have another key', { ...seen, keyGeneration: 1 }, otherKey],
  [
    'has another amount',
    { ...seen, seen: observation({ amount: 1n }) },
    'the plan says 500 to M1; now it is 0.0001 to M1',
  ],
])(
  'a planned reward that %s differs from its plan only if the plan would not pay it as planned',
  (_, entry, drift) => {
    expect(driftOf(entry, planned, { plan, identity })).toBe(drift);
  },
);

it('a plan has called for what is in its scope', () => {
  expect(isCalledByPlan({ scopes: ['run r', 'plan p'] }, plan)).toBe(true);
  expect(isCalledByPlan({ scopes: ['plan q'] }, plan)).toBe(false);
});

it('two terms of one list have no amount and no member from then on, but all that was shown', () => {
  const shown = (amount: unknown, order?: unknown, changes = {}) =>
    observation({ document: JSON.stringify({ amount, order }), ...changes });
  const one = shown(500, { memberOriginId: 'M1' });
  const other = shown('900', null, { amount: 9_000_000n, atMs: nowMs + 1, run: 'later' });
  expect(joinedObservation(one, { ...one, status: 'SUCCESS' })).toEqual({ ...one, status: 'SUCCESS' });
  const joined = joinedObservation(one, other);
  expect(joined).toEqual({
    ...other,
    amount: null,
    memberOriginId: null,
    document: `[${one.document},${other.document}]`,
  });
  expect([one, joined].map(isContradictory)).toEqual([false, true]);
  const third = shown(500, undefined, { atMs: nowMs + 2, run: 'last' });
  expect(joinedObservation(joined, third)).toEqual({ ...joined, atMs: third.atMs, run: 'last' });
});
