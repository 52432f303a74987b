import { describe, expect, it, test } from 'vitest';
import { type Outage, withOutagePause } from '../../src/client/outage.ts';
import type { Transport, WireReply } from '../../src/contract/wire.ts';
import { lost, refused, replyOf, requestOf, scriptedTransport } from './scripted-transport.ts';
import { SkippingClock } from './skipping-clock.ts';

const ok = replyOf(200);
const away = replyOf(503);

function open(
  answers: readonly (WireReply | Error)[],
  { waitMs = 60_000, stopping = new AbortController() } = {},
) {
  const { transport, sent } = scriptedTransport(...answers);
  const clock = new SkippingClock();
  const told: Outage[] = [];
  const beganMs = clock.monotonicMs();
  const options = { waitMs, clock, random: () => 0, stopping: stopping.signal };
  const pausing: Transport = withOutagePause(transport, {
    ...options,
    onOutage: (outage) => told.push(outage),
  });
  const send = (method: 'GET' | 'POST') => pausing(requestOf(method)).catch((error: unknown) => error);
  const looks = () => sent.filter(({ path }) => path === '/admin/v2/products?first=1').length;
  return { send, sent, told, looks, stopping, waitedMs: () => clock.monotonicMs() - beganMs };
}

describe('an outage', () => {
  it.each([
    ['a lost answer', lost],
    ['a connection that is refused', refused],
    ['a gateway without a service behind it', replyOf(502)],
    ['503', away],
    ['504', replyOf(504)],
  ])(
    'begins with %s after an answer, and holds requests back until one that looks is answered',
    async (_, sign) => {
      const { send, sent, told, looks } = open([ok, sign, lost, away, replyOf(401), ok]);
      await send('GET');
      expect(await send('POST')).toBe(sign);
      expect(await send('POST')).toBe(ok);
      expect(looks()).toBe(3);
      expect(sent.map(({ method }) => method).join(' ')).toBe('GET POST GET GET GET POST');
      expect(told.map(({ state }) => state)).toEqual(['under-way', 'under-way', 'under-way', 'over']);
    },
  );

  it.each([
    ['a service that never answered', [lost, ok], 60_000],
    ['no wait is allowed', [ok, lost, ok], 0],
    ['a service that refuses too many', [ok, { ...away, isOverloaded: true }, ok], 60_000],
    ['a service that fails', [ok, replyOf(500), ok], 60_000],
  ])('is none for %s', async (_, answers, waitMs) => {
    const { send, told, looks } = open(answers, { waitMs });
    for (const __ of answers) await send('POST');
    expect({ told, looks: looks() }).toEqual({ told: [], looks: 0 });
  });

  test('is waited for as long as is allowed; then each request fails by itself', async () => {
    const { send, sent, told, waitedMs } = open([ok, lost]);
    await send('GET');
    await send('POST');
    expect(await send('POST')).toMatchObject({
      message: 'the service has not answered for 60 s',
      wasSent: false,
    });
    expect(waitedMs()).toBeGreaterThanOrEqual(60_000);
    expect(waitedMs()).toBeLessThan(63_000);
    expect(told.at(-1)?.state).toBe('given-up');
    const { length } = sent;
    expect(await send('POST')).toBe(lost);
    expect(sent).toHaveLength(length + 1);
  });

  test('is not waited for by a run that stops', async () => {
    const { send, stopping, waitedMs } = open([ok, lost]);
    await send('GET');
    await send('POST');
    const held = send('POST');
    stopping.abort();
    expect(await held).toBe(lost);
    expect(waitedMs()).toBeLessThan(1_000);
  });

  test('is looked at by nobody unless a request waits, so that none outlives the last one', async () => {
    const { send, sent, told } = open([ok, lost]);
    await send('GET');
    await send('POST');
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect({ sent: sent.length, told }).toEqual({ sent: 2, told: [] });
  });

  test('ends with the interruption of a look for each request that waits', async () => {
    const interrupted = new Error('interrupted');
    const { send } = open([ok, lost, interrupted]);
    await send('GET');
    await send('POST');
    expect(await Promise.all([send('POST'), send('GET')])).toEqual([interrupted, interrupted]);
  });
});
