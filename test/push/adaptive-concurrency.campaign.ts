import { describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../src/base/random.ts';
import { replyOf } from '../client/scripted-transport.ts';
import { type ServiceModel, simulate } from './simulated-service.ts';

const runMs = 20_000;

/** `mean` with log-normal noise: usually within a third above or below it. */
function noisy(mean: number, random: Random): number {
  const deviation = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return mean * Math.exp(0.3 * deviation - 0.045);
}

function noisyService(latencyMs: (inFlight: number) => number): ServiceModel {
  const random = seededRandom(7);
  return (_, inFlight) => ({ latencyMs: noisy(latencyMs(inFlight), random) });
}

function refusing(
  isRefused: (atMs: number, inFlight: number) => boolean,
  { latencyMs = 20, headers = {} } = {},
): ServiceModel {
  const refusal = { latencyMs: 2, reply: replyOf(429, '', headers) };
  return (atMs, inFlight) => (isRefused(atMs, inFlight) ? refusal : { latencyMs });
}

/** Refuses requests beyond `perSecond`, by a token bucket for a fifth of a second. */
function rateLimit(perSecond: number): (atMs: number) => boolean {
  let store = perSecond / 5;
  let lastMs = 0;
  return (atMs) => {
    store = Math.min(perSecond / 5, store + ((atMs - lastMs) * perSecond) / 1000);
    lastMs = atMs;
    if (store < 1) return true;
    store -= 1;
    return false;
  };
}

const steady: readonly (readonly [service: string, model: () => ServiceModel, bestFixed: number])[] = [
  ['always takes 20 ms', () => () => ({ latencyMs: 20 }), 64],
  ['always takes 200 ms', () => () => ({ latencyMs: 200 }), 64],
  ['takes 20 ms, more or less', () => noisyService(() => 20), 64],
  ['bears 32 at once', () => (_, n) => ({ latencyMs: 20 * Math.max(1, n / 32) }), 32],
  [
    'gets less done with more than 32 at once',
    () => (_, n) => ({ latencyMs: 20 * Math.max(1, n / 32) ** 2 }),
    32,
  ],
  ['does so, more or less', () => noisyService((n) => 20 * Math.max(1, n / 32) ** 2), 32],
  ['bears 5 at once', () => (_, n) => ({ latencyMs: 20 * Math.max(1, n / 5) }), 5],
  ['is slow at first', () => (atMs) => ({ latencyMs: atMs < 1000 ? 200 : 20 }), 64],
  ['grows slow', () => (atMs, n) => ({ latencyMs: (atMs < 2000 ? 20 : 60) * Math.max(1, n / 32) ** 2 }), 32],
  [
    'has a pause of its own now and then',
    () => (atMs) => ({ latencyMs: 20 + Math.max(0, 60 - (atMs % 500)) }),
    64,
  ],
];

describe('the concurrency found out', () => {
  it.each(steady)(
    'gets done what the best fixed one does, but for a tenth, with a service that %s',
    async (_, model, best) => {
      const fixed = await simulate(model(), best, runMs);
      const auto = await simulate(model(), 'auto', runMs);
      expect(auto.done / fixed.done).toBeGreaterThan(0.9);
      expect(auto.most).toBeLessThanOrEqual(64);
    },
  );

  it.each([
    ['more than 32 at once', () => refusing((_, n) => n > 32), 32],
    ['more than 12 at once', () => refusing((_, n) => n > 12), 12],
    [
      'more than 32 at once, which take longer than a pause,',
      () => refusing((_, n) => n > 32, { latencyMs: 200 }),
      32,
    ],
    ['more than 500 a second', () => refusing(rateLimit(500)), 10],
    ['more than 1500 a second', () => refusing(rateLimit(1500)), 30],
  ] as const)('does so where 429 answers %s, refused seldom and never for good', async (_, model, best) => {
    const fixed = await simulate(model(), best, runMs);
    const auto = await simulate(model(), 'auto', runMs);
    expect(auto.done / fixed.done).toBeGreaterThan(0.9);
    expect(auto.refused / auto.done).toBeLessThan(0.05);
    expect(auto.failed).toBe(0);
  });

  it('costs an eighth at most where each 429 asks for a second of patience', async () => {
    const model = () => refusing((_, n) => n > 32, { headers: { 'retry-after': '1' } });
    const fixed = await simulate(model(), 32, runMs);
    const auto = await simulate(model(), 'auto', runMs);
    expect(auto.done / fixed.done).toBeGreaterThan(0.875);
    expect(auto.refused).toBeLessThan(100);
  });

  it.each([429, 503])('is back soon after a second of nothing but %i', async (status) => {
    const model = (): ServiceModel => (atMs) => ({
      latencyMs: 20,
      reply: replyOf(atMs > 2000 && atMs < 3000 ? status : 200),
    });
    const fixed = await simulate(model(), 64, runMs);
    const auto = await simulate(model(), 'auto', runMs);
    expect(auto.done / fixed.done).toBeGreaterThan(0.9);
  });

  it('stays above what 16 at once get done where an answer in a thousand is a 503 by chance', async () => {
    const failing = (): ServiceModel => {
      const random = seededRandom(3);
      return () => ({ latencyMs: 20, reply: replyOf(random() < 0.001 ? 503 : 200) });
    };
    const fixed = await simulate(failing(), 16, runMs);
    const auto = await simulate(failing(), 'auto', runMs);
    expect(auto.done).toBeGreaterThan(1.5 * fixed.done);
  });
});
