import { describe, expect, it, test } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import type { PushDecision } from '../../src/push/decide/decide.ts';
import { bulkRequests } from '../../src/push/send/bulk-requests.ts';
import {
  type BulkRequest,
  type DecidedRecord,
  decideAll,
  outcomeOfDecision,
  planRequests,
} from '../../src/push/send/journaled.ts';
import type { PushOutcome } from '../../src/push/steps/outcome.ts';
import { knownRecords } from './listing-service.ts';

const place = (originId: string) => ({ file: 'a.csv', line: 2, originId });
const record = (originId: string) => ({
  ...place(originId),
  contentHash: `h${originId}`,
  text: `"${originId}"`,
});
const outcome = (originId: string, word: PushOutcome['outcome'], details: object = {}): PushOutcome => ({
  ...place(originId),
  outcome: word,
  ...details,
});

const decisions: Readonly<Record<string, PushDecision>> = {
  send: { kind: 'send' },
  skip: { kind: 'skip', jobId: 'J' },
  reject: { kind: 'reject', reason: 'no' },
  update: { kind: 'update', objectId: '7' },
};

/** Records in batches, each with its decision: `A send`. */
function decided(...batches: readonly (readonly string[])[]) {
  return streamOf(
    batches.map((batch) =>
      batch.map((words): DecidedRecord<ReturnType<typeof record>> => {
        const [originId = '', kind = ''] = words.split(' ');
        return { record: record(originId), decision: decisions[kind] ?? { kind: 'send' } };
      }),
    ),
  );
}

/** A request in words. */
function inWords(request: BulkRequest): string {
  switch (request.kind) {
    case 'bulk':
      return `${request.operation} ${request.entries.map(({ originId }) => originId).join(',')}`;
    case 'update':
      return `update ${request.objectId} ${request.record.originId} ${JSON.stringify(request.body)}`;
    case 'settled':
      return `settled ${request.outcomes.map(({ originId, outcome: word }) => `${originId} ${word}`).join(',')}`;
  }
}

async function planned(batches: ReturnType<typeof decided>, canUpdate = true): Promise<string[][]> {
  const updateOf = ({ originId }: { readonly originId: string }) => ({ productOriginId: originId });
  const plan: string[][] = [];
  const requests = planRequests(batches, 'createOrders', 2, canUpdate ? updateOf : undefined);
  for await (const batch of requests) plan.push(batch.map(inWords));
  return plan;
}

describe('records are grouped into requests', () => {
  it.each<[string, readonly (readonly string[])[], readonly (readonly string[])[]]>([
    [
      'of as many as are wanted, over the batches',
      [
        ['A', 'B', 'C'],
        ['D', 'E'],
      ],
      [['createOrders A,B'], ['createOrders C,D'], ['createOrders E']],
    ],
    ['of no others', [['A', 'B']], [['createOrders A,B']]],
    ['of none', [[]], [[]]],
    [
      'after those that need none, in their order',
      [['A', 'X skip', 'B', 'Y reject', 'C']],
      [['settled X skipped', 'createOrders A,B', 'settled Y rejected'], ['createOrders C']],
    ],
    [
      'beside updates, in their order',
      [['X skip', 'U update', 'A', 'V update', 'B', 'Y skip', 'Z skip']],
      [
        [
          'settled X skipped',
          'update 7 U {"productOriginId":"U"}',
          'update 7 V {"productOriginId":"V"}',
          'createOrders A,B',
          'settled Y skipped,Z skipped',
        ],
      ],
    ],
  ])('%s', async (_, batches, plan) => {
    expect(await planned(decided(...batches))).toEqual(plan);
  });

  test('but not into updates where a kind has none', async () => {
    expect(await planned(decided(['U update', 'A']), false)).toEqual([[], ['createOrders A']]);
  });
});

describe('a record that is not sent', () => {
  it.each<[Parameters<typeof outcomeOfDecision>[1], object]>([
    [
      { kind: 'skip', jobId: 'J' },
      { outcome: 'skipped', jobId: 'J' },
    ],
    [{ kind: 'skip', jobId: undefined }, { outcome: 'skipped' }],
    [
      { kind: 'reject', reason: 'no' },
      { outcome: 'rejected', error: 'no' },
    ],
    [
      { kind: 'unknown', jobId: 'J', reason: 'lost' },
      { outcome: 'unknown', jobId: 'J', error: 'lost' },
    ],
    [
      { kind: 'unknown', jobId: undefined, reason: 'lost' },
      { outcome: 'unknown', error: 'lost' },
    ],
  ])('for the decision %o is told as %o', (decision, told) => {
    expect(outcomeOfDecision(place('A'), decision)).toStrictEqual({ ...place('A'), ...told });
  });
});

describe('records are decided on', () => {
  const journaled = knownRecords({
    A: { contentHash: 'hA' },
    B: { fate: 'unknown' },
    C: { contentHash: 'hOld' },
  });
  const knownBefore = async (kind: string, originIds: readonly string[]) =>
    new Map([...journaled].filter(([originId]) => kind === 'category' && originIds.includes(originId)));
  const deciding = {
    journal: { knownBefore: async () => knownBefore } as never,
    kind: 'category',
    resend: undefined,
  } as const;
  const kindsOf = async (more: object = {}) => {
    const kinds: string[][] = [];
    const batches = decideAll(streamOf([['A', 'B'].map(record), ['C', 'D'].map(record)]), {
      ...deciding,
      ...more,
    });
    for await (const batch of batches) {
      kinds.push(batch.map(({ record: { originId }, decision }) => `${originId} ${decision.kind}`));
    }
    return kinds;
  };

  test('by what the journal knows', async () => {
    expect(await kindsOf()).toEqual([
      ['A skip', 'B unknown'],
      ['C reject', 'D send'],
    ]);
    expect(await kindsOf({ resend: 'unknown' })).toEqual([
      ['A skip', 'B send'],
      ['C reject', 'D send'],
    ]);
  });

  test('by what is found of those that are unknown', async () => {
    const lookUpUnknown = async (known: typeof journaled) =>
      new Map(
        [...known].map(([id, each]) => [id, { ...each, fate: 'accepted', contentHash: `h${id}` } as const]),
      );
    expect(await kindsOf({ lookUpUnknown })).toEqual([
      ['A skip', 'B skip'],
      ['C skip', 'D send'],
    ]);
  });

  test('not at all where they cannot go out whatever is known', async () => {
    const refusalOf = ({ originId }: { readonly originId: string }) => (originId === 'A' ? 'no' : undefined);
    expect((await kindsOf({ refusalOf }))[0]).toEqual(['A reject', 'B unknown']);
  });
});

describe('the plan of a request', () => {
  const settled: BulkRequest = {
    kind: 'settled',
    outcomes: [outcome('A', 'skipped'), outcome('B', 'rejected')],
  };
  const update: BulkRequest = {
    kind: 'update',
    record: record('A'),
    objectId: '7',
    body: { productOriginId: 'P' },
  };
  const whole = { originId: 'O', text: '', records: ['B', 'C'].map(record) };
  const bulk: BulkRequest = { kind: 'bulk', operation: 'createOrders', entries: [record('A'), whole] };
  const write = { create: 'createOrders' };

  it.each<[BulkRequest, readonly object[]]>([
    [settled, settled.outcomes.map((each) => ({ outcome: each }))],
    [
      update,
      [
        {
          outcome: outcome('A', 'updated', { id: '7' }),
          write: { update: '7', body: { productOriginId: 'P' } },
        },
      ],
    ],
    [bulk, ['A', 'B', 'C'].map((id) => ({ outcome: outcome(id, 'queued'), write }))],
  ])('%#: has an entry for each record', (request, entries) => {
    expect(bulkRequests.entriesOf(request)).toEqual(entries);
    expect(bulkRequests.part(request, () => true)).toEqual(request);
    expect(bulkRequests.part(request, () => false)).toBeUndefined();
  });

  it.each<[BulkRequest, string, object | undefined]>([
    [settled, 'B', { ...settled, outcomes: [outcome('B', 'rejected')] }],
    [update, 'A', update],
    [update, 'B', undefined],
    [bulk, 'C', { ...bulk, entries: [whole] }],
    [bulk, 'A', { ...bulk, entries: [record('A')] }],
  ])('%#: is cut to what is wanted: %s', (request, wanted, part) => {
    const isWanted: Parameters<typeof bulkRequests.part>[1] = (records) =>
      records.some(({ outcome: { originId } }) => originId === wanted);
    expect(bulkRequests.part(request, isWanted)).toEqual(part);
  });

  test('that is settled is its outcome', () => {
    expect(bulkRequests.settled(outcome('A', 'skipped'))).toEqual({
      kind: 'settled',
      outcomes: [outcome('A', 'skipped')],
    });
  });
});
