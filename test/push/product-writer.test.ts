import { describe, expect, it, test } from 'vitest';
import type { Failure } from '../../src/base/failure.ts';
import { createApi } from '../../src/client/caller.ts';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { WireReply } from '../../src/contract/wire.ts';
import { createProductWriter } from '../../src/push/send/product-writer.ts';
import { createBreaker } from '../../src/push/steps/breaker.ts';
import { lost, replyOf, scriptedTransport } from '../client/scripted-transport.ts';

const body = { originId: 'P1', name: 'Mug', imageUrl: 'https://shop.example/1.png' };
const mug = { id: '7', originId: 'P1', name: 'Mug', group: { id: 'g' } };
const full = new Error('the disk is full');

interface Habits {
  /** What the service answers to writes. */
  readonly answers: readonly (WireReply | Error)[];
  readonly isJournalFull?: boolean;
}

function openWriter({ answers, isJournalFull = false }: Habits) {
  const { transport, sent } = scriptedTransport(...answers);
  const api = createApi({ transport, assumptions: defaultAssumptions });
  const events: string[] = [];
  const note = (event: string) => {
    events.push(event);
    return isJournalFull ? Promise.reject(full) : Promise.resolve();
  };
  const breaker = createBreaker();
  const writer = createProductWriter({
    api,
    breaker,
    lost: {
      begin: () => 7,
      created: (originId, mark) => events.push(`shown ${originId} of ${mark}`),
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
  return { writer, events, breaker, sent };
}

function failureOf(kind: Failure['kind']) {
  const details = { operation: 'listProducts', reason: kind, isOutcomeUnknown: false };
  return new ServiceFailure(kind, kind, undefined, details);
}

/** Four requests in a row went wrong before. */
function trouble({ breaker }: ReturnType<typeof openWriter>): void {
  for (let count = 1; count <= 4; count += 1) breaker.troubled(failureOf('unreachable'));
}

describe('a creation', () => {
  test('is on record before it leaves and once it is answered', async () => {
    const open = openWriter({ answers: [replyOf(200, mug)] });
    trouble(open);
    expect(await open.writer.create(body)).toEqual({ id: '7', groupId: 'g', shown: mug });
    expect(open.events).toEqual(['begun P1', 'created 7', 'shown P1 of 7']);
    open.breaker.troubled(failureOf('unreachable'));
    expect(() => open.breaker.check()).not.toThrow();
  });

  it.each([null, { id: null }])('in no group has none: %o', async (group) => {
    const { writer } = openWriter({ answers: [replyOf(200, { ...mug, group })] });
    expect((await writer.create(body)).groupId).toBeUndefined();
  });

  test('that is refused is on record as that', async () => {
    const { writer, events } = openWriter({ answers: [replyOf(422, { detail: 'no' })] });
    await expect(writer.create(body)).rejects.toMatchObject({ kind: 'refused' });
    expect(events).toEqual(['begun P1', 'refused']);
  });

  test('whose answer is lost is on record as unknown, and sent once', async () => {
    const { writer, events, sent } = openWriter({ answers: [lost] });
    await expect(writer.create(body)).rejects.toMatchObject({ isOutcomeUnknown: true });
    expect(events).toEqual(['begun P1', 'unknown']);
    expect(sent).toHaveLength(1);
  });

  test('stays open on record where an error was not foreseen', async () => {
    const { events, ...open } = openWriter({ answers: [] });
    await expect(open.writer.create(body)).rejects.toThrow(TypeError);
    expect(events).toEqual(['begun P1']);
  });

  test('ends the push where the journal cannot record that it was created', async () => {
    const { writer, breaker } = openWriter({ answers: [replyOf(200, mug)], isJournalFull: true });
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
