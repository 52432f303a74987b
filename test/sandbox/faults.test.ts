import { expect, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { TransportError } from '../../src/contract/wire.ts';
import {
  type FaultKind,
  type FaultRates,
  faultKinds,
  parseFaultRates,
  parseFaults,
} from '../../src/sandbox/faults/faults.ts';
import { sandboxAs } from '../../src/sandbox/personas.ts';
import { transportOf } from './in-process.ts';
import { openSandbox, requestOf } from './open-sandbox.ts';

/** Creates a product under a permanent fault. Returns the reply and if the product was created. */
async function createUnder(fault: FaultKind) {
  const { sandbox } = await openSandbox({ faults: { [fault]: 1 } });
  const request = requestOf(sandbox.token, 'POST', '/admin/v2/product', { originId: 'P', name: 'n' });
  const giveUp = new AbortController();
  const reply = transportOf(sandbox)(request, giveUp.signal).catch((error: unknown) => error);
  if (fault === 'stall') {
    await new Promise((resolve) => setImmediate(resolve));
    giveUp.abort(new Error('gave up'));
  }
  return { outcome: await reply, isCreated: sandbox.state.products.size === 1, sandbox };
}

test('throttle: 429 with Retry-After, and not carried out', async () => {
  const { outcome, isCreated } = await createUnder('throttle');
  expect(outcome).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
  expect(isCreated).toBe(false);
});

test('error: 500 or 503 before the effect; error-after: 500 after it', async () => {
  const before = await createUnder('error');
  expect(before.outcome).toMatchObject({ status: expect.toBeOneOf([500, 503]) });
  expect(before.isCreated).toBe(false);
  const after = await createUnder('error-after');
  expect(after.outcome).toMatchObject({ status: 500 });
  expect(after.isCreated).toBe(true);
});

test.each([
  ['reset-before', false],
  ['reset-after', true],
  ['torn', true],
] as const)('%s: no complete reply, and carried out: %s', async (fault, isCarriedOut) => {
  const { outcome, isCreated } = await createUnder(fault);
  expect(outcome).toBeInstanceOf(TransportError);
  expect(outcome).toMatchObject({ wasSent: true });
  expect(isCreated).toBe(isCarriedOut);
});

test('stall: carried out, and no answer until the client gives up', async () => {
  const { outcome, isCreated } = await createUnder('stall');
  expect(outcome).toMatchObject({ message: 'gave up' });
  expect(isCreated).toBe(true);
});

test('wrong-type: carried out, and an HTML page with status 200', async () => {
  const { outcome, isCreated } = await createUnder('wrong-type');
  expect(outcome).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
  expect(isCreated).toBe(true);
});

test('latency: the answer comes after a second, whole', async () => {
  const { sandbox, clock } = await openSandbox({ faults: { latency: 1 }, latencyMs: 20 });
  let hasCome = false;
  const reply = transportOf(sandbox)(requestOf(sandbox.token, 'GET', '/admin/v2/products')).then((given) => {
    hasCome = true;
    return given;
  });
  await clock.asleep(5_000);
  clock.advance(1_019);
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasCome).toBe(false);
  clock.advance(1);
  expect((await reply).status).toBe(200);
});

test('a client that gives up before the answer leaves the effect behind', async () => {
  const { sandbox, clock } = await openSandbox({ latencyMs: 20 });
  const giveUp = new AbortController();
  const request = requestOf(sandbox.token, 'POST', '/admin/v2/product', { originId: 'P', name: 'n' });
  const reply = transportOf(sandbox)(request, giveUp.signal);
  await clock.asleep(5_000);
  giveUp.abort(new Error('gave up'));
  await expect(reply).rejects.toThrow('gave up');
  clock.advance(20);
  await new Promise((resolve) => setImmediate(resolve));
  expect(sandbox.state.products.size).toBe(1);
});

/** The outcomes of `count` requests, one word each. */
async function fates(seed: number, rates: FaultRates, count: number): Promise<string[]> {
  const { sandbox } = await openSandbox({ seed, faults: rates });
  const words: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const request = requestOf(sandbox.token, 'GET', '/admin/v2/products');
    words.push(
      await transportOf(sandbox)(request).then(
        ({ status }) => String(status),
        () => 'lost',
      ),
    );
  }
  return words;
}

test('one seed brings the same faults again, another seed others', async () => {
  const rates = { throttle: 0.1, error: 0.1, 'reset-after': 0.1 };
  const once = await fates(7, rates, 200);
  expect(await fates(7, rates, 200)).toEqual(once);
  expect(await fates(8, rates, 200)).not.toEqual(once);
  const lost = once.filter((word) => word === 'lost').length;
  expect(lost).toBeGreaterThan(5);
  expect(lost).toBeLessThan(40);
});

test('what is carried out follows from the seed too', async () => {
  const { sandbox } = await openSandbox({ seed: 3, faults: { 'reset-before': 0.3, 'reset-after': 0.3 } });
  let lost = 0;
  for (let number = 0; number < 50; number += 1) {
    const body = { originId: `P${number}`, name: 'n' };
    await transportOf(sandbox)(requestOf(sandbox.token, 'POST', '/admin/v2/product', body)).catch(() => {
      lost += 1;
    });
  }
  const counts = sandbox.faults.counts;
  expect((counts['reset-before'] ?? 0) + (counts['reset-after'] ?? 0)).toBe(lost);
  expect(sandbox.state.products.size).toBe(50 - (counts['reset-before'] ?? 0));
});

test('faults are changed at run time, and never strike the controls', async () => {
  const { call, ask } = await openSandbox({ faults: { error: 1 } });
  expect((await call('GET', '/admin/v2/products')).status).toBeGreaterThanOrEqual(500);
  expect(await ask('GET', '/sandbox/faults')).toMatchObject({ rates: { error: 1 }, counts: { error: 1 } });
  expect(await ask('PUT', '/sandbox/faults', { throttle: 1 })).toMatchObject({ rates: { throttle: 1 } });
  expect((await call('GET', '/admin/v2/products')).status).toBe(429);
  await ask('PUT', '/sandbox/faults', {});
  expect((await call('GET', '/admin/v2/products')).status).toBe(200);
  expect((await call('PUT', '/sandbox/faults', { fire: 1 })).status).toBe(422);
  expect((await call('PUT', '/sandbox/faults', { torn: 2 })).status).toBe(422);
});

test('faults are typed as shares or percentages, for every kind', () => {
  expect(parseFaultRates(['torn=10%', 'stall=0.5', 'latency=1'])).toEqual({
    torn: 0.1,
    stall: 0.5,
    latency: 1,
  });
  for (const kind of Object.keys(faultKinds)) expect(parseFaultRates([`${kind}=0`])).toEqual({ [kind]: 0 });
});

test('a fault of the next requests strikes as many and then no more, beside shares and at run time', async () => {
  const { call, ask } = await openSandbox({ faults: parseFaultRates(['throttle=next:2', 'torn=0%']) });
  const statuses = async (count: number) => {
    const seen: number[] = [];
    for (let number = 0; number < count; number += 1)
      seen.push((await call('GET', '/admin/v2/products')).status);
    return seen;
  };
  expect(await statuses(1)).toEqual([429]);
  expect(await ask('GET', '/sandbox/faults')).toEqual({
    rates: { throttle: { next: 1 }, torn: 0 },
    counts: { throttle: 1 },
  });
  expect(await statuses(3)).toEqual([429, 200, 200]);
  await ask('PUT', '/sandbox/faults', { 'error-after': { next: 1 }, throttle: { next: 1 } });
  expect(await statuses(3)).toEqual([429, 500, 200]);
  expect((await call('PUT', '/sandbox/faults', { torn: { next: 0 } })).status).toBe(422);
});

test('list-lag: a new record is missing from lists and their totals for so long, and there by its id', async () => {
  const { call, ask, clock, product } = await openSandbox({ products: 3, ...parseFaults(['list-lag=5s']) });
  const { id } = await product('P');
  const listed = async () => (await ask('GET', '/admin/v2/products')).totalCount;
  expect((await call('GET', `/admin/v2/product/${id}`)).status).toBe(200);
  clock.advance(4999);
  expect(await listed()).toBe(3);
  clock.advance(1);
  expect(await listed()).toBe(4);
});

test('a persona keeps its lag and its faults besides those that are given', () => {
  expect(sandboxAs('lagging', parseFaults(['torn=10%']))).toMatchObject({
    listLagMs: 2000,
    faults: { throttle: 0.02, torn: 0.1 },
  });
  expect(sandboxAs('lagging', parseFaults(['list-lag=5s', 'throttle=0']))).toMatchObject({
    listLagMs: 5000,
    faults: { throttle: 0 },
  });
});

test('list-lag is a duration among the faults, and nothing else is', () => {
  expect(parseFaults(['torn=10%', 'list-lag=5s'])).toEqual({ faults: { torn: 0.1 }, listLagMs: 5000 });
  expect(() => parseFaults(['list-lag=10%'])).toThrow(Failure);
});

test.each([
  'torn',
  'torn=',
  'torn=150%',
  'torn=-1',
  'torn=next:0',
  'torn=next:x',
  'fire=0.1',
  'constructor=0.1',
])('%s is no fault, and the message lists the kinds', (word) => {
  expect(() => parseFaultRates([word])).toThrow(Failure);
  try {
    parseFaultRates([word]);
  } catch (error) {
    expect(error).toMatchObject({
      kind: 'usage',
      hint: expect.stringContaining('reset-before, reset-after'),
    });
  }
});
