import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { keysMaximum, ReviewTally } from '../../src/output/reports/review-tally.ts';
import { displayWidth } from '../../src/output/terminal/display-width.ts';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { serveHttp } from '../client/loopback.ts';
import { environmentAt, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

let sandbox: ServedSandbox;
let env: Record<string, string>;

beforeAll(async () => {
  sandbox = await serveSandbox({ port: 0, products: 12, orders: 100, reviews: 230 });
  env = environmentAt(temporaryFolder(), sandbox);
});
afterAll(() => sandbox.close());

interface Line {
  readonly group: string;
  readonly key: string | null;
  readonly count: number;
  readonly share: number;
  readonly ratingAverage: number | null;
}

async function stats(...flags: string[]): Promise<readonly Line[]> {
  const { stdout } = expectEnd(await runInProcess(['reviews stats -o json', ...flags], { env }), 0);
  return JSON.parse(stdout);
}

const sumOf = (lines: readonly Line[], group: string) =>
  lines.filter((line) => line.group === group).reduce((sum, { count }) => sum + count, 0);

test('counts are those the service gives when asked for each alone', async () => {
  const lines = await stats('--limit 3');
  const count = async (...flags: string[]) => {
    const { stdout } = await runInProcess(['reviews list -o count', ...flags], { env });
    return Number(stdout);
  };
  expect(lines[0]).toMatchObject({ group: 'all', key: 'reviews', count: 230, share: 1 });
  const ratings = lines.filter(({ group }) => group === 'rating');
  expect(ratings.map(({ key }) => key)).toEqual(['5', '4', '3', '2', '1']);
  for (const { key, count: counted, ratingAverage } of ratings) {
    expect({ key, counted, ratingAverage }).toEqual({
      key,
      counted: await count('--ratings', key ?? ''),
      ratingAverage: Number(key),
    });
  }
  const products = lines.filter(({ group, key }) => group === 'product' && key !== null);
  expect(products).toHaveLength(3);
  for (const { key, count: counted } of products) {
    expect(counted).toBe(await count('--product-origin-ids', key ?? ''));
  }
  const months = lines.filter(({ group }) => group === 'month');
  for (const { key, count: counted } of months) {
    const [year, month] = (key ?? '').split('-').map(Number);
    const last = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
    expect(counted).toBe(
      await count('--created-at-start', `${key}-01`, '--created-at-end', `${key}-${last}`),
    );
  }
});

test('ratings, products and months each add up to all, however many products are told one by one', async () => {
  for (const top of ['0', '3', '1000']) {
    const lines = await stats(`--limit ${top}`);
    for (const group of ['rating', 'product', 'month']) expect(sumOf(lines, group)).toBe(230);
  }
  const [all, ...rest] = await stats('--limit 0');
  expect(all?.count).toBe(230);
  expect(rest.filter(({ group }) => group === 'product')).toEqual([
    expect.objectContaining({ key: null, count: 230, share: 1, ratingAverage: all?.ratingAverage }),
  ]);
});

test('only what the filters leave is counted', async () => {
  const lines = await stats('--ratings 1,2');
  expect(new Set(lines.filter(({ group }) => group === 'rating').map(({ key }) => key))).toEqual(
    new Set(['1', '2']),
  );
});

test('in CSV there is one shape of line, without anything but data', async () => {
  const { stdout, stderr } = await runInProcess('reviews stats -o csv --limit 1', { env });
  const [header, all] = stdout.split('\n');
  expect(header).toBe('group,key,name,count,share,ratingAverage');
  expect(all).toMatch(/^all,reviews,all reviews,230,1,\d\.\d+$/);
  expect(stderr).toBe('230 of 230 reviews; 11 more products; use --limit to list them\n');
});

test('on a terminal it is a table that fits the line', async () => {
  const options = { env: { ...env, COLUMNS: '80', NO_COLOR: '1' }, isOutputTerminal: true };
  const { stdout } = await runInProcess('reviews stats', options);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^GROUP +NAME +REVIEWS +SHARE +RATING$/);
  expect(lines[1]).toMatch(/^all +all reviews +230 {2}100\.0 % +\d\.\d\d$/);
  expect(lines).toHaveLength(1 + (await stats()).length);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80);
});

test.each([
  ['lacks records', 3, ['1']],
  ['has a record twice', 2, ['1', '1']],
])('a list that %s is exit 6, in figures and pages, too', async (_, totalCount, ids) => {
  const data = ids.map((id) => ({ id, rating: 5, createdAt: '2026-01-01T00:00:00Z' }));
  const { url } = await serveHttp((_, outgoing) =>
    outgoing.end(JSON.stringify({ totalCount, data, pageInfo: { hasNextPage: false } })),
  );
  for (const command of ['reviews stats -o count', 'report reviews --out -']) {
    const answered = await runInProcess(command, { env: { ...env, REVIEWCTL_BASE_URL: url } });
    const { stdout } = expectEnd(answered, 6, 'records are missing or listed twice');
    expect(stdout).not.toBe('');
  }
});

describe('a tally', () => {
  const options = { timeZone: '+09:00', top: 10 };
  const linesOf = (reviews: readonly JsonObject[], given = options) => {
    const tally = new ReviewTally(given);
    for (const review of reviews) tally.add(review);
    return [...tally.statistics()].map(({ group, key, count, share, ratingAverage }) => [
      group,
      key,
      count,
      share,
      ratingAverage,
    ]);
  };

  test('of nothing has no share and no average', () => {
    expect(linesOf([])).toEqual([
      ['all', 'reviews', 0, 0, null],
      ['media', 'photo', 0, 0, null],
      ['media', 'video', 0, 0, null],
      ['media', 'any', 0, 0, null],
    ]);
  });

  test('counts what lacks a rating, a product or a date as the rest of its group', () => {
    const odd = { id: '1', rating: null, product: null, createdAt: 'soon', images: null };
    expect(linesOf([odd, { id: '2', rating: '4', images: [{}], videos: [{}] }])).toEqual([
      ['all', 'reviews', 2, 1, 4],
      ['rating', '4', 1, 0.5, 4],
      ['rating', null, 1, 0.5, null],
      ['media', 'photo', 1, 0.5, 4],
      ['media', 'video', 1, 0.5, 4],
      ['media', 'any', 1, 0.5, 4],
      ['product', null, 2, 1, 4],
      ['month', null, 2, 1, 4],
    ]);
  });

  test('rounds no figure twice', () => {
    const linesOfRatings = (fives: number, fours: number) =>
      linesOf([...Array(fives).fill({ rating: 5 }), ...Array(fours).fill({ rating: 4 })]);
    expect(linesOfRatings(9, 31)[0]?.at(-1)).toBe(4.23);
    // 82.4 %, which 82.35 % would become 82.3.
    expect(linesOfRatings(14, 3)[1]?.[3]).toBe(14 / 17);
  });

  test.each([
    ['+09:00', '2026-02'],
    ['+00:00', '2026-01'],
  ])('begins a month in the zone asked for: %s', (timeZone, month) => {
    const lines = linesOf([{ createdAt: '2026-01-31T15:00:00Z' }], { ...options, timeZone });
    expect(lines.at(-1)).toEqual(['month', month, 1, 1, null]);
  });

  test('keeps no more products apart than it may, and loses none of their reviews', () => {
    const tally = new ReviewTally(options);
    for (let number = 0; number < keysMaximum.product + 7; number += 1) {
      tally.add({ product: { originId: `P${number}` } });
    }
    const lines = [...tally.statistics()].filter(({ group }) => group === 'product');
    expect(lines).toHaveLength(11);
    expect(lines.reduce((sum, { count }) => sum + count, 0)).toBe(keysMaximum.product + 7);
  });
});
