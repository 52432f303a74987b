import { expect, it } from 'vitest';
import { paginate } from '../../src/client/paginate.ts';
import { createRepetitionCheck, timedPages } from '../../src/client/timed-pages.ts';
import { apiOver } from './call.ts';
import { replyOf, scriptedTransport } from './scripted-transport.ts';

const startMs = Date.parse('2026-01-01T00:00:00Z');
const window = { fromMs: startMs, toMs: startMs + 60_000 };

/**
 * Reads reviews with these times, in milliseconds from the beginning of the window; returns their number or the error.
 */
async function read(timesMs: readonly number[], direction: 'ASC' | 'DESC'): Promise<unknown> {
  const data = timesMs.map((ms, index) => ({
    id: `r-${index}`,
    createdAt: new Date(startMs + ms).toISOString(),
  }));
  const reply = replyOf(200, { totalCount: data.length, data, pageInfo: { hasNextPage: false } });
  const api = apiOver(scriptedTransport(reply).transport);
  let count = 0;
  try {
    const pages = paginate(api, 'listReviews', {}, { first: 10 });
    for await (const { records } of timedPages(api, 'listReviews', direction, window, pages))
      count += records.length;
    return count;
  } catch (error) {
    return error;
  }
}

it.each<[direction: 'ASC' | 'DESC', timesMs: readonly number[], result: unknown]>([
  ['ASC', [0, 5, 5, 9], 4],
  ['DESC', [9, 5, 5, 0], 4],
  ['ASC', [-1_000, 61_000], 2],
  ['ASC', [0, 9, 8], { kind: 'inconsistent-list' }],
  ['DESC', [0, 9], { kind: 'inconsistent-list' }],
  ['ASC', [-1_001, 5], { kind: 'contradictory-reply' }],
  ['ASC', [5, 61_001], { kind: 'contradictory-reply' }],
])(
  'the records of a window of a list in the order %s may have the times %j: %j',
  async (direction, timesMs, result) => {
    const found = await read(timesMs, direction);
    if (typeof result === 'number') expect(found).toBe(result);
    else expect(found).toMatchObject(result as object);
  },
);

it('a record is known again while neighbouring windows may share it, also among ten thousand others', () => {
  const isRepeated = createRepetitionCheck();
  const timeOf = (index: number) => startMs + index;
  const all = Array.from({ length: 10_001 }, (_, index) => ({
    id: index,
    timeMs: timeOf(index),
    document: {},
  }));
  expect(all.some((record) => isRepeated(record))).toBe(false);
  expect(all.every((record) => isRepeated(record))).toBe(true);
});

it.each([
  ['review', { review: { createdAt: '2020-01-01T00:00:00Z' } }, 'reward'],
  ['reward', { createdAt: '2020-01-01T00:00:00Z' }, 'review'],
] as const)(
  'rewards of another date than that of the %s make one try the other',
  async (means, times, other) => {
    const reply = replyOf(200, {
      totalCount: 1,
      data: [{ id: '1', ...times }],
      pageInfo: { hasNextPage: false },
    });
    const api = apiOver(scriptedTransport(reply).transport, { rewardTimeMeans: means });
    const pages = timedPages(
      api,
      'listRewards',
      'DESC',
      window,
      paginate(api, 'listRewards', {}, { first: 10 }),
    );
    await expect(pages.next()).rejects.toMatchObject({
      kind: 'contradictory-reply',
      hint: expect.stringContaining(`-c reward-time-means=${other}`),
    });
  },
);
