import { describe, expect, it, test } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import type { PushDecision } from '../../src/push/decide/decide.ts';
import { type PlanRequest, partOf, planEntriesOf } from '../../src/push/plan/request.ts';
import { type DecidedRecord, decideAll, itemUpdate, planRequests } from '../../src/push/send/journaled.ts';
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

const decidedUpdate = { kind: 'update', objectId: '7', replaces: 'h' } as const;
const decisions: Readonly<Record<string, PushDecision>> = {
  send: { kind: 'send' },
  skip: { kind: 'skipped', jobId: 'J' },
  reject: { kind: 'rejected', error: 'no' },
  update: decidedUpdate,
};

/** Records in batches with their decisions: `A send`. */
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

/** A readable form of a request. */
function inWords(request: PlanRequest): string {
  if ('operation' in request)
    return `${request.operation} ${request.entries.map(({ originId }) => originId).join(',')}`;
  if ('outcome' in request) return `${request.outcome.originId} ${JSON.stringify(request.write)}`;
  return `settled ${request.outcomes.map(({ originId, outcome: word }) => `${originId} ${word}`).join(',')}`;
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
          'U {"update":"7","body":{"productOriginId":"U"},"replaces":"h"}',
          'V {"update":"7","body":{"productOriginId":"V"},"replaces":"h"}',
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

describe('records are decided on', () => {
  const journaled = knownRecords({
    A: { contentHash: 'hA' },
    B: { fate: 'unknown' },
    C: { contentHash: 'hOld' },
  });
  const knownBefore = async (kind: string, originIds: readonly string[]) =>
    new Map([...journaled].filter(([originId]) => kind === 'category' && originIds.includes(originId)));
  const kindsOf = async (
    findings: Parameters<typeof decideAll<ReturnType<typeof record>>>[3] = {},
    resend?: 'unknown',
  ) => {
    const kinds: string[][] = [];
    const journal = { knownBefore: async () => ({ known: knownBefore }) } as never;
    const batches = streamOf([['A', 'B'].map(record), ['C', 'D'].map(record)]);
    for await (const batch of decideAll(batches, { journal, resend }, 'category', findings)) {
      kinds.push(batch.map(({ record: { originId }, decision }) => `${originId} ${decision.kind}`));
    }
    return kinds;
  };

  test('by what the journal knows', async () => {
    expect(await kindsOf()).toEqual([
      ['A skipped', 'B unknown'],
      ['C rejected', 'D send'],
    ]);
    expect(await kindsOf({}, 'unknown')).toEqual([
      ['A skipped', 'B send'],
      ['C rejected', 'D send'],
    ]);
  });

  test('by what is found of those that are unknown', async () => {
    const find = async (known: typeof journaled) =>
      new Map(
        [...known].map(([id, each]) => [id, { ...each, fate: 'accepted', contentHash: `h${id}` } as const]),
      );
    expect(await kindsOf({ search: { find, record: async () => undefined } })).toEqual([
      ['A skipped', 'B skipped'],
      ['C skipped', 'D send'],
    ]);
  });

  test('not at all where they cannot go out whatever is known', async () => {
    const refusalOf = ({ originId }: { readonly originId: string }) => (originId === 'A' ? 'no' : undefined);
    expect((await kindsOf({ refusalOf }))[0]).toEqual(['A rejected', 'B unknown']);
  });
});

describe('the plan of a request', () => {
  const settled = { outcomes: [outcome('A', 'skipped'), outcome('B', 'rejected')] };
  const update = itemUpdate(record('A'), decidedUpdate, { productOriginId: 'P' });
  const whole = { originId: 'O', text: '', records: ['B', 'C'].map(record), owner: record('O') };
  const bulk = { operation: 'createOrders', entries: [record('A'), whole] } as const;
  const write = { create: 'createOrders' };

  it.each<[PlanRequest, readonly object[]]>([
    [settled, settled.outcomes.map((each) => ({ outcome: each }))],
    [update, [update]],
    [bulk, ['A', 'B', 'C'].map((id) => ({ outcome: outcome(id, 'queued'), write }))],
  ])('%#: has an entry for each record', (request, entries) => {
    expect(planEntriesOf(request)).toEqual(entries);
    expect(partOf(request, () => true)).toEqual(request);
    expect(partOf(request, () => false)).toBeUndefined();
  });

  it.each<[PlanRequest, string, object | undefined]>([
    [settled, 'B', { ...settled, outcomes: [outcome('B', 'rejected')] }],
    [update, 'A', update],
    [update, 'B', undefined],
    [bulk, 'C', { ...bulk, entries: [whole] }],
    [bulk, 'A', { ...bulk, entries: [record('A')] }],
  ])('%#: is cut to what is wanted: %s', (request, wanted, part) => {
    const isWanted: Parameters<typeof partOf>[1] = (records) =>
      records.some(({ outcome: { originId } }) => originId === wanted);
    expect(partOf(request, isWanted)).toEqual(part);
  });
});
