import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pageText } from '../../src/output/reports/page.ts';
import { RefusalReasons, withoutQuotes } from '../../src/output/reports/refusal-reasons.ts';
import { type RunReport, runPage } from '../../src/output/reports/run-page.ts';
import { terminalText } from '../../src/output/terminal/terminal-text.ts';
import type { NotedOutcome } from '../../src/store/runs/run-log.ts';
import { checkedPage, tablesOf } from './check-page.ts';
import { allElements, elementsNamed, textIn } from './parse-html.ts';

const startedMs = Date.UTC(2026, 10, 22, 3);

const run: RunReport['run'] = {
  id: '6ff15t',
  kind: 'products',
  command: ['products', 'push', 'exports/kim/products.csv', '--set', 'name=김철수'],
  folder: '/exports/kim',
  files: ['exports/kim/products.csv'],
  startedMs,
  end: { endedMs: startedMs + 3000, exitCode: 6, tally: { created: 270, rejected: 30 }, isWhole: true },
};

function pageOf(more: Partial<RunReport>, noted: readonly NotedOutcome[] = []): string {
  const { withIds = false } = more;
  const reasons = new RefusalReasons({ showsQuotes: withIds });
  for (const record of noted) reasons.add(record);
  return pageText(
    runPage({
      ...{ run, state: 'ended', reasons: reasons.reasons, timeline: undefined },
      ...{ timeZone: '+09:00', withIds },
      next: ['reviewctl runs rejects 6ff15t'],
      footer: 'Made by a test.',
      ...more,
    }),
  );
}

test('a page of a run shows its outcomes, its refused records and what comes next', () => {
  const error = 'no name';
  const noted = Array.from({ length: 12 }, (_, index) => ({
    ...{ file: 'exports/kim/products.csv', line: index + 2, originId: 'P-7', outcome: 'rejected', error },
  }));
  const text = pageOf({}, noted);
  const places = Array.from({ length: 10 }, (_, index) => `products.csv:${index + 2}`);
  expect(tablesOf(text).get('Reasons, the most frequent first')?.[1]).toEqual([
    ...['no name', 'rejected', '12'],
    places.join(', '),
  ]);
  const page = checkedPage(text);
  expect(elementsNamed(page, 'code').map(textIn)).toEqual(['reviewctl runs rejects 6ff15t']);
  expect(elementsNamed(page, 'dd').map(textIn)).toEqual([
    ...['300270 created, 30 rejected', '30', '0', '6partial success', '3.0 s'],
  ]);
  expect(textIn(page)).toContain('products.csv, started 2026-11-22 12:00 +09:00');
});

test('the course of a run is a row for each interval, with all its requests in the key figures', () => {
  const busy = { outcomes: { rejected: 10, created: 90 }, latencies: { 40: 9, 60: 1 } };
  const text = pageOf({ timeline: { intervalMs: 1000, intervals: [busy, null, busy] } });
  const cells = ['90', '10', '10', '10.0', '31', '180', '180'];
  expect(tablesOf(text).get('Outcomes, requests and latencies by time')).toEqual([
    ['From', 'created', 'rejected', 'requests', 'a second', 'p50 ms', 'p95 ms', 'p99 ms'],
    ['2026-11-22 12:00:00', ...cells],
    ['2026-11-22 12:00:01', ...['0', '0', '0', '0.0', '', '', '']],
    ['2026-11-22 12:00:02', ...cells],
  ]);
  const figures = elementsNamed(checkedPage(text), 'dd').map(textIn);
  expect(figures.slice(-2)).toEqual(['206.7 a second', '180 ms']);
});

test('a run without requests has no course', () => {
  const intervals = [{ outcomes: { skipped: 3 }, latencies: {} }];
  expect(textIn(checkedPage(pageOf({ timeline: { intervalMs: 1000, intervals } })))).not.toContain('Course');
});

test('a killed run is reported as killed', () => {
  const text = pageOf({ run: { ...run, end: undefined }, state: 'killed' });
  expect(elementsNamed(checkedPage(text), 'dd').map(textIn)).toEqual(['0none', '0', '0', 'killed']);
});

test('what may be about a person is on the page with --with-ids alone', () => {
  const record = {
    file: 'exports/kim/orders.csv',
    line: 2,
    originId: '20261122-0001-홍길동',
    outcome: 'failed',
    error:
      "buyer.name '홍길동' of 20261122-0001-홍길동 (hong@example.com, 010-1234-5678) is refused, status 400",
  };
  const personal = ['홍길동', 'hong@example.com', '010-1234-5678', '20261122'];
  const hidden = pageOf({}, [record]);
  expect([...personal, '김철수', 'kim'].filter((word) => hidden.includes(word))).toEqual([]);
  expect(hidden).toContain('is refused, status 400');
  const shown = pageOf({ withIds: true }, [record]);
  expect(personal.filter((word) => !shown.includes(word))).toEqual([]);
});

test.each([
  ["productOriginId: no product 'P-1'", 'productOriginId: no product ‘…’'],
  ['limit 100, status 429', 'limit 100, status 429'],
  ['order 202611220001 is closed', 'order … is closed'],
  ['이미 존재하는 주문 항목입니다', '이미 존재하는 주문 항목입니다'],
  ['A1 and A1', '… and …'],
])('of the reason %s the page shows what is not of one record', (reason, shown) => {
  expect(withoutQuotes(reason, 'A1')).toBe(shown);
});

test('no text from outside becomes markup or acts, whatever it is', () => {
  const strings = JSON.parse(readFileSync('fixtures/blns/blns.json', 'utf8')) as readonly string[];
  const hostile = [
    ...strings,
    '</script><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '\u202egnp.exe',
  ];
  const noted = hostile.map((text, index) => ({
    file: `${text}.csv`,
    line: index + 2,
    originId: text,
    outcome: 'rejected',
    error: text,
  }));
  const hostileRun = { ...run, files: hostile.slice(0, 5), kind: '<b>x' };
  const text = pageOf({ run: hostileRun, withIds: true }, noted);
  const page = checkedPage(text);
  const known = new Set(
    elementsNamed(checkedPage(pageOf({ withIds: true }, noted.slice(0, 1))), 'html')
      .flatMap(allElements)
      .map(({ name }) => name),
  );
  expect(allElements(page).filter(({ name }) => !known.has(name))).toEqual([]);
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/);
  const shown = textIn(page);
  expect(noted.slice(0, 150).filter(({ originId }) => !shown.includes(terminalText(originId)))).toEqual([]);
});

test('100,000 refused records, each with a reason of its own, make a page below 1 MB', () => {
  const noted = Array.from({ length: 100_000 }, (_, index) => ({
    file: '2026-11-22-주문-내역.csv',
    line: index + 2,
    originId: `2026112200${index}`,
    outcome: 'rejected',
    error: `주문 ${'가'.repeat(index % 300)} 이미 존재합니다`,
  }));
  const text = pageOf({ withIds: true }, noted);
  expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
  checkedPage(text);
});
