import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pageOf, recordsIn, standInShop } from './serve-stand-in.ts';

const secondMs = 1000;

/** A shop whose list of reviews is sorted by change, with offsets as cursors. `between` is called after every page. */
async function reviewShop(between: (page: number) => void = () => undefined, pageSize = 100) {
  const reviews = new Map<string, { id: string; text: string; updatedAt: string }>();
  const nowMs = Math.floor(Date.now() / secondMs) * secondMs;
  const write = (id: string, agoMs: number, text = id) =>
    reviews.set(id, { id, text, updatedAt: new Date(nowMs - agoMs).toISOString() });
  let pages = 0;
  const shop = await standInShop({
    'GET /admin/v2/reviews': ({ query }) => {
      const sinceMs = Date.parse(query.get('updatedAtStart') ?? '') || 0;
      const list = [...reviews.values()]
        .filter(({ updatedAt }) => Date.parse(updatedAt) >= sinceMs)
        .toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt));
      const from = Number(query.get('after') ?? 0);
      const data = list.slice(from, from + pageSize);
      const end = from + data.length;
      pages += 1;
      between(pages);
      return {
        ...pageOf(data),
        totalCount: list.length,
        pageInfo: { hasNextPage: end < list.length, endCursor: `${end}` },
      };
    },
  });
  const read = async () => {
    const result = await shop.cli('reviews', 'list', '--since-last', 'nightly');
    return { ...result, ids: recordsIn(result).map(({ id }) => id) };
  };
  return { ...shop, reviews, write, read, nowMs };
}

test('a review with a time of the future silences no later one, and is named', async () => {
  const shop = await reviewShop();
  shop.write('old', 3_600_000);
  shop.reviews.set('future', { id: 'future', text: 'x', updatedAt: '2099-01-01T00:00:00Z' });
  expect(new Set((await shop.read()).ids)).toEqual(new Set(['future', 'old']));
  for (const run of [1, 2, 3]) {
    shop.write(`new ${run}`, 10_000 - run * secondMs);
    const { ids, stderr, exitCode } = await shop.read();
    expect({ ids, exitCode }).toEqual({ ids: [`new ${run}`], exitCode: 0 });
    expect(stderr.match(/2099-01-01/g)).toHaveLength(1);
  }
});

test('a list that changes each time it is read is exit 6, and the next run gives what was missed and nothing twice', async () => {
  let isBusy = true;
  const shop = await reviewShop((page) => {
    // A record disappears before the next page is requested, which moves another one off that page.
    if (isBusy) shop.reviews.delete(`r${page}`);
  }, 2);
  for (let number = 1; number <= 20; number += 1) shop.write(`r${number}`, number * 60_000);
  const first = await shop.read();
  expect(first.exitCode).toBe(6);
  expect(first.stderr).toContain('the list changed each time it was read');
  isBusy = false;
  const second = await shop.read();
  expect(second.exitCode).toBe(0);
  expect(first.ids.filter((id) => second.ids.includes(id))).toEqual([]);
  const given = new Set([...first.ids, ...second.ids]);
  expect([...shop.reviews.keys()].filter((id) => !given.has(id))).toEqual([]);
});

test('a run that cannot store where it came to says that its records come again', async () => {
  const shop = await reviewShop(() => rmSync(join(shop.folder, 'state'), { recursive: true, force: true }));
  shop.write('old', 3_600_000);
  const { ids, stderr, exitCode } = await shop.read();
  expect({ ids, exitCode }).toEqual({ ids: ['old'], exitCode: 2 });
  expect(stderr).toContain('the next run shows the records of this one again');
});

test('an order of one’s own in which a change may hide another one is refused', async () => {
  const shop = await reviewShop();
  for (const flags of [
    ['--sort', 'HELPFUL_COUNT'],
    ['--direction', 'ASC'],
  ]) {
    const { exitCode, stderr } = await shop.cli('reviews', 'list', '--since-last', 'nightly', ...flags);
    expect({ exitCode, isNamed: stderr.includes(`leave out ${flags[0]}`) }).toEqual({
      exitCode: 2,
      isNamed: true,
    });
  }
});

const firstInstant = '-271821-04-20T00:00:00.000Z';
const lastInstant = '+275760-09-13T00:00:00.000Z';

/** Reads a list run by run. The service sends these dates, one per reply; undefined is the correct time. */
async function readWithTimes(times: readonly string[], dates: readonly (string | undefined)[] = [undefined]) {
  const ids: unknown[][] = [];
  let asked = 0;
  const records = times.map((updatedAt, index) => ({ id: `r${index}`, updatedAt }));
  const shop = await standInShop({
    'GET /admin/v2/reviews': (_, outgoing) => {
      const date = dates[asked % dates.length];
      if (date !== undefined) outgoing.setHeader('date', date);
      asked += 1;
      return pageOf(records);
    },
  });
  const codes = new Set<number | null>();
  for (let run = 1; run <= 3; run += 1) {
    const result = await shop.cli('reviews', 'list', '--since-last', 'nightly');
    ids.push(recordsIn(result).map(({ id }) => id));
    codes.add(result.exitCode);
  }
  return { ids, codes: [...codes] };
}

test.each<[string, readonly string[], (readonly string[])?]>([
  ['records of the year 0', ['0000-01-01T00:00:00Z']],
  ['records before the year 0', ['-000001-01-01T00:00:00Z']],
  ['records of the first instant', [firstInstant]],
  ['records of the last instant', [lastInstant, '2026-11-20T00:00:00Z']],
  ['the clock at the last instant', [lastInstant], [lastInstant]],
  ['the clock at the first instant', [firstInstant], [firstInstant]],
  [
    'a clock that goes from the last to the first instant',
    ['2026-11-20T00:00:00Z'],
    [lastInstant, firstInstant],
  ],
])('a service with %s gives each record once, run after run', async (_, times, dates) => {
  const { ids, codes } = await readWithTimes(times, dates);
  expect({ ids, codes }).toEqual({ ids: [times.map((_time, index) => `r${index}`), [], []], codes: [0] });
});
