import { describe, expect, it, test } from 'vitest';
import type { JournalEntry, RequestEnd } from '../../src/store/journal/push-journal.ts';
import { placeEnd } from '../../src/store/journal/request-end.ts';

const [a, b, c]: readonly [JournalEntry, JournalEntry, JournalEntry] = [
  { originId: 'A', contentHash: 'a', productOriginId: 'P', orderOriginId: 'O' },
  { originId: 'B', contentHash: 'b' },
  { originId: 'C', contentHash: 'c' },
];
const copyOf = (entry: JournalEntry): JournalEntry => ({ ...entry });

/** Where an end puts what it names: the state of each entry and its job. */
function placed(end: RequestEnd, begun: readonly JournalEntry[] = [a, b, c]) {
  const fates = placeEnd(begun, end);
  return { states: [...fates.states], jobs: begun.map((_, position) => fates.jobIds[position]) };
}

describe('the end of a request', () => {
  test('that names jobs alone is that of all its entries', () => {
    expect(placed({ jobIds: ['1', '2', '3'] })).toEqual({
      states: [1, 1, 1],
      jobs: ['1', '2', '3'],
    });
  });

  it.each<[string, RequestEnd, readonly number[], readonly (string | undefined)[]]>([
    ['nothing', {}, [0, 0, 0], [undefined, undefined, undefined]],
    [
      'some',
      {
        accepted: [
          { entry: a, jobId: '1' },
          { entry: c, jobId: '3' },
        ],
      },
      [1, 0, 1],
      ['1', undefined, '3'],
    ],
    [
      'copies of some',
      { accepted: [{ entry: copyOf(b), jobId: '2' }] },
      [0, 1, 0],
      [undefined, '2', undefined],
    ],
    [
      'a copy of the first',
      { accepted: [{ entry: copyOf(a), jobId: '1' }] },
      [1, 0, 0],
      ['1', undefined, undefined],
    ],
    [
      'some in another order',
      { accepted: [{ entry: c, jobId: '3' }], unknown: [a] },
      [2, 0, 1],
      [undefined, undefined, '3'],
    ],
    ['unknown ones', { unknown: [b, c] }, [0, 2, 2], [undefined, undefined, undefined]],
    [
      'both',
      { accepted: [{ entry: a, jobId: '1' }], unknown: [copyOf(c)] },
      [1, 0, 2],
      ['1', undefined, undefined],
    ],
  ])('that names %s of its entries is at their places', (_, end, states, jobs) => {
    expect(placed(end)).toEqual({ states, jobs });
  });

  it.each<[string, RequestEnd]>([
    ['another content', { accepted: [{ entry: { ...a, contentHash: 'x' } }] }],
    ['another kind', { unknown: [{ ...a, kind: 'order' }] }],
    ['one that was not begun', { unknown: [{ originId: 'X', contentHash: 'x' }] }],
  ])('cannot name %s', (_, end) => {
    expect(() => placed(end)).toThrow('was not begun so');
  });

  test('that names one of two alike is at the place of the last', () => {
    const end = {
      accepted: [
        { entry: a, jobId: '1' },
        { entry: b, jobId: '2' },
      ],
    };
    expect(placed(end, [a, b, copyOf(a)])).toEqual({
      states: [0, 1, 1],
      jobs: [undefined, '2', '1'],
    });
  });

  test('finds entries of one id by their kinds', () => {
    const order: JournalEntry = { ...a, kind: 'order' };
    expect(placed({ unknown: [copyOf(order)] }, [a, order])).toEqual({
      states: [0, 2],
      jobs: [undefined, undefined],
    });
  });
});
