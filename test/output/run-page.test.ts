import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pageText } from '../../src/output/reports/page.ts';
import { RefusalReasons, withoutQuotes } from '../../src/output/reports/refusal-reasons.ts';
import { type ReportedRun, runPage } from '../../src/output/reports/run-page.ts';
import { runSummary } from '../../src/output/reports/run-summary.ts';
import { terminalText } from '../../src/output/terminal/terminal-text.ts';
import type { NotedOutcome } from '../../src/store/runs/run-log.ts';
import { checkedPage, tablesOf } from './check-page.ts';
import { allElements, elementsNamed, textIn } from './parse-html.ts';

const startedMs = Date.UTC(2026, 10, 22, 3);

function runOf(
  id: string,
  {
    offsetMs = 0,
    seconds = 3,
    ...more
  }: Partial<ReportedRun['run']> & { offsetMs?: number; seconds?: number } = {},
): ReportedRun {
  const tally = { created: 90 * seconds, rejected: 10 * seconds };
  const tookMs = 1000 * seconds;
  const beganMs = startedMs + offsetMs;
  const line = 'products push exports/kim/products.csv --set name=김철수 --rejects=/exports/kim/bad.csv';
  const run = {
    id,
    kind: 'products',
    command: line.split(' '),
    folder: '/exports/kim',
    files: ['exports/kim/products.csv'],
    startedMs: beganMs,
    end: { endedMs: beganMs + tookMs, exitCode: 6, tally, isWhole: true },
    ...more,
  };
  const frame = { command: 'products push', profile: 'default', startedMs, tookMs, exitCode: 6 } as const;
  return {
    run,
    state: 'ended',
    summary: runSummary(frame, { run: id, counts: tally }),
    next: [`reviewctl runs rejects ${id}`],
  };
}

async function pageOf(
  runs: readonly ReportedRun[],
  noted: readonly NotedOutcome[] = [],
  withIds = false,
): Promise<string> {
  const reasons = new RefusalReasons({ showsQuotes: withIds });
  for (const record of noted) reasons.add(record);
  const shared = { timeZone: '+09:00', withIds, footer: 'Made by a test.' };
  return pageText(runPage({ runs, reasons: reasons.reasons, ...shared }));
}

test('a page of a run shows its outcomes, its refused records and what comes next', async () => {
  const record = {
    file: 'exports/kim/products.csv',
    line: 7,
    originId: 'P-7',
    outcome: 'rejected',
    error: 'no name',
  };
  const text = await pageOf([runOf('6ff15t')], [record]);
  const tables = tablesOf(text);
  expect(tables.get('Reasons, the most frequent first')?.[1]).toEqual([
    'no name',
    'rejected',
    '1',
    'products.csv:7',
  ]);
  expect(tables.get('no name: 1 record')).toEqual([
    ['File', 'line'],
    ['products.csv', '7'],
  ]);
  const page = checkedPage(text);
  expect(elementsNamed(page, 'code').map(textIn)).toEqual(['reviewctl runs rejects 6ff15t']);
  expect(textIn(page)).toContain('270 created, 30 rejected');
});

test('shards of one push become one report', async () => {
  const shards = [runOf('6ff15t'), runOf('6ff15v', { offsetMs: 2000, seconds: 2 })];
  const text = await pageOf(shards);
  expect(textIn(checkedPage(text))).toContain('450 created, 50 rejected');
  expect(
    tablesOf(text)
      .get('Runs of this report')
      ?.map(([id]) => id),
  ).toEqual(['Run', '6ff15t', '6ff15v']);
});

test('a run that was killed is reported as that, with what comes next', async () => {
  const killed: ReportedRun = {
    ...runOf('6ff15t', { end: undefined }),
    state: 'killed',
    summary: undefined,
    next: ['reviewctl products push p.csv'],
  };
  const text = await pageOf([killed]);
  const page = checkedPage(text);
  expect(textIn(page)).toContain('killed');
});

test('what may be about a person is on the page with --with-ids alone', async () => {
  const record = {
    file: 'exports/kim/orders.csv',
    line: 2,
    originId: '20261122-0001-홍길동',
    outcome: 'failed',
    error:
      "buyer.name '홍길동' of 20261122-0001-홍길동 (hong@example.com, 010-1234-5678) is refused, status 400",
  };
  const personal = ['홍길동', '김철수', 'kim', 'hong@example.com', '010-1234-5678', '20261122'];
  const hidden = await pageOf([runOf('6ff15t')], [record]);
  expect(personal.filter((word) => hidden.includes(word))).toEqual([]);
  expect(hidden).toContain('is refused, status 400');
  const shown = await pageOf([runOf('6ff15t')], [record], true);
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

test('no text from outside becomes markup or acts, whatever it is', async () => {
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
  const run = runOf('6ff15t', {
    files: hostile.slice(0, 5),
    command: ['products', 'push', ...hostile],
    kind: '<b>x',
  });
  const text = await pageOf([run], noted, true);
  const page = checkedPage(text);
  const known = new Set(
    elementsNamed(checkedPage(await pageOf([runOf('6ff15t')], noted.slice(0, 1), true)), 'html')
      .flatMap(allElements)
      .map(({ name }) => name),
  );
  expect(allElements(page).filter(({ name }) => !known.has(name))).toEqual([]);
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/);
  const cells = new Set(elementsNamed(page, 'td').map(textIn));
  expect(noted.slice(0, 150).filter(({ originId }) => !cells.has(terminalText(originId)))).toEqual([]);
});

test('100,000 refused records, each with a reason of its own, make a page below 1 MB', async () => {
  const noted = Array.from({ length: 100_000 }, (_, index) => ({
    file: '2026-11-22-주문-내역.csv',
    line: index + 2,
    originId: `2026112200${index}`,
    outcome: 'rejected',
    error: `주문 ${'가'.repeat(index % 300)} 이미 존재합니다`,
  }));
  const text = await pageOf([runOf('6ff15t', { seconds: 120 })], noted, true);
  expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
  checkedPage(text);
});
