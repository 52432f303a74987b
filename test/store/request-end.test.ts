import { describe, expect, it, test } from 'vitest';
import type { JournalEntry, RequestEnd } from '../../src/store/journal/push-journal.ts';
import { matchOutcomes } from '../../src/store/journal/request-end.ts';

const [a, b, c]: readonly [JournalEntry, JournalEntry, JournalEntry] = [
  { originId: 'A', contentHash: 'a', productOriginId: 'P', orderOriginId: 'O' },
  { originId: 'B', contentHash: 'b' },
  { originId: 'C', contentHash: 'c' },
];
const copyOf = (entry: JournalEntry): JournalEntry => ({ ...entry });

/** The state and the job of each entry. */
function placed(end: RequestEnd, begun: readonly JournalEntry[] = [a, b, c]) {
  const outcomes = matchOutcomes(begun, end);
  return { states: [...outcomes.states], jobs: begun.map((_, position) => outcomes.jobIds[position]) };
}

describe('the end of a request', () => {
  test('that names jobs alone is that of all its entries', () => {
    expect(placed({ jobIds: ['1', '2', '3'] })).toEqual({
      states: ['accepted', 'accepted', 'accepted'],
      jobs: ['1', '2', '3'],
    });
  });

  it.each<[string, RequestEnd, readonly string[], readonly (string | undefined)[]]>([
    ['nothing', {}, ['none', 'none', 'none'], [undefined, undefined, undefined]],
    [
      'some',
      {
        accepted: [
          { entry: a, jobId: '1' },
          { entry: c, jobId: '3' },
        ],
      },
      ['accepted', 'none', 'accepted'],
      ['1', undefined, '3'],
    ],
    [
      'copies of some',
      { accepted: [{ entry: copyOf(b), jobId: '2' }] },
      ['none', 'accepted', 'none'],
      [undefined, '2', undefined],
    ],
    [
      'a copy of the first',
      { accepted: [{ entry: copyOf(a), jobId: '1' }] },
      ['accepted', 'none', 'none'],
      ['1', undefined, undefined],
    ],
    [
      'some in another order',
      { accepted: [{ entry: c, jobId: '3' }], unknown: [a] },
      ['unknown', 'none', 'accepted'],
      [undefined, undefined, '3'],
    ],
    ['unknown ones', { unknown: [b, c] }, ['none', 'unknown', 'unknown'], [undefined, undefined, undefined]],
    [
      'both',
      { accepted: [{ entry: a, jobId: '1' }], unknown: [copyOf(c)] },
      ['accepted', 'none', 'unknown'],
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
      states: ['none', 'accepted', 'accepted'],
      jobs: [undefined, '2', '1'],
    });
  });

  test('finds entries of one id by their kinds', () => {
    const order: JournalEntry = { ...a, kind: 'order' };
    expect(placed({ unknown: [copyOf(order)] }, [a, order])).toEqual({
      states: ['none', 'unknown'],
      jobs: [undefined, undefined],
    });
  });
});
