import { expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import {
  type CheckCall,
  type CheckStep,
  checkPayer,
  checkVerdict,
  lookupFault,
} from '../../src/payer/check-payer.ts';
import type { LookupAnswer, PayerAnswer } from '../../src/payer/payer.ts';
import { scriptedPayer } from '../settle/scripted-payer.ts';
import { paymentOf } from './payments.ts';

type Answer = PayerAnswer | LookupAnswer;

const { key } = paymentOf();
const refused: Answer = { kind: 'refused', message: 'of nothing' };
const paidAs = (ref?: string): Answer => (ref === undefined ? { kind: 'paid' } : { kind: 'paid', ref });

function callsOf(answers: Partial<Record<CheckStep, Answer>>): readonly CheckCall[] {
  return Object.entries(answers).map(([step, answer]) => ({
    step: step as CheckStep,
    payment: paymentOf(step === 'impossible' ? { key: 'A' } : {}),
    answer,
  }));
}

it.each<[answers: Partial<Record<CheckStep, Answer>>, verdict: object]>([
  [{ impossible: paidAs() }, { kind: 'pays-impossible' }],
  [{ impossible: { kind: 'retry', message: '' } }, { kind: 'stopped', call: { step: 'impossible' } }],
  [
    { impossible: refused, first: refused },
    { kind: 'stopped', call: { step: 'first' } },
  ],
  [
    { impossible: refused, first: paidAs('A') },
    { kind: 'stopped', call: { step: 'first' } },
  ],
  [
    { impossible: refused, first: paidAs('A'), repeated: refused },
    { kind: 'inconsistent', answer: refused },
  ],
  [
    { impossible: refused, first: paidAs('A'), repeated: paidAs('A') },
    { kind: 'honours-keys', ref: 'A' },
  ],
  [
    { impossible: refused, first: paidAs('A'), repeated: paidAs('B') },
    { kind: 'pays-twice', refs: ['A', 'B'] },
  ],
  [{ impossible: refused, first: paidAs(), repeated: paidAs('B') }, { kind: 'no-receipt' }],
  [{ impossible: refused, first: paidAs('A'), repeated: paidAs() }, { kind: 'no-receipt' }],
  [{ impossible: refused, first: paidAs(`A ${key}`), repeated: paidAs('B') }, { kind: 'no-receipt' }],
])('a check with the answers %j ends with the verdict %j', (answers, verdict) => {
  expect(checkVerdict(callsOf(answers))).toMatchObject(verdict);
});

it('a check without a call has no verdict', () => {
  expect(() => checkVerdict([])).toThrow('a check without a call');
});

const notFound: Answer = { kind: 'not-found' };
const undecided: Answer = { kind: 'undecided', message: 'no route' };

it.each<[answers: Partial<Record<CheckStep, Answer>>, fault: string | undefined]>([
  [{ first: paidAs('A') }, undefined],
  [{ first: paidAs('A'), found: undecided }, undefined],
  [{ found: paidAs('A'), 'not-found': notFound }, undefined],
  [{ first: paidAs('A'), 'not-found': undecided }, undefined],
  [{ first: paidAs('A'), found: paidAs('A'), 'not-found': notFound }, undefined],
  [{ first: paidAs(), found: paidAs('A'), 'not-found': notFound }, undefined],
  [{ first: paidAs('A'), found: paidAs(), 'not-found': notFound }, undefined],
  [
    { first: paidAs('A'), found: paidAs('B'), 'not-found': notFound },
    'the lookup names the receipt B, the payer A',
  ],
  [
    { first: paidAs('A'), found: paidAs('A'), 'not-found': paidAs('A') },
    'the lookup does not answer not-found for a key that was never paid: paid',
  ],
  [
    { first: paidAs('A'), found: paidAs('A'), 'not-found': undecided },
    'the lookup does not answer not-found for a key that was never paid: no route',
  ],
  [
    { first: paidAs('A'), found: notFound, 'not-found': notFound },
    'the lookup does not find the payment (payer-lookup-delay must cover any delay): not-found',
  ],
  [
    { first: paidAs('A'), found: undecided, 'not-found': notFound },
    'the lookup does not find the payment (payer-lookup-delay must cover any delay): no route',
  ],
])('a lookup with the answers %j has the fault %j', (answers, fault) => {
  expect(lookupFault(callsOf(answers))).toBe(fault);
});

it('a check pays nothing to nobody, one payment under one key twice, and looks for it and for another', async () => {
  const forgotten: string[] = [];
  const scripted = scriptedPayer({
    script: ({ amount }) =>
      amount === 0n
        ? { isEffective: false, answer: { kind: 'refused', message: 'of nothing' } }
        : { isEffective: true, answer: { kind: 'paid' } },
    lookUp: () => ({ kind: 'not-found' }),
  });
  const payer = { ...scripted, forget: async (forgottenKey: string) => void forgotten.push(forgottenKey) };
  const calls: CheckCall[] = [];
  for await (const call of checkPayer(payer, {
    memberOriginId: 'tester7',
    amount: 25_000n,
    nowMs: Date.UTC(2026, 10, 23),
    random: seededRandom(1),
    stopping: new AbortController().signal,
  })) {
    calls.push(call);
  }
  expect(calls.map(({ step, answer }) => `${step} ${answer.kind}`)).toEqual([
    'impossible refused',
    'first paid',
    'repeated paid',
    'found not-found',
    'not-found not-found',
  ]);
  const payments = calls.map(({ payment }) => payment);
  expect(payments.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 1, 1]);
  const [impossible, first, repeated, found, other] = payments.map((payment) => payment.key);
  expect([repeated, found]).toEqual([first, first]);
  expect(new Set([impossible, first, other]).size).toBe(3);
  expect(forgotten).toEqual([impossible, first]);
  const id = `reviewctl-payer-check-${first?.slice('rv1-check-'.length)}`;
  const mark = 'reviewctl-payer-check';
  const createdAt = '2026-11-23T00:00:00.000Z';
  expect(payments[0]).toMatchObject({ amount: 0n, memberOriginId: '', reward: { amount: 0 } });
  expect(payments[1]).toMatchObject({
    rewardId: id,
    amount: 25_000n,
    memberOriginId: 'tester7',
    reward: {
      id,
      amount: 2.5,
      reviewCategory: 'TEXT',
      status: 'QUEUED',
      review: { id: mark, createdAt, updatedAt: createdAt },
      order: { id: mark, originId: mark, memberOriginId: 'tester7' },
      orderItem: { id: mark, originId: mark },
      createdAt,
    },
  });
});

it.each<[what: string, answers: readonly Answer['kind'][], hasLookup: boolean, steps: readonly CheckStep[]]>([
  ['cannot be reached', ['retry'], true, ['impossible']],
  ['leaves nothing to nobody in doubt', ['ambiguous', 'refused'], true, ['impossible', 'first']],
  ['pays nothing to nobody', ['paid'], true, ['impossible']],
  ['has no lookup', ['refused', 'paid', 'paid'], false, ['impossible', 'first', 'repeated']],
])('a check of a payer that %s ends with what can be learned', async (_, answers, hasLookup, steps) => {
  expect(await stepsOf(answers, { hasLookup })).toEqual({ steps, error: undefined });
});

it.each([1, 2])('a check that is stopped at call %i makes no other', async (last) => {
  const { steps, error } = await stepsOf(['refused', 'paid', 'paid'], { hasLookup: true, last });
  expect(steps).toHaveLength(last);
  expect(error).toBe('stopped');
});

/** The steps of a check of a payer with these answers, stopped at its `last` call. */
async function stepsOf(
  answers: readonly Answer['kind'][],
  { hasLookup, last }: { readonly hasLookup: boolean; readonly last?: number },
) {
  const stop = new AbortController();
  const payer = scriptedPayer({
    script: (_, call) => {
      if (call === last) stop.abort('stopped');
      return { isEffective: false, answer: { kind: answers[call - 1], message: '' } as PayerAnswer };
    },
    ...(hasLookup ? { lookUp: () => ({ kind: 'not-found' }) as const } : {}),
  });
  const steps: CheckStep[] = [];
  const checked = { memberOriginId: 'tester7', amount: 25_000n, nowMs: 0, random: seededRandom(1) };
  try {
    for await (const { step } of checkPayer(payer, { ...checked, stopping: stop.signal })) steps.push(step);
    return { steps, error: undefined };
  } catch (error) {
    return { steps, error };
  }
}
