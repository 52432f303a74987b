import { once } from 'node:events';
import { expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { mapConcurrently, streamOf } from '../../src/base/lists.ts';
import type { Payer, PayerAnswer } from '../../src/payer/payer.ts';
import { resolveUnseen } from '../../src/settle/manual/resolve-reward.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import { gatedPayer } from './gated-payer.ts';
import { openPolicy } from './open-policy.ts';
import {
  callText,
  counter,
  createGate,
  dial,
  type Given,
  openReceiver,
  type ReceiverWorld,
  type ReceiverWorldOptions,
} from './open-receiver.ts';
import { mostEffects, statuses, words } from './open-settlement.ts';
import { isGone, losesAnswer, pays, refuses, type ScriptedPayer, scriptedPayer } from './scripted-payer.ts';

const answered = (status: number, message: string): Given => ({ status, body: JSON.stringify({ message }) });
const paid = answered(200, 'paid');
const unpaid = (message: string) => answered(503, message);
const late = unpaid('still processing this payment; its outcome will be reported');
const busy = unpaid('busy with other payments; not paid');
const stays = { assumptions: { rewardStatusAfterWebhook: 'stays' } } as const;

/** A receiver with this payer, and its first waiting reward. */
async function open<P extends Payer = ScriptedPayer>({
  payer = scriptedPayer({}) as unknown as P,
  ...options
}: Omit<Partial<ReceiverWorldOptions>, 'payer'> & { readonly payer?: P } = {}) {
  const world = await openReceiver({ payer, ...options });
  const rewards = await world.waiting();
  const [reward] = rewards;
  if (reward === undefined) throw new Error('no reward waits');
  const entry = () => world.ledger.find(reward.id);
  return { ...world, payer, rewards, reward, rewardId: reward.id, entry };
}

/** The distinct answers. */
function kinds(given: readonly Given[]): Given[] {
  return [...new Map(given.map((answer) => [JSON.stringify(answer), answer])).values()];
}

async function sendCopies(world: ReceiverWorld, body: unknown, count: number): Promise<Given[]> {
  const given: Given[] = [];
  const copies = streamOf(Array.from({ length: count }, () => body));
  for await (const answer of mapConcurrently(copies, { width: 50 }, (copy) => world.post(copy)))
    given.push(answer);
  return given;
}

it('copies that come while the first is being paid, or after a restart, get its answer', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await open({ payer });
  const first = world.post(world.reward);
  await begun.reached(1);
  const copies = Array.from({ length: 40 }, () => world.post(world.reward));
  await world.arrived(41);
  gate.open();
  expect(kinds(await Promise.all([first, ...copies]))).toEqual([paid]);
  expect(await world.entry()).toMatchObject({ payment: 'paid', report: 'sent' });
  const next = scriptedPayer({});
  await world.restart(next);
  expect(kinds(await sendCopies(world, world.reward, 60))).toEqual([paid]);
  expect([payer.calls.length, next.calls.length]).toEqual([1, 0]);
});

it('a refusal is answered 422 with its reason, also after a restart, and is never called again', async () => {
  const world = await open({ payer: scriptedPayer({ script: () => refuses }) });
  const refused = answered(422, 'refused: no such member');
  expect(await world.post(world.reward)).toEqual(refused);
  await world.restart(scriptedPayer({}));
  expect(kinds(await sendCopies(world, world.reward, 20))).toEqual([refused]);
  expect(world.payer.calls).toHaveLength(1);
  expect(await world.entry()).toMatchObject({ payment: 'refused', report: 'sent' });
});

it.each(['changes', 'stays'] as const)(
  'rewards that the service delivers again and again are paid once each (their status %s)',
  async (rewardStatusAfterWebhook) => {
    const {
      writeReviews,
      sandbox,
      answered: logged,
      payer,
    } = await open({
      assumptions: { webhookRedelivery: 'always', rewardStatusAfterWebhook },
      orders: 60,
    });
    await writeReviews(20);
    await sandbox.webhookIdle();
    const answers = new Map<string, Set<string>>();
    for (const { rewardId = '', status, message } of logged)
      answers.set(rewardId, (answers.get(rewardId) ?? new Set()).add(`${status} ${message}`));
    expect(logged).toHaveLength(80);
    expect([...answers.values()].every(({ size }) => size === 1)).toBe(true);
    const payments = [...answers.values()].filter((given) => given.has('200 paid'));
    expect([payer.calls.length, mostEffects(payer)]).toEqual([payments.length, 1]);
  },
);

it('a call that cannot begin within 8 s is rejected at once and left to the poll', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await open({ payer, reviews: 60, ...stays });
  const ids = world.rewards.slice(0, 30).map(({ id }) => id);
  const given = world.rewards.slice(0, 30).map((reward) => world.post(reward));
  await world.arrived(30);
  await begun.reached(8);
  world.advance(8_000);
  expect(kinds(await Promise.all(given.slice(8)))).toEqual([busy]);
  gate.open();
  expect(kinds(await Promise.all(given.slice(0, 8)))).toEqual([paid]);
  expect(payer.calls).toHaveLength(8);
  const entries = await Promise.all(ids.slice(8).map((id) => world.ledger.find(id)));
  expect(entries.every((entry) => entry === undefined)).toBe(true);
  const poll = scriptedPayer({});
  const { outcomes } = await world.settle(poll);
  expect(words(outcomes)).toMatchObject({
    paid: outcomes.filter(({ outcome }) => outcome !== 'held').length,
  });
  expect(ids.map((id) => poll.effects.get(id))).toEqual(ids.map((_, index) => (index < 8 ? undefined : 1)));
});

it('of more rewards than may wait for their turn, the rest is rejected at once', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await open({ payer, reviews: 350 });
  const given = world.rewards.slice(0, 280).map((reward) => world.post(reward));
  expect(given).toHaveLength(280);
  await world.arrived(280);
  await begun.reached(8);
  await world.logged(280 - 8 - 256);
  expect(kinds(world.answered.map(({ status, message }) => answered(status, message)))).toEqual([busy]);
  gate.open();
  await Promise.all(given);
  expect(payer.calls).toHaveLength(8 + 256);
});

it('the time of a slow body is part of the time that the service waits', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await open({ payer, receiver: { requestMs: 60_000 } });
  const body = JSON.stringify(world.reward);
  const { socket, end } = await dial(world.origin);
  const length = `content-length: ${Buffer.byteLength(body)}`;
  socket.write(callText('', [length, 'expect: 100-continue', 'connection: close']));
  await once(socket, 'data');
  world.advance(4_000);
  socket.write(body);
  await begun.reached(1);
  world.advance(5_500);
  expect(await end).toContain('still processing this payment');
  gate.open();
});

it('a payment that takes longer than the service waits is answered 503, paid once and reported', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await open({ payer, ...stays });
  const { reward, rewardId, entry } = world;
  const given = world.post(reward);
  await begun.reached(1);
  world.advance(9_500);
  expect(await given).toEqual(late);
  gate.open();
  await world.answers().idle();
  expect(await entry()).toMatchObject({ payment: 'paid', report: 'pending' });
  expect(await world.post(reward)).toEqual(paid);
  expect(await entry()).toMatchObject({ payment: 'paid', report: 'sent' });
  const poll = scriptedPayer({});
  const { outcomes } = await world.settle(poll);
  expect(outcomes.find((one) => one.rewardId === rewardId)).toMatchObject({ report: 'confirmed' });
  expect(poll.effects.has(rewardId)).toBe(false);
});

it.each([
  [8_001, unpaid('not verified in time; not paid')],
  [9_500, late],
])(
  'a reward that the service confirms after %i ms is not paid: its caller is answered 503',
  async (ms, answer) => {
    const gate = createGate();
    const asked = counter();
    const world = await open({
      around: (transport) => async (request, signal) => {
        if (request.operation === 'listRewards' && request.path.includes('createdAtStart')) {
          asked.add();
          await gate.passed();
        }
        return transport(request, signal);
      },
    });
    const given = world.post(world.reward);
    await asked.reached(1);
    world.advance(ms);
    if (ms >= 9_500) await given;
    gate.open();
    expect(await given).toEqual(answer);
    await world.answers().idle();
    expect(world.payer.calls).toEqual([]);
    expect(await world.entry()).toMatchObject({ payment: 'intended' });
  },
);

const isOwnerAlive = async () => true;

it('settle and listen at once on one ledger pay each reward once, and the poll confirms all', async () => {
  const poll = scriptedPayer({});
  const overrides = { isOwnerAlive };
  const world = await open({ overrides, reviews: 80, ...stays });
  const { rewards } = world;
  const [given] = await world.awakeUntil(
    250,
    Promise.all([Promise.all(rewards.map((reward) => world.post(reward))), world.settle(poll, overrides)]),
  );
  expect(given.every(({ status }) => status === 200 || status === 503)).toBe(true);
  await world.settle(poll, overrides);
  const calls = [world.payer, poll].flatMap((payer) => payer.calls.map(({ rewardId }) => rewardId));
  expect([new Set(calls).size, calls.length]).toEqual([rewards.length, rewards.length]);
  const entries = await Promise.all(rewards.map(({ id }) => world.ledger.find(id)));
  expect(entries.every((entry) => entry?.payment === 'paid' && entry.report === 'confirmed')).toBe(true);
  expect(statuses(world.sandbox)['SUCCESS']).toBe(rewards.length);
});

it('a reward that another process is paying is answered with its outcome there, or 503 after 8 s', async () => {
  const overrides = { isOwnerAlive };
  const world = await open({ overrides, reviews: 1 });
  const other = gatedPayer();
  const polled = world.settle(other.payer, overrides);
  await other.begun.reached(1);
  expect(await world.awakeUntil(250, world.post(world.reward))).toEqual(
    unpaid('another process is paying it; its outcome will be reported'),
  );
  expect(world.answered[0]?.tookMs).toBe(8_000);
  const given = world.post(world.reward);
  await world.arrived(2);
  other.gate.open();
  await polled;
  expect(await world.awakeUntil(250, given)).toEqual(paid);
  expect(world.payer.calls).toEqual([]);
});

it('a call that the service does not confirm pays nothing and leaves nothing in the ledger', async () => {
  const world = await open({ reviews: 20 });
  const { rewards, reward } = world;
  const [, cancelled] = rewards;
  world.sandbox.transact(({ state: data }) => {
    const record = data.rewards.get(cancelled?.id ?? '');
    if (record !== undefined) data.rewards.put({ ...record, status: 'UNAPPROVED' });
  });
  const otherAmount = 'not verified: the service shows another amount; not paid';
  const unknown = 'not verified: the service shows no such waiting reward; not paid';
  for (const amount of [9_999_999, null, '1e3'])
    expect(await world.post({ ...reward, amount })).toEqual(unpaid(otherAmount));
  const madeUp = { ...reward, id: 'made-up' };
  for (const called of [madeUp, { ...madeUp, review: { createdAt: '+275760-09-13' } }, cancelled])
    expect(await world.post(called)).toEqual(unpaid(unknown));
  expect([world.payer.calls, await world.ledger.lastSeq(), world.troubles]).toEqual([[], 0, []]);
});

it.each([
  ['member', { memberOriginId: 'another-member' }, {}, 'another member or order was decided on'],
  ['order', { originId: 'another-order' }, {}, 'another member or order was decided on'],
  ['amount', {}, { amount: 1 }, 'another amount was decided on'],
])('a paid reward with another %s is answered 503, and nothing changes', async (_, order, changes, why) => {
  const world = await open();
  const { payer, reward } = world;
  expect(await world.post(reward)).toEqual(paid);
  const before = await world.ledger.lastSeq();
  const changed = { ...reward, ...changes, order: { ...(reward['order'] as object), ...order } };
  expect(await world.post(changed)).toEqual(unpaid(`not verified: ${why}`));
  expect(await world.post(reward)).toEqual(paid);
  expect([await world.ledger.lastSeq(), payer.calls.length]).toEqual([before, 1]);
});

const misconfigured: PayerAnswer = { kind: 'misconfigured', message: '401 from https://p' };

it.each<[message: string, payer: Payer, policy?: object, frozen?: string]>([
  ['the payer could not accept it now; not paid', scriptedPayer({ script: () => isGone })],
  ['its payment is in doubt; a person will check it', scriptedPayer({ script: () => losesAnswer })],
  [
    'the payer is out of order; not paid',
    scriptedPayer({ script: () => ({ isEffective: false, answer: misconfigured }) }),
  ],
  ['no room under a spending cap; not paid', scriptedPayer({}), { maxPerDay: 1n }],
  ['held: above the cap of one reward; not paid', scriptedPayer({}), { maxPerReward: 1n }],
  ['payments are frozen; its outcome will be reported', scriptedPayer({}), {}, 'suspicion of fraud'],
])(
  'what is not paid is answered in words that give no sums or reasons away: %s',
  async (message, ...given) => {
    const [payer, policy, frozen] = given;
    const world = await open({ payer, overrides: { policy: { ...openPolicy, ...policy } } });
    if (frozen !== undefined) await world.ledger.freeze(frozen);
    expect(await world.post(world.reward)).toEqual(unpaid(message));
    expect(world.answered[0]?.detail).toEqual(expect.any(String));
  },
);

it('a guest’s reward is held', async () => {
  const world = await open({ reviews: 100 });
  const guests: string[] = [];
  for await (const page of world.settlement(world.payer).service.queued())
    for (const { seen } of page) if (seen.memberOriginId === null) guests.push(seen.document);
  expect(await world.post(guests[0])).toEqual(
    unpaid('held: the order names no member: a guest order earns no reward; not paid'),
  );
  expect(world.payer.calls).toEqual([]);
});

it('calls under way at the stop are answered, those that wait for their turn are not begun', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await open({ payer, concurrency: 2, reviews: 20 });
  const rewards = world.rewards.slice(0, 5);
  const given = rewards.map((reward) => world.post(reward));
  await world.arrived(5);
  await begun.reached(2);
  world.stop();
  const closed = world.close();
  gate.open();
  const answers = await Promise.all(given);
  await closed;
  expect(kinds(answers)).toEqual([paid, unpaid('shutting down; not paid')]);
  const entries = await Promise.all(rewards.map(({ id }) => world.ledger.find(id)));
  expect(entries.flatMap((entry) => entry?.payment ?? [])).toEqual(['paid', 'paid']);
  expect(payer.calls).toHaveLength(2);
});

it('the stop waits for a payment whose caller is gone', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await open({ payer });
  const body = JSON.stringify(world.reward);
  const { socket } = await dial(world.origin);
  socket.write(callText(body, [`content-length: ${Buffer.byteLength(body)}`]));
  await begun.reached(1);
  socket.destroy();
  world.stop();
  let isClosed = false;
  const closed = world.close().then(() => {
    isClosed = true;
  });
  for (let call = 0; call < 10; call += 1)
    await expect(world.post(world.reward)).rejects.toThrow('ECONNREFUSED');
  expect(isClosed).toBe(false);
  gate.open();
  await closed;
  expect(await world.entry()).toMatchObject({ payment: 'paid' });
});

/** A second receiver on the same ledger, with some of its methods replaced. */
async function openBeside(
  { ledger, payer }: { readonly ledger: Ledger; readonly payer: ScriptedPayer },
  changes: Partial<Ledger>,
) {
  return openReceiver({ payer, overrides: { ledger: { ...ledger, ...changes } } });
}

it('the stop waits until the answer of a payment is on record', async () => {
  const first = await open();
  const { ledger, payer } = first;
  const gate = createGate();
  const reported = counter();
  const change: Ledger['change'] = async (rewardId, step, options) => {
    if ((await ledger.find(rewardId))?.payment === 'paid') {
      reported.add();
      await gate.passed();
    }
    return ledger.change(rewardId, step, options);
  };
  const world = await openBeside({ ledger, payer }, { change });
  const given = world.post(first.reward);
  await reported.reached(1);
  let isIdle = false;
  const idle = world.answers().idle();
  void idle.then(() => {
    isIdle = true;
  });
  await fetch(`${world.origin}/healthz`);
  expect(isIdle).toBe(false);
  gate.open();
  await idle;
  expect(await first.entry()).toMatchObject({ report: 'sent' });
  expect(await given).toEqual(paid);
});

it('a ledger that fails, or was left behind, is answered 503 and told to the operator', async () => {
  const world = await open();
  const { payer, reward } = world;
  const full = new Failure('ledger', 'the disk is full');
  const failing = await openBeside(world, { change: () => Promise.reject(full) });
  expect(await failing.post(reward)).toEqual(unpaid('an internal error; its outcome will be reported'));
  expect([failing.troubles, payer.calls]).toEqual([[full], []]);
  // The receipt cannot be compared with earlier ones; the reward is paid all the same.
  const unread = () => Promise.reject(new Failure('ledger', 'it cannot be read'));
  expect(await (await openBeside(world, { findSameReceipt: unread })).post(reward)).toEqual(paid);
  const replaced = new Failure('ledger', 'this ledger is not the one in use');
  const behind = await openBeside(world, { fence: () => Promise.reject(replaced) });
  expect(await behind.post(reward)).toMatchObject({ status: 503 });
  expect([behind.troubles, payer.calls.length]).toEqual([[replaced], 1]);
});

it('a receipt that an earlier payment has is logged with the call, and not told to the service', async () => {
  const payer = scriptedPayer({ script: () => ({ ...pays, answer: { kind: 'paid', ref: 'R1' } }) });
  const world = await open({ payer });
  const [first, second] = world.rewards;
  for (const reward of [first, second]) expect(await world.post(reward)).toEqual(paid);
  await world.logged(2);
  expect(world.answered.map(({ detail }) => detail)).toEqual([
    undefined,
    `its receipt is R1, as reward ${first?.id} has`,
  ]);
});

it('a reward that a person noted as paid before any run observed it is answered as paid', async () => {
  const { payer, rewardId, reward, settlement, ledger, post } = await open();
  const shown = await settlement(payer).service.find(rewardId, {});
  if (shown === undefined) throw new Error('the service shows it');
  await resolveUnseen({ ledger, run: 'a person' }, shown, 'by hand');
  expect(await post(reward)).toEqual(paid);
  expect(payer.calls).toEqual([]);
});

const withKeys = { idempotentForMs: 24 * 3_600_000 };

it('a call whose answer is lost is repeated while the service waits, unless it was in doubt before', async () => {
  const script = (_payment: unknown, call: number) => ({
    ...(call <= 3 ? losesAnswer : pays),
    isEffective: false,
  });
  const world = await open({ payer: scriptedPayer({ script, capabilities: withKeys }) });
  const ends: unknown[] = [];
  for (let call = 1; call <= 3; call += 1) {
    const { status } = await world.awakeUntil(500, world.post(world.reward));
    ends.push([status, world.payer.calls.length]);
    world.advance(60_001);
  }
  expect(ends).toEqual([
    [503, 2],
    [503, 3],
    [200, 4],
  ]);
});

it.each([
  ['could not be taken', isGone, 0, 503, 1],
  ['was lost after 8 s', losesAnswer, 8_000, 200, 2],
  ['was lost later', losesAnswer, 8_001, 503, 1],
])('a call that %s is repeated only if there is time to', async (_, script, tookMs, status, calls) => {
  const payer = scriptedPayer({
    script: (_payment, call) => {
      if (call === 1) world.advance(tookMs);
      return script;
    },
    capabilities: withKeys,
  });
  const world = await open({ payer });
  expect((await world.awakeUntil(500, world.post(world.reward))).status).toBe(status);
  expect(payer.calls).toHaveLength(calls);
});

it('a call is logged with the time it took, even if the clock of the machine is set back', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await open({ payer });
  const given = world.post(world.reward);
  await begun.reached(1);
  world.advance(2_000);
  world.setBack(3_600_000);
  gate.open();
  await given;
  await world.logged(1);
  expect(world.answered).toMatchObject([{ tookMs: 2_000 }]);
});
