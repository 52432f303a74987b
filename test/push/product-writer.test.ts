import { describe, expect, it, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { createApi } from '../../src/client/caller.ts';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { Evidence } from '../../src/contract/evidence.ts';
import type { Product } from '../../src/contract/resources.ts';
import type { WireReply } from '../../src/contract/wire.ts';
import { createProductWriter } from '../../src/push/send/product-writer.ts';
import { createBreaker } from '../../src/push/steps/breaker.ts';
import { lost, replyOf, scriptedTransport } from '../client/scripted-transport.ts';
import { RacingClock } from './racing-clock.ts';

const body = { originId: 'P1', name: 'Mug', imageUrl: 'https://shop.example/1.png' };
const mug = { id: '7', originId: 'P1', name: 'Mug', group: { id: 'g' } };
const full = new Error('the disk is full');

interface Habits {
  /** What the service answers to writes. */
  readonly answers: readonly (WireReply | Error)[];
  /** What comes of looking for the product, one time after the other; the last one from then on. */
  readonly looks?: readonly (Product | undefined | Error)[];
  readonly isJournalFull?: boolean;
  /** The look with which the run is told to stop. */
  readonly stopsAt?: number;
}

function openWriter({ answers, looks = [undefined], isJournalFull = false, stopsAt }: Habits) {
  const { transport, sent } = scriptedTransport(...answers);
  const evidence: Evidence[] = [];
  const api = createApi({
    transport,
    assumptions: defaultAssumptions,
    onEvidence: (one) => evidence.push(one),
  });
  const events: string[] = [];
  const note = (event: string) => {
    events.push(event);
    return isJournalFull ? Promise.reject(full) : Promise.resolve();
  };
  let looked = 0;
  const breaker = createBreaker();
  const stopping = new AbortController();
  const clock = new RacingClock();
  const writer = createProductWriter({
    api,
    breaker,
    clock,
    stopping: stopping.signal,
    random: () => 0,
    lookup: {
      find: async (originIds) => {
        const found = looks[Math.min(looked, looks.length - 1)];
        looked += 1;
        if (looked === stopsAt) stopping.abort();
        if (found instanceof Error) throw found;
        return new Map(found === undefined ? [] : originIds.map((originId) => [originId, [found]]));
      },
    },
    journal: {
      known: async () => () => undefined,
      begin: async ({ originId }) => {
        events.push(`begun ${originId}`);
        return {
          created: (id) => note(`created ${id}`),
          outcomeUnknown: () => note('unknown'),
          refused: () => note('refused'),
        };
      },
      taken: ({ originId, imageUrl }, id) => note(`taken ${originId} ${imageUrl} ${id}`),
    },
  });
  const startedMs = clock.monotonicMs();
  return {
    ...{ writer, events, breaker, sent },
    looked: () => looked,
    waitedMs: () => clock.monotonicMs() - startedMs,
    late: () => evidence.filter(({ assumption }) => assumption === 'listConsistency'),
  };
}

function failureOf(kind: Failure['kind']) {
  const details = { operation: 'listProducts', reason: kind, isOutcomeUnknown: false };
  return new ServiceFailure(kind, kind, undefined, details);
}

/** Four requests in a row went wrong before. */
function trouble({ breaker }: ReturnType<typeof openWriter>): void {
  for (let count = 1; count <= 4; count += 1) breaker.troubled(failureOf('unreachable'));
}

describe('a creation whose answer is lost', () => {
  test('that cannot be looked for with this credential stops the push, too', async () => {
    const { writer, breaker } = openWriter({ answers: [lost], looks: [failureOf('not-authenticated')] });
    await expect(writer.create(body)).rejects.toMatchObject({ isOutcomeUnknown: true });
    expect(() => breaker.check()).toThrow(failureOf('not-authenticated'));
  });

  test('is looked for no more once the run is told to stop, and stays unknown', async () => {
    const { writer, events, looked } = openWriter({ answers: [lost], stopsAt: 2 });
    await expect(writer.create(body)).rejects.toMatchObject({ isOutcomeUnknown: true });
    expect(looked()).toBe(2);
    expect(events).toEqual(['begun P1', 'unknown']);
  });
});

describe('a creation', () => {
  test('is on record before it leaves and once it is answered', async () => {
    const open = openWriter({ answers: [replyOf(200, mug)] });
    trouble(open);
    expect(await open.writer.create(body)).toEqual({ id: '7', groupId: 'g', shown: mug });
    expect(open.events).toEqual(['begun P1', 'created 7']);
    expect(open.looked()).toBe(0);
    open.breaker.troubled(failureOf('unreachable'));
    expect(() => open.breaker.check()).not.toThrow();
  });

  it.each([null, { id: null }])('in no group has none: %o', async (group) => {
    const { writer } = openWriter({ answers: [replyOf(200, { ...mug, group })] });
    expect((await writer.create(body)).groupId).toBeUndefined();
  });

  test('that is refused is on record as that, and is not looked for', async () => {
    const { writer, events, looked } = openWriter({ answers: [replyOf(422, { detail: 'no' })] });
    await expect(writer.create(body)).rejects.toMatchObject({ kind: 'refused' });
    expect(events).toEqual(['begun P1', 'refused']);
    expect(looked()).toBe(0);
  });

  test('whose answer is lost is looked for, with pauses that grow, and is on record once it is found', async () => {
    const found = mug as unknown as Product;
    const { writer, events, sent, ...open } = openWriter({
      answers: [lost],
      looks: [undefined, undefined, found],
    });
    expect(await writer.create(body)).toEqual({ id: '7', groupId: 'g', shown: mug });
    expect(events).toEqual(['begun P1', 'unknown', 'taken P1 https://shop.example/1.png 7']);
    expect(sent).toHaveLength(1);
    expect([open.looked(), open.waitedMs()]).toEqual([3, 50 + 100 + 200]);
    expect(open.late()).toEqual([
      {
        assumption: 'listConsistency',
        verdict: 'confirmed',
        finding: 'the list of products showed one whose creation was lost',
      },
    ]);
  });

  test('that is not found stays unknown after nine looks', async () => {
    const { writer, events, looked, late } = openWriter({ answers: [lost] });
    await expect(writer.create(body)).rejects.toMatchObject({ isOutcomeUnknown: true });
    expect(events).toEqual(['begun P1', 'unknown']);
    expect(looked()).toBe(9);
    expect(late()).toEqual([]);
  });

  it.each([
    ['unreachable', failureOf('unreachable'), { isOutcomeUnknown: true }],
    ['a contradiction', new Failure('contradictory-reply', 'no'), { isOutcomeUnknown: true }],
    ['a credential that ended', failureOf('not-authenticated'), { isOutcomeUnknown: true }],
    ['a bug', new TypeError('a bug'), { message: 'a bug' }],
  ])('that cannot be looked for is unknown, except for a bug: %s', async (_, error, told) => {
    const { writer, looked } = openWriter({ answers: [lost], looks: [error] });
    await expect(writer.create(body)).rejects.toMatchObject(told);
    expect(looked()).toBe(1);
  });

  test('stays open on record where an error was not foreseen', async () => {
    const { events, ...open } = openWriter({ answers: [] });
    await expect(open.writer.create(body)).rejects.toThrow(TypeError);
    expect(events).toEqual(['begun P1']);
  });

  it.each<[string, Habits]>([
    ['created', { answers: [replyOf(200, mug)] }],
    ['found', { answers: [lost], looks: [mug as unknown as Product] }],
  ])('ends the push where the journal cannot record that it was %s', async (_, habits) => {
    const { writer, breaker } = openWriter({ ...habits, isJournalFull: true });
    expect(await writer.create(body)).toMatchObject({ id: '7' });
    expect(() => breaker.check()).toThrow(full);
  });

  test('likewise where it was refused, which is told', async () => {
    const { writer, breaker } = openWriter({
      answers: [replyOf(422, { detail: 'no' })],
      isJournalFull: true,
    });
    await expect(writer.create(body)).rejects.toMatchObject({ kind: 'refused' });
    expect(() => breaker.check()).toThrow(full);
  });
});

test('an update is sent, and returned as the service shows the product then', async () => {
  const open = openWriter({ answers: [replyOf(200, mug)] });
  trouble(open);
  expect(await open.writer.update('7', { name: 'Mug' })).toEqual(mug);
  expect(open.sent.map(({ path, body: text }) => [path, text])).toEqual([
    ['/admin/v2/product/7', '{"name":"Mug"}'],
  ]);
  open.breaker.troubled(failureOf('unreachable'));
  expect(() => open.breaker.check()).not.toThrow();
});
