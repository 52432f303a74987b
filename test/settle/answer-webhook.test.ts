import { once } from 'node:events';
import { expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { mapConcurrently, streamOf } from '../../src/base/lists.ts';
import type { Payer } from '../../src/payer/payer.ts';
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

const paid: Given = { status: 200, body: '{"message":"paid"}' };

type Options = Omit<Partial<ReceiverWorldOptions>, 'payer'>;

/** A receiver before this payer, and the first reward that waits. */
async function open<P extends Payer = ScriptedPayer>({
  payer = scriptedPayer({}) as unknown as P,
  ...options
}: Options & { readonly payer?: P } = {}) {
  const world = await openReceiver({ payer, ...options });
  const [reward] = await world.waiting();
  if (reward === undefined) throw new Error('no reward waits');
  return { ...world, payer, reward, rewardId: reward.id };
}

const unpaid = (message: string): Given => ({ status: 503, body: JSON.stringify({ message }) });

/** The different answers there are. */
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

it('a receipt that an earlier payment has is logged with the call, and not told to the service', async () => {
  const payer = scriptedPayer({ script: () => ({ ...pays, answer: { kind: 'paid', ref: 'R1' } }) });
  const world = await openReceiver({ payer });
  const [first, second] = await world.waiting();
  for (const reward of [first, second]) expect(await world.post(reward)).toEqual(paid);
  await world.logged(2);
  expect(world.answered.map(({ detail }) => detail)).toEqual([
    undefined,
    `its receipt is R1, as reward ${first?.id} has`,
  ]);
});

it('copies that come while the first is being paid, or after a restart, get the answer of the first', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await open({ payer });
  const { reward } = world;
  const first = world.post(reward);
  await begun.reached(1);
  const copies = Array.from({ length: 40 }, () => world.post(reward));
  await world.arrived(41);
  gate.open();
  expect(kinds(await Promise.all([first, ...copies]))).toEqual([paid]);
  const next = scriptedPayer({});
  await world.restart(next);
  expect(kinds(await sendCopies(world, reward, 60))).toEqual([paid]);
  expect([payer.calls.length, next.calls.length]).toEqual([1, 0]);
});

it('a refusal is answered 422 with its reason, the same after a restart, and is never called again', async () => {
  const payer = scriptedPayer({ script: () => refuses });
  const world = await open({ payer });
  const { reward, rewardId } = world;
  const refused = { status: 422, body: '{"message":"refused: no such member"}' };
  expect(await world.post(reward)).toEqual(refused);
  await world.restart(scriptedPayer({}));
  expect(kinds(await sendCopies(world, reward, 20))).toEqual([refused]);
  expect(payer.calls).toHaveLength(1);
  expect(await world.ledger.find(rewardId)).toMatchObject({ payment: 'refused', report: 'sent' });
});

it.each(['changes', 'stays'] as const)(
  'rewards that the service delivers again and again are paid once each (their status %s)',
  async (rewardStatusAfterWebhook) => {
    const payer = scriptedPayer({});
    const world = await openReceiver({
      payer,
      assumptions: { webhookRedelivery: 'always', rewardStatusAfterWebhook },
      orders: 60,
    });
    await world.writeReviews(20);
    await world.sandbox.webhookIdle();
    const answers = new Map<string, Set<string>>();
    for (const { rewardId = '', status, message } of world.answered) {
      answers.set(rewardId, (answers.get(rewardId) ?? new Set()).add(`${status} ${message}`));
    }
    expect(world.answered).toHaveLength(80);
    expect([...answers.values()].every(({ size }) => size === 1)).toBe(true);
    expect(mostEffects(payer)).toBe(1);
    const payments = [...answers.values()].filter((given) => given.has('200 paid'));
    expect(payer.calls).toHaveLength(payments.length);
    expect(payments.length).toBeGreaterThan(0);
  },
);

it('fifteen rewards at once, with a payer that takes 3 s, are all paid within 6 s', async () => {
  const begun = counter();
  const gates = [createGate(), createGate()];
  const payer = scriptedPayer({
    script: async (_payment, call) => {
      begun.add();
      await gates[call <= 8 ? 0 : 1]?.passed();
      return pays;
    },
  });
  const world = await openReceiver({ payer, reviews: 40 });
  const rewards = (await world.waiting()).slice(0, 15);
  const given = Promise.all(rewards.map((reward) => world.post(reward)));
  for (const [round, gate] of gates.entries()) {
    await begun.reached(round === 0 ? 8 : 15);
    world.advance(3_000);
    gate.open();
  }
  expect(kinds(await given)).toEqual([paid]);
  expect(payer.widest).toBe(8);
  expect(world.answered.every(({ tookMs }) => tookMs <= 6_000)).toBe(true);
});

it('a call that cannot begin within 8 s is rejected at once and left to the poll', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await openReceiver({
    payer,
    reviews: 60,
    assumptions: { rewardStatusAfterWebhook: 'stays' },
  });
  const rewards = (await world.waiting()).slice(0, 30);
  const given = rewards.map((reward) => world.post(reward));
  await world.arrived(30);
  await begun.reached(8);
  world.advance(8_000);
  const busy = unpaid('busy with other payments; not paid');
  expect(kinds(await Promise.all(given.slice(8)))).toEqual([busy]);
  gate.open();
  expect(kinds(await Promise.all(given.slice(0, 8)))).toEqual([paid]);
  expect(payer.calls).toHaveLength(8);
  const left = rewards.slice(8).map(({ id }) => id);
  const entries = await Promise.all(left.map((id) => world.ledger.find(id)));
  expect(entries.every((entry) => entry === undefined)).toBe(true);
  const poll = scriptedPayer({});
  const { outcomes } = await world.settle(poll);
  expect(words(outcomes)).toMatchObject({
    paid: outcomes.filter(({ outcome }) => outcome !== 'held').length,
  });
  expect(left.every((id) => poll.effects.get(id) === 1)).toBe(true);
  expect(rewards.slice(0, 8).some(({ id }) => poll.effects.has(id))).toBe(false);
});

it('of more rewards than may wait for their turn, the rest is rejected at once', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await openReceiver({ payer, reviews: 350 });
  const rewards = (await world.waiting()).slice(0, 280);
  expect(rewards).toHaveLength(280);
  const given = rewards.map((reward) => world.post(reward));
  await world.arrived(280);
  await begun.reached(8);
  await world.logged(280 - 8 - 256);
  expect(new Set(world.answered.map(({ message }) => message))).toEqual(
    new Set(['busy with other payments; not paid']),
  );
  gate.open();
  await Promise.all(given);
  expect(payer.calls).toHaveLength(8 + 256);
});

it('the time of a slow body is part of the time that the service waits', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await open({ payer, receiver: { requestMs: 60_000 } });
  const { reward } = world;
  const body = JSON.stringify(reward);
  const { socket, end } = await dial(world.origin);
  const length = `content-length: ${Buffer.byteLength(body)}`;
  socket.write(callText('', [length, 'expect: 100-continue', 'connection: close']));
  await once(socket, 'data');
  world.advance(4_000);
  socket.write(body);
  await begun.reached(1);
  world.advance(5_500);
  expect(await end).toContain('still at work on this payment');
  gate.open();
});

it('a payment that takes longer than the service waits is answered 503, paid once, and reported by the poll', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await open({ payer, assumptions: { rewardStatusAfterWebhook: 'stays' } });
  const { reward, rewardId } = world;
  const given = world.post(reward);
  await begun.reached(1);
  world.advance(9_500);
  expect(await given).toEqual(unpaid('still at work on this payment; its outcome will be reported'));
  gate.open();
  await world.answers().idle();
  expect(await world.ledger.find(rewardId)).toMatchObject({ payment: 'paid', report: 'pending' });
  expect(await world.post(reward)).toEqual(paid);
  expect(await world.ledger.find(rewardId)).toMatchObject({ payment: 'paid', report: 'sent' });
  const poll = scriptedPayer({});
  const { outcomes } = await world.settle(poll);
  expect(outcomes.find((outcome) => outcome.rewardId === rewardId)).toMatchObject({ report: 'confirmed' });
  expect(poll.effects.has(rewardId)).toBe(false);
});

it.each([
  [8_001, 'not verified in time; not paid'],
  [9_500, 'still at work on this payment; its outcome will be reported'],
])(
  'a reward that the service confirms after %i ms is not paid, since its caller is answered 503: %s',
  async (tookMs, message) => {
    const gate = createGate();
    const asked = counter();
    const payer = scriptedPayer({});
    const world = await open({
      payer,
      around: (transport) => async (request, signal) => {
        if (request.operation === 'listRewards' && request.path.includes('createdAtStart')) {
          asked.add();
          await gate.passed();
        }
        return transport(request, signal);
      },
    });
    const { reward, rewardId } = world;
    const given = world.post(reward);
    await asked.reached(1);
    world.advance(tookMs);
    if (tookMs >= 9_500) await given;
    gate.open();
    expect(await given).toEqual(unpaid(message));
    await world.answers().idle();
    expect(payer.calls).toEqual([]);
    expect(await world.ledger.find(rewardId)).toMatchObject({ payment: 'intended' });
  },
);

it('settle and listen at once on one ledger pay each reward once, and the poll confirms the payments of the webhook', async () => {
  const payers = [scriptedPayer({}), scriptedPayer({})] as const;
  const overrides = { isOwnerAlive: async () => true };
  const world = await openReceiver({
    payer: payers[0],
    overrides,
    reviews: 80,
    assumptions: { rewardStatusAfterWebhook: 'stays' },
  });
  const rewards = await world.waiting();
  const [given] = await world.awakeUntil(
    250,
    Promise.all([
      Promise.all(rewards.map((reward) => world.post(reward))),
      world.settle(payers[1], overrides),
    ]),
  );
  expect(given.every(({ status }) => status === 200 || status === 503)).toBe(true);
  await world.settle(payers[1], overrides);
  const calls = payers.flatMap((payer) => payer.calls.map(({ rewardId }) => rewardId));
  expect(new Set(calls).size).toBe(calls.length);
  expect(calls).toHaveLength(rewards.length);
  const entries = await Promise.all(rewards.map(({ id }) => world.ledger.find(id)));
  expect(entries.every((entry) => entry?.payment === 'paid' && entry.report === 'confirmed')).toBe(true);
  expect(statuses(world.sandbox)['SUCCESS']).toBe(rewards.length);
});

it('a reward that another process is paying is answered with its outcome there, or 503 after 8 s', async () => {
  const payer = scriptedPayer({});
  const overrides = { isOwnerAlive: async () => true };
  const world = await open({ payer, overrides, reviews: 1 });
  const { reward } = world;
  const other = gatedPayer();
  const polled = world.settle(other.payer, overrides);
  await other.begun.reached(1);
  expect(await world.awakeUntil(250, world.post(reward))).toEqual(
    unpaid('another process is at work on it; its outcome will be reported'),
  );
  expect(world.answered[0]?.tookMs).toBe(8_000);
  const given = world.post(reward);
  await world.arrived(2);
  other.gate.open();
  await polled;
  expect(await world.awakeUntil(250, given)).toEqual(paid);
  expect(payer.calls).toEqual([]);
});

it('a call that the service does not confirm pays nothing and leaves nothing in the ledger', async () => {
  const payer = scriptedPayer({});
  const world = await openReceiver({ payer, reviews: 20 });
  const [reward, cancelled] = await world.waiting();
  world.sandbox.transact(({ state: data }) => {
    const record = data.rewards.get(cancelled?.id ?? '');
    if (record !== undefined) data.rewards.put({ ...record, status: 'UNAPPROVED' });
  });
  const refused = (why: string) => unpaid(`not verified: ${why}; not paid`);
  const anotherAmount = refused('the service says another amount');
  expect(await world.post({ ...reward, amount: 9_999_999 })).toEqual(anotherAmount);
  expect(await world.post({ ...reward, amount: null })).toEqual(anotherAmount);
  expect(await world.post({ ...reward, amount: '1e3' })).toEqual(anotherAmount);
  const unknown = refused('the service shows no such reward that waits');
  expect(await world.post({ ...reward, id: 'made-up' })).toEqual(unknown);
  expect(await world.post({ ...reward, id: 'made-up', review: { createdAt: '+275760-09-13' } })).toEqual(
    unknown,
  );
  expect(await world.post(cancelled)).toEqual(unknown);
  expect(payer.calls).toEqual([]);
  expect(await world.ledger.lastSeq()).toBe(0);
  expect(world.troubles).toEqual([]);
});

it.each([
  ['member', { memberOriginId: 'another-member' }, {}, 'another member or order was decided on'],
  ['order', { originId: 'another-order' }, {}, 'another member or order was decided on'],
  ['amount', {}, { amount: 1 }, 'another amount was decided on'],
])(
  'a paid reward that is called about with another %s is answered 503, and nothing changes',
  async (_, order, changes, why) => {
    const world = await open();
    const { payer, reward } = world;
    expect(await world.post(reward)).toEqual(paid);
    const before = await world.ledger.lastSeq();
    const changed = { ...reward, ...changes, order: { ...(reward['order'] as object), ...order } };
    expect(await world.post(changed)).toEqual(unpaid(`not verified: ${why}`));
    expect(await world.post(reward)).toEqual(paid);
    expect(await world.ledger.lastSeq()).toBe(before);
    expect(payer.calls).toHaveLength(1);
  },
);

it('held, capped, frozen, doubtful, away and unreachable are 503, in words that give no sums or reasons away', async () => {
  const cases = [
    { script: () => isGone, says: 'the payer could not take it now; not paid' },
    { script: () => losesAnswer, says: 'unknown whether it is paid; a person will look' },
    {
      script: () =>
        ({ isEffective: false, answer: { kind: 'misconfigured', message: '401 from https://p' } }) as const,
      says: 'the payer is out of order; not paid',
    },
    {
      policy: { ...openPolicy, maxPerDay: 1n },
      says: 'no room under a spending cap; not paid',
    },
    {
      policy: { ...openPolicy, maxPerReward: 1n },
      says: 'held: above the cap of one reward; not paid',
    },
    { frozen: 'suspicion of fraud', says: 'payments are frozen; its outcome will be reported' },
  ];
  for (const { script = () => pays, policy = openPolicy, frozen, says } of cases) {
    const world = await open({ payer: scriptedPayer({ script }), overrides: { policy } });
    if (frozen !== undefined) await world.ledger.freeze(frozen);
    const { reward } = world;
    expect(await world.post(reward)).toEqual(unpaid(says));
    expect(world.answered[0]?.detail).toEqual(expect.any(String));
  }
});

it('a guest’s reward is held', async () => {
  const payer = scriptedPayer({});
  const world = await openReceiver({ payer, reviews: 100 });
  const pages = world.settlement(payer).service.queued();
  const guests: string[] = [];
  for await (const page of pages) {
    for (const { seen } of page) if (seen.memberOriginId === null) guests.push(seen.document);
  }
  expect(guests.length).toBeGreaterThan(0);
  const given = await world.post(guests[0]);
  expect(given).toEqual(unpaid('held: the order names no member: a guest order earns no reward; not paid'));
  expect(payer.calls).toEqual([]);
});

it('a payer that leaves three payments in doubt is tried once a minute until it decides again', async () => {
  let script = losesAnswer;
  const payer = scriptedPayer({ script: () => script });
  const world = await openReceiver({ payer, reviews: 60 });
  const rewards = [...(await world.waiting())];
  const send = async (count: number) => {
    const given: Given[] = [];
    for (const reward of rewards.splice(0, count)) given.push(await world.post(reward));
    return given;
  };
  const paused = unpaid('the payer is out of order; not paid');
  expect((await send(6)).slice(3)).toEqual([paused, paused, paused]);
  expect(payer.calls).toHaveLength(3);
  expect(world.answers().trouble).toBe('the payer is out of order');
  expect((await fetch(`${world.origin}/healthz`)).status).toBe(503);
  world.advance(60_000);
  await send(3);
  expect(payer.calls).toHaveLength(4);
  script = pays;
  world.advance(60_000);
  expect(await send(4)).toEqual([paid, paid, paid, paid]);
  expect(world.answers().trouble).toBeUndefined();
});

it('calls under way at the stop are answered, those that wait for their turn are not begun', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await openReceiver({ payer, concurrency: 2, reviews: 20 });
  const rewards = (await world.waiting()).slice(0, 5);
  const given = rewards.map((reward) => world.post(reward));
  await world.arrived(5);
  await begun.reached(2);
  world.stop();
  const closed = world.close();
  gate.open();
  const answers = await Promise.all(given);
  await closed;
  expect(answers.filter((answer) => answer.status === 200)).toEqual([paid, paid]);
  expect(kinds(answers)).toEqual([paid, unpaid('about to stop; not paid')]);
  expect(payer.calls).toHaveLength(2);
  const entries = await Promise.all(rewards.map(({ id }) => world.ledger.find(id)));
  expect(entries.filter((entry) => entry?.payment === 'paid')).toHaveLength(2);
  expect(entries.some((entry) => entry?.payment === 'paying')).toBe(false);
});

it('the stop waits for a payment whose caller is gone', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await open({ payer });
  const { reward, rewardId } = world;
  const body = JSON.stringify(reward);
  const { socket } = await dial(world.origin);
  socket.write(callText(body, [`content-length: ${Buffer.byteLength(body)}`]));
  await begun.reached(1);
  socket.destroy();
  world.stop();
  let isClosed = false;
  const closed = world.close().then(() => {
    isClosed = true;
  });
  for (let call = 0; call < 10; call += 1) await expect(world.post(reward)).rejects.toThrow('fetch failed');
  expect(isClosed).toBe(false);
  gate.open();
  await closed;
  expect(await world.ledger.find(rewardId)).toMatchObject({ payment: 'paid' });
});

it('the stop waits until the answer of a payment is on record', async () => {
  const payer = scriptedPayer({});
  const { ledger: inner } = await openReceiver({ payer });
  const gate = createGate();
  const reported = counter();
  const change: Ledger['change'] = async (rewardId, step, options) => {
    if ((await inner.find(rewardId))?.payment === 'paid') {
      reported.add();
      await gate.passed();
    }
    return inner.change(rewardId, step, options);
  };
  const world = await open({ payer, overrides: { ledger: { ...inner, change } } });
  const { reward, rewardId } = world;
  const given = world.post(reward);
  await reported.reached(1);
  let isIdle = false;
  const idle = world
    .answers()
    .idle()
    .then(() => {
      isIdle = true;
    });
  await fetch(`${world.origin}/healthz`);
  expect(isIdle).toBe(false);
  gate.open();
  await idle;
  expect(await inner.find(rewardId)).toMatchObject({ report: 'sent' });
  expect(await given).toEqual(paid);
});

it('a failing ledger is answered 503 and reported to the operator; the payer is not called', async () => {
  const payer = scriptedPayer({});
  const failure = new Failure('ledger', 'the disk is full');
  const world = await open({ payer });
  const { reward } = world;
  const ledger: Ledger = { ...world.ledger, change: () => Promise.reject(failure) };
  const failing = await openReceiver({ payer, overrides: { ledger } });
  expect(await failing.post(reward)).toEqual(unpaid('an inner failure; its outcome will be reported'));
  expect(failing.troubles).toEqual([failure]);
  expect(payer.calls).toEqual([]);
});

it('a payment is answered as paid where its receipt cannot be compared', async () => {
  const payer = scriptedPayer({ script: () => ({ ...pays, answer: { kind: 'paid', ref: 'R1' } }) });
  const world = await open({ payer });
  const { reward } = world;
  const findSameReceipt = () => Promise.reject(new Failure('ledger', 'it cannot be read'));
  const failing = await openReceiver({ payer, overrides: { ledger: { ...world.ledger, findSameReceipt } } });
  expect(await failing.post(reward)).toEqual(paid);
});

it('a payment that is on record in a ledger left behind is not answered as paid', async () => {
  const world = await open();
  const { payer, reward } = world;
  expect(await world.post(reward)).toEqual(paid);
  const failure = new Failure('ledger', 'this ledger is not the one in use');
  const ledger: Ledger = { ...world.ledger, fence: () => Promise.reject(failure) };
  const behind = await openReceiver({ payer, overrides: { ledger } });
  expect(await behind.post(reward)).toMatchObject({ status: 503 });
  expect(behind.troubles).toEqual([failure]);
  expect(payer.calls).toHaveLength(1);
});

it('a reward that a person noted as paid before any run observed it is answered as paid, and not paid again', async () => {
  const world = await open();
  const { payer, reward, rewardId } = world;
  const shown = await world.settlement(payer).service.find(rewardId, {});
  if (shown === undefined) throw new Error('the service shows it');
  await resolveUnseen({ ledger: world.ledger, run: 'a person' }, shown, 'by hand');
  expect(await world.post(reward)).toEqual(paid);
  expect(payer.calls).toEqual([]);
});

const withKeys = { idempotentForMs: 24 * 3_600_000 };

it('a call whose answer is lost is repeated while the service waits, and one that was in doubt before is not', async () => {
  const script = (_payment: unknown, call: number) => ({
    ...(call <= 3 ? losesAnswer : pays),
    isEffective: false,
  });
  const payer = scriptedPayer({ script, capabilities: withKeys });
  const world = await open({ payer });
  const { reward } = world;
  const callsAfterPost = async () => {
    const { status } = await world.awakeUntil(500, world.post(reward));
    world.advance(60_001);
    return { status, calls: payer.calls.length };
  };
  expect(await callsAfterPost()).toEqual({ status: 503, calls: 2 });
  expect(await callsAfterPost()).toEqual({ status: 503, calls: 3 });
  expect(await callsAfterPost()).toEqual({ status: 200, calls: 4 });
});

it('a call that the payer could not take is not repeated while the service waits', async () => {
  const payer = scriptedPayer({ script: () => isGone, capabilities: withKeys });
  const world = await open({ payer });
  const { reward } = world;
  expect((await world.awakeUntil(500, world.post(reward))).status).toBe(503);
  expect(payer.calls).toHaveLength(1);
});

it.each([
  [8_000, 200, 2],
  [8_001, 503, 1],
])('a call whose answer is lost after %i ms is answered %i after %i calls', async (tookMs, status, calls) => {
  const script = () => {
    if (payer.calls.length === 1) world.advance(tookMs);
    return losesAnswer;
  };
  const payer = scriptedPayer({ script, capabilities: withKeys });
  const world = await open({ payer });
  const { reward } = world;
  expect((await world.awakeUntil(500, world.post(reward))).status).toBe(status);
  expect(payer.calls).toHaveLength(calls);
});

it('a call is logged with the time it took, even if the clock of the machine is set back meanwhile', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await openReceiver({ payer });
  const [reward] = await world.waiting();
  const given = world.post(reward);
  await begun.reached(1);
  world.advance(2_000);
  world.setBack(3_600_000);
  gate.open();
  await given;
  await world.logged(1);
  expect(world.answered).toMatchObject([{ tookMs: 2_000 }]);
});
