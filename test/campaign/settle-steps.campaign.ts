import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addFigures } from './figures.ts';
import { killingAt } from './push-place.ts';
import { writeReviews } from './service-and-payer.ts';
import { openSettlePlace, type SettlePlace, type StartOptions } from './settle-place.ts';

/*
 * Kills the built program around each commit and before each operation on the payer's call records in turn, each time
 * with a new reward to settle; the payer kills it, too. `test/settle/crash-points.campaign.ts` does the same in
 * process, for every payer and every path.
 */

const killingFiles = resolve('test', 'campaign', 'killing-files.js');

/** More steps than the settlement of one reward has. */
const stepsMaximum = 80;
const settle = ['rewards', 'settle', '-o', 'none'];

async function openPlace(isIdempotent: boolean): Promise<SettlePlace> {
  const place = await openSettlePlace({
    isIdempotent,
    products: 5,
    orders: 60,
    assumptions: { rewardStatusAfterWebhook: 'stays' },
  });
  onTestFinished(() => place.close());
  // A guest's reward would be held, with nothing to kill.
  place.served.sandbox.transact(({ state }) => {
    for (const order of [...state.orders.values()])
      state.orders.put({ ...order, memberOriginId: `M${order.id}` });
  });
  return place;
}

/** Settles one new reward per step and dies there, until there is no such step; returns the process ids. */
async function dieEverywhere(
  place: SettlePlace,
  optionsAt: (step: number) => StartOptions,
  afterwards: () => Promise<void>,
): Promise<readonly number[]> {
  const killed: number[] = [];
  for (let step = 1; step <= stepsMaximum; step += 1) {
    await writeReviews(place, 1);
    const { child, ended } = place.start(settle, optionsAt(step));
    const exitCode = await ended;
    if (exitCode !== null) return killed;
    killed.push(child.pid ?? 0);
    addFigures('settle', { kills: 1 });
    await afterwards();
  }
  throw new Error(`a settlement took more than ${stepsMaximum} steps`);
}

test('killed before or after any commit, a settlement with a payer that knows no keys pays nothing twice and hides nothing', async () => {
  const place = await openPlace(false);
  const optionsAt = (step: number) => ({ env: killingAt(step) });
  let unknown = 0;
  const killed = await dieEverywhere(place, optionsAt, async () => {
    const [exitCode] = await place.settleAlone({ runsMost: 1 });
    if (exitCode === 11) {
      unknown += await place.resolveByBooks();
      expect(await place.settleAlone({ runsMost: 1 })).toEqual([0]);
    } else expect(exitCode).toBe(0);
  });
  expect(killed.length).toBeGreaterThan(12);
  expect(await place.judge({ isClockSteady: true, killed })).toEqual([]);
  // After the claim and before the call of the payer; all its answers are known.
  expect(unknown).toBeGreaterThan(0);
  expect(unknown).toBeLessThan(4);
}, 240_000);

test('killed before any work on the evidence, a settlement with a payer that honours keys leaves nothing unknown', async () => {
  const place = await openPlace(true);
  const optionsAt = (step: number) => ({
    env: { NODE_OPTIONS: `--import=${killingFiles}`, KILL_AT_FILE: `${step}` },
  });
  const killed = await dieEverywhere(place, optionsAt, async () => {
    const exitCodes = await place.settleAlone();
    expect(exitCodes.at(-1)).toBe(0);
  });
  expect(killed.length).toBeGreaterThan(6);
  expect(await place.judge({ isClockSteady: true, killed })).toEqual([]);
}, 240_000);

test.each([
  ['orphan-before', true],
  ['orphan-before', false],
  ['orphan-after', true],
  ['orphan-after', false],
])(
  'killed by the payer itself (%s, honours keys: %s), what it went on to say is taken, and paid once',
  async (fault, isIdempotent) => {
    const place = await openPlace(isIdempotent);
    await writeReviews(place, 1);
    const orphaning = { env: { PAYER_FAULTS: `${fault}=1` } };
    const { child, ended } = place.start(settle, orphaning);
    expect(await ended).toBeNull();
    await hasAnswered(place, 1);
    expect(await place.settleAlone()).toEqual([0]);
    const killed = [child.pid ?? 0];

    const receiver = await place.startReceiver(orphaning);
    await writeReviews(place, 1);
    expect(await receiver.ended).toBeNull();
    killed.push(receiver.child.pid ?? 0);
    await hasAnswered(place, 2);
    expect(await place.settleAlone()).toEqual([0]);
    expect(await place.judge({ isClockSteady: true, killed })).toEqual([]);
    expect(place.payments().filter(({ what }) => what === 'CALL')).toHaveLength(2);
  },
);

/** Waits for that many answers of the payer, which outlives its caller. */
async function hasAnswered(place: SettlePlace, count: number): Promise<void> {
  await expect
    .poll(() => place.payments().filter(({ what }) => what === 'ANSWER').length, { timeout: 10_000 })
    .toBe(count);
}
