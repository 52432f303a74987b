import { expect, it } from 'vitest';
import type { PaymentResult, UnpaidCause } from '../../src/settle/flow/pay-reward.ts';
import { createPayerPause } from '../../src/settle/flow/payer-pause.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';
import { hourMs, nowMs, paid, seen, unknown } from './entries.ts';

const minuteMs = 60_000;
const decided: PaymentResult = { kind: 'decided', entry: paid, isNew: true };

function unpaidFor(cause: UnpaidCause): PaymentResult {
  return { kind: 'unpaid', entry: unknown, cause, reason: 'no answer' };
}

function open() {
  const clock = new ManualClock(new Date(nowMs).toISOString());
  const pause = createPayerPause(clock);
  const fail = (...rewardIds: readonly string[]) => {
    for (const rewardId of rewardIds) pause.note(rewardId, unpaidFor('outcome-unknown'));
  };
  return { clock, pause, fail };
}

it.each<[what: string, ends: readonly (readonly [string, PaymentResult])[], isBroken: boolean]>([
  [
    'two rewards',
    [
      ['1', unpaidFor('outcome-unknown')],
      ['2', unpaidFor('outcome-unknown')],
    ],
    false,
  ],
  ['one reward three times', ['1', '1', '1'].map((id) => [id, unpaidFor('outcome-unknown')] as const), false],
  ['three rewards', ['1', '2', '3'].map((id) => [id, unpaidFor('outcome-unknown')] as const), true],
  [
    'three rewards by wrong credentials',
    ['1', '2', '3'].map((id) => [id, unpaidFor('misconfigured')] as const),
    true,
  ],
  ['three rewards that are only held', ['1', '2', '3'].map((id) => [id, unpaidFor('held')] as const), false],
  [
    'three rewards, but paid one in between',
    [
      ['1', unpaidFor('outcome-unknown')],
      ['2', unpaidFor('outcome-unknown')],
      ['3', decided],
      ['4', unpaidFor('outcome-unknown')],
    ],
    false,
  ],
])('a payer that failed %s is broken, or not', (_, ends, isBroken) => {
  const { pause } = open();
  for (const [rewardId, end] of ends) pause.note(rewardId, end);
  expect(pause.isBroken()).toBe(isBroken);
  // One reward may always be tried; the next only if the payer is not broken.
  expect([pause.mayPay('8'), pause.mayPay('9')]).toEqual([true, !isBroken]);
});

it('a reward that failed waits for a minute, others do not', () => {
  const { clock, pause, fail } = open();
  fail('1');
  clock.advance(minuteMs - 1);
  expect([pause.mayPay('1'), pause.mayPay('2')]).toEqual([false, true]);
  clock.advance(1);
  expect(pause.mayPay('1')).toBe(true);
});

it('a reward that failed waits from its last failure on, and no longer once it is decided', () => {
  const { clock, pause, fail } = open();
  fail('1');
  clock.advance(minuteMs - 1);
  fail('1');
  clock.advance(1);
  expect(pause.mayPay('1')).toBe(false);
  pause.note('1', decided);
  expect(pause.mayPay('1')).toBe(true);
});

it('a payment that the ledger knows to be in doubt waits for a minute from its last call on', () => {
  const { pause } = open();
  const calledBefore = (ms: number | null) => ({
    ...unknown,
    lastCallAtMs: ms === null ? null : nowMs - ms,
  });
  const may = (known: Parameters<typeof pause.mayPay>[1]) => pause.mayPay('1', known);
  expect([0, minuteMs - 1, minuteMs].map((ms) => may(calledBefore(ms)))).toEqual([false, false, true]);
  expect(may(calledBefore(null))).toBe(true);
  expect(may({ ...seen, lastCallAtMs: nowMs })).toBe(true);
});

it.each([0, hourMs, -hourMs])(
  'a broken payer is tried once a minute, for a new reward and for one that failed (%i)',
  (backMs) => {
    const { clock, pause, fail } = open();
    fail('1', '2', '3');
    const calledBefore = { ...unknown, lastCallAtMs: nowMs - minuteMs };
    expect([pause.mayPay('4'), pause.mayPay('5')]).toEqual([true, false]);
    expect([pause.mayPay('6', calledBefore), pause.mayPay('7', calledBefore)]).toEqual([true, false]);
    // Someone sets the clock of the machine back.
    clock.setBack(backMs);
    expect(pause.mayPay('5')).toBe(false);
    clock.advance(minuteMs);
    const turns = [pause.mayPay('1'), pause.mayPay('2'), pause.mayPay('8')];
    expect(turns).toEqual([true, false, true]);
  },
);

it('the failures of ten thousand rewards are remembered, those of earlier ones are not', () => {
  const { pause, fail } = open();
  fail(...Array.from({ length: 10_001 }, (_, index) => String(index)));
  pause.note('paid', decided);
  expect([pause.mayPay('0'), pause.mayPay('1')]).toEqual([true, false]);
  // The latest failure is forgotten last.
  fail('1', '0');
  pause.note('paid', decided);
  expect([pause.mayPay('1'), pause.mayPay('2')]).toEqual([false, true]);
});
