import { describe, expect, it, test } from 'vitest';
import { type Answer, answerOf, knownRecord, positionIn } from '../../src/store/journal/packed/answer.ts';
import { AnswerChanges } from '../../src/store/journal/packed/answer-changes.ts';
import { addItems, ordersOf } from '../../src/store/journal/packed/answer-items.ts';
import { JobPageReader, jobFilter } from '../../src/store/journal/packed/answer-jobs.ts';
import { packEntries } from '../../src/store/journal/packed/entry-codec.ts';
import { kindCodes, stateCodes } from '../../src/store/journal/packed/enum-codes.ts';
import { noFates, packFates } from '../../src/store/journal/packed/fate-codec.ts';
import type { JournalEntry } from '../../src/store/journal/push-journal.ts';

type State = keyof typeof stateCodes;
type Entry = JournalEntry & { readonly state: State; readonly jobId?: string; readonly objectId?: string };

/** An answer to a request for order items, as a store gives it back. */
function answerWith(entries: readonly Entry[], id = 1): Answer {
  const fates = noFates(entries.length);
  for (const [position, { state, jobId, objectId }] of entries.entries()) {
    fates.states[position] = stateCodes[state];
    fates.jobIds[position] = jobId;
    fates.objectIds[position] = objectId;
    fates.failureReasons[position] = state === 'failed' ? 'no such product' : undefined;
  }
  const kind = kindCodes['order-item'];
  return answerOf({
    id,
    kind,
    run: 'run',
    entries: packEntries('order-item', entries),
    fates: packFates(fates),
  });
}

const item = (originId: string, state: State, more: Partial<Entry> = {}): Entry => {
  return { originId, contentHash: `hash of ${originId}`, orderOriginId: 'O1', state, ...more };
};
const order: Entry = { originId: 'O1', contentHash: 'h', kind: 'order', state: 'accepted', jobId: 'j1' };

describe('what is known of a record', () => {
  it.each([
    ['unknown', { fate: 'unknown' }],
    ['accepted', { fate: 'accepted' }],
    ['succeeded', { fate: 'accepted', jobState: 'succeeded' }],
    ['failed', { fate: 'accepted', jobState: 'failed' }],
  ] as const)('that is %s', (state, known) => {
    const answer = answerWith([item('I1', state, { jobId: 'j1', objectId: '7', productOriginId: 'P1' })]);
    expect(knownRecord({ answer, position: 0 })).toEqual({
      ...known,
      contentHash: 'hash of I1',
      jobId: 'j1',
      objectId: '7',
      productOriginId: 'P1',
      orderOriginId: 'O1',
    });
  });

  test('is decided by its entry that has a fate', () => {
    const answer = answerWith([item('I1', 'none'), item('I2', 'none'), item('I1', 'unknown')]);
    const code = kindCodes['order-item'];
    expect(['I1', 'I2', 'I3'].map((id) => positionIn(answer, code, id))).toEqual([2, -1, -1]);
    expect(positionIn(answer, kindCodes.order, 'I1')).toBe(-1);
  });
});

describe('the items of an answer', () => {
  const answer = answerWith([
    order,
    item('I1', 'accepted', { productOriginId: 'P1' }),
    item('I2', 'failed'),
    item('I3', 'none', { orderOriginId: 'O2' }),
    item('I4', 'unknown'),
    item('I5', 'succeeded', { orderOriginId: 'O3' }),
    item('I6', 'succeeded'),
    item('I7', 'none'),
    { ...item('U1', 'accepted', { orderOriginId: 'O9' }), kind: 'order-item-update' },
    { ...item('U2', 'accepted'), kind: 'order-item-update' },
  ]);

  test('are of these orders, each of which is named once for those that follow one another', () => {
    expect([...ordersOf(answer)]).toEqual(['O1', 'O3', 'O1']);
    expect([...ordersOf(answerWith([order]))]).toEqual([]);
    const ofNone: Entry = { originId: 'I2', contentHash: 'h', state: 'accepted' };
    expect([...ordersOf(answerWith([item('I1', 'accepted'), ofNone]))]).toEqual(['O1']);
    expect([...ordersOf(answerWith([{ originId: 'I1', contentHash: 'h', state: 'accepted' }]))]).toEqual([]);
  });

  test('of an order have their products, but for those that failed', () => {
    const items = new Map([['I0', 'P0' as string | undefined]]);
    addItems(items, 'O1', answer);
    expect([...items]).toEqual([
      ['I0', 'P0'],
      ['I1', 'P1'],
      ['I4', undefined],
      ['I6', undefined],
    ]);
  });
});

describe('a page of jobs', () => {
  const answer = answerWith([
    order,
    item('I1', 'accepted', { jobId: 'j1', objectId: '7' }),
    item('I2', 'failed', { jobId: 'j2' }),
    item('I3', 'none', { jobId: 'j3' }),
    item('I4', 'unknown'),
    item('I5', 'succeeded', { jobId: 'j5' }),
    { ...item('C1', 'accepted', { jobId: 'j6' }), kind: 'category' },
  ]);
  const jobsIn = (filter: ReturnType<typeof jobFilter>, position = 0) =>
    new JobPageReader({ answer: 1, position }, filter).take([answer])?.page.map(({ jobId }) => jobId);

  test('has what is known of each', () => {
    const page = new JobPageReader({ answer: 1, position: 0 }, jobFilter('failed', undefined)).take([answer]);
    expect(page).toEqual({
      page: [
        {
          jobId: 'j2',
          state: 'failed',
          kind: 'order-item',
          originId: 'I2',
          objectId: null,
          failureReason: 'no such product',
          run: 'run',
        },
      ],
    });
  });

  it.each([
    [undefined, undefined, ['j1', 'j2', 'j5', 'j6']],
    ['pending', undefined, ['j1', 'j6']],
    [undefined, 'category', ['j6']],
    ['pending', 'order-item', ['j1']],
    ['succeeded', 'category', []],
  ] as const)('in the state %s, of the kind %s, has %j', (state, kind, jobs) => {
    expect(jobsIn(jobFilter(state, kind))).toEqual(jobs);
  });

  test('begins in the middle of the answer where it shall, and of no other', () => {
    expect(jobsIn(jobFilter(undefined, undefined), 3)).toEqual(['j5', 'j6']);
    const reader = new JobPageReader({ answer: 0, position: 3 }, jobFilter(undefined, undefined));
    expect(reader.take([answer])?.page).toHaveLength(4);
  });

  test('of a state reads the answers alone that have it', () => {
    const wanted = (state: Parameters<typeof jobFilter>[0]) =>
      new JobPageReader({ answer: 5, position: 0 }, jobFilter(state, undefined)).wanted;
    expect(wanted('failed')).toEqual({ id: 4, mask: 1 << stateCodes.failed, limit: 20 });
    expect(wanted(undefined).mask).toBe(
      (['accepted', 'unknown', 'succeeded', 'failed'] as const).reduce(
        (sum, one) => sum | (1 << stateCodes[one]),
        0,
      ),
    );
  });

  test('has 500, and names the entry with which the next one begins', () => {
    const many = (id: number, count: number) =>
      answerWith(
        Array.from({ length: count }, (_, at) => item(`${id}-${at}`, 'accepted', { jobId: `j${at}` })),
        id,
      );
    const filter = jobFilter(undefined, undefined);
    const reader = new JobPageReader({ answer: 1, position: 0 }, filter);
    const twenty = Array.from({ length: 20 }, (_, index) => many(index + 1, 20));
    expect(reader.take(twenty)).toBeUndefined();
    expect(reader.wanted.id).toBe(20);
    const { page, next } = reader.take([many(21, 99), many(22, 5)]) ?? {};
    expect([page?.length, next]).toEqual([500, { answer: 22, position: 1 }]);
    const last = new JobPageReader({ answer: 22, position: 1 }, filter).take([many(22, 5)]);
    expect([last?.page.length, last?.next]).toEqual([4, undefined]);
  });
});

describe('changes of answers', () => {
  const answer = answerWith([
    item('I1', 'accepted', { jobId: 'j1' }),
    item('I2', 'unknown', { jobId: 'j2' }),
    item('I3', 'unknown'),
    item('I4', 'unknown'),
  ]);

  test('are those of all their entries together, and leave the answer as it was', () => {
    const changes = new AnswerChanges();
    changes.endJob(
      { answer, position: 0 },
      { originId: 'I1', jobId: 'j1', state: 'failed', failureReason: 'why', objectId: '7' },
    );
    changes.settle({ answer, position: 1 }, 'sent');
    changes.settle({ answer, position: 2 }, 'sent');
    changes.settle({ answer, position: 3 }, 'not-sent');
    const [changed, ...others] = changes.all();
    expect(others).toEqual([]);
    expect(changed?.answer).toBe(answer);
    const { failed, succeeded, accepted, none } = stateCodes;
    expect([...(changed?.fates.states ?? [])]).toEqual([failed, succeeded, accepted, none]);
    expect([changed?.fates.failureReasons[0], changed?.fates.objectIds[0]]).toEqual(['why', '7']);
    expect(answer.fates.stateAt(0)).toBe(accepted);
    changes.clear({ answer, position: 0 });
    expect([...changes.all()][0]?.fates.jobIds[0]).toBeUndefined();
  });

  test('are none where a record has another job by now', () => {
    const changes = new AnswerChanges();
    changes.endJob({ answer, position: 0 }, { originId: 'I1', jobId: 'j9', state: 'failed' });
    expect([...changes.all()]).toEqual([]);
  });
});
