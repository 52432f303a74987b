import { expect, it } from 'vitest';
import type { PaymentResult } from '../../src/settle/flow/pay-reward.ts';
import { createPayerPause } from '../../src/settle/flow/payer-pause.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';
import { hourMs, unknown } from './entries.ts';
import { gatedPayer } from './gated-payer.ts';
import { openReceiver } from './open-receiver.ts';

const isLost: PaymentResult = {
  kind: 'unpaid',
  entry: unknown,
  cause: 'outcome-unknown',
  outcome: 'unknown',
  reason: 'no answer',
};

it('a call is logged with the time it took, even if the clock of the machine is set back meanwhile', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await openReceiver({ payer });
  const [reward] = await world.waiting();
  const given = world.post(reward);
  await begun.reached(1);
  world.advance(2_000);
  world.setBack(hourMs);
  gate.open();
  await given;
  await world.logged(1);
  expect(world.answered).toMatchObject([{ tookMs: 2_000 }]);
});

it.each([
  ['back', hourMs],
  ['forward', -hourMs],
])('a broken payer is left alone for a minute, even if the clock is set %s meanwhile', (_, ms) => {
  const clock = new ManualClock();
  const pause = createPayerPause(clock);
  for (const rewardId of ['R1', 'R2', 'R3']) pause.note(rewardId, isLost);
  expect([pause.mayPay('R4', undefined), pause.mayPay('R5', undefined)]).toEqual([true, false]);
  clock.setBack(ms);
  clock.advance(59_999);
  expect([pause.mayPay('R6', undefined), pause.mayPay('R1', undefined)]).toEqual([false, false]);
  clock.advance(1);
  expect([pause.mayPay('R6', undefined), pause.mayPay('R1', undefined)]).toEqual([true, true]);
});
