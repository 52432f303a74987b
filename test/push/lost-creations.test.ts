import { describe, expect, it, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import type { Product } from '../../src/contract/resources.ts';
import { createLostCreations } from '../../src/push/lookup/lost-creations.ts';
import { createBreaker } from '../../src/push/steps/breaker.ts';
import { RacingClock } from './racing-clock.ts';

function failureOf(kind: Failure['kind'], isOutcomeUnknown = false) {
  return new ServiceFailure(kind, kind, undefined, {
    operation: 'createProduct',
    reason: 'lost',
    isOutcomeUnknown,
  });
}
const lost = failureOf('unreachable', true);

/** A service that shows each product from a time on, in milliseconds after the beginning. */
function openLosses(shownFromMs: Readonly<Record<string, number>>, trouble?: Error) {
  const clock = new RacingClock();
  const beganMs = clock.monotonicMs();
  const looks: { readonly atMs: number; readonly originIds: readonly string[] }[] = [];
  const breaker = createBreaker();
  const stopping = new AbortController();
  const losses = createLostCreations({
    clock,
    breaker,
    stopping: stopping.signal,
    lookup: {
      find: async (originIds) => {
        const atMs = clock.monotonicMs() - beganMs;
        looks.push({ atMs, originIds });
        if (trouble !== undefined) throw trouble;
        const shown = originIds.filter((originId) => (shownFromMs[originId] ?? Infinity) <= atMs);
        return new Map(shown.map((originId) => [originId, [{ id: originId, originId } as Product]]));
      },
    },
  });
  return { losses, looks, breaker, stop: () => stopping.abort() };
}

describe('a product whose creation was lost', () => {
  test('is found once the service shows it', async () => {
    const { losses } = openLosses({ P1: 900 });
    expect(await losses.poll('P1', lost)).toMatchObject({ originId: 'P1' });
  });

  test('is absent once one that was created later has shown beside it twice, ten seconds apart', async () => {
    const { losses, looks } = openLosses({ P2: 3_000 });
    const looking = losses.poll('P1', lost);
    losses.created('P2', losses.begin());
    expect(await looking).toBeUndefined();
    const [first, last] = [looks.find(({ atMs }) => atMs >= 3_000), looks.at(-1)];
    expect((last?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(10_000);
    expect(last?.originIds).toEqual(['P1', 'P2']);
  });

  it.each([
    ['no later one was created', undefined],
    ['the later one does not show, as in a list that lags', 'P2'],
    ['the other one left before the loss', 'before'],
  ])('stays unknown if %s, and says how often it was looked for', async (_, witness) => {
    const { losses, looks } = openLosses({ before: 0 });
    const before = losses.begin();
    const looking = losses.poll('P1', lost);
    if (witness === 'before') losses.created('before', before);
    else if (witness !== undefined) losses.created(witness, losses.begin());
    const told = await looking.catch((error: unknown) => error);
    expect(told).toMatchObject({
      isOutcomeUnknown: true,
      reason: expect.stringMatching(
        new RegExp(`^lost; looked for ${looks.length} times, the last time at .*Z, and not found$`),
      ),
    });
    expect(looks.at(-1)?.atMs).toBeGreaterThanOrEqual(20_000);
  });

  test('shares its look-ups with the others', async () => {
    const { losses, looks } = openLosses({ P1: 0, P2: 0, P3: 0 });
    await Promise.all(['P1', 'P2', 'P3'].map((originId) => losses.poll(originId, lost)));
    expect(looks.map(({ originIds }) => originIds)).toEqual([['P1', 'P2', 'P3']]);
  });

  test('is looked for no more once the run stops', async () => {
    const { losses, looks, stop } = openLosses({});
    const looking = losses.poll('P1', lost);
    stop();
    await expect(looking).rejects.toMatchObject({ isOutcomeUnknown: true });
    expect(looks.length).toBeLessThan(2);
  });

  it.each([
    ['goes on', 'for what may pass', failureOf('unreachable'), false],
    ['ends', 'for a credential that ended', failureOf('not-authenticated'), true],
    ['ends', 'for lookups that contradict themselves', new Failure('contradictory-reply', 'no'), true],
  ])('that cannot be looked for is unknown, and the push %s %s', async (_, __, trouble, isStopped) => {
    const { losses, breaker } = openLosses({}, trouble);
    await expect(losses.poll('P1', lost)).rejects.toMatchObject({
      isOutcomeUnknown: true,
      reason: 'lost; it could not be looked for',
    });
    expect(breaker.isStoppedBy(trouble)).toBe(isStopped);
  });

  test('that meets a bug fails with it', async () => {
    const { losses } = openLosses({}, new TypeError('a bug'));
    await expect(losses.poll('P1', lost)).rejects.toThrow('a bug');
  });
});
