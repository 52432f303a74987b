import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { type OutputOptions, writeRecords } from '../../src/output/formats/records.ts';
import { displayWidth } from '../../src/output/terminal/display-width.ts';
import { plannedPaymentView, plannedRecordView } from '../../src/output/views/plan-views.ts';
import {
  differenceView,
  entryView,
  eventView,
  ledgerProblemView,
  newLedgerView,
  resolvedView,
  rewardOutcomeView,
  unknownEntryView,
} from '../../src/output/views/reward-views.ts';
import { runView, storedJobView } from '../../src/output/views/run-views.ts';
import type { View } from '../../src/output/views/view.ts';
import {
  categoryView,
  orderItemView,
  orderView,
  outcomeView,
  productGroupView,
  productView,
  reviewView,
  rewardView,
} from '../../src/output/views/views.ts';
import { type CaptureOptions, capturedStreams } from './captured-streams.ts';
import { batchesOf } from './sources.ts';

const productColumns =
  `id originId name image.url url categories group.id brand.id brand.originId brand.name isAlimtalkEnabled
  reviewCount reviewRatingAverage directReviewCount directReviewRatingAverage isReviewDisabled`.split(/\s+/);
const orderColumns =
  `id originId orderedAt memberOriginId alimtalkTemplateCode buyer.name buyer.phone buyer.email
  recipient.name recipient.phone items`.split(/\s+/);
const below = (name: string, columns: readonly string[]) => columns.map((column) => `${name}.${column}`);
const orderItemColumns = [
  ...['id', 'originId', 'status', ...below('product', productColumns), 'selectedOptions', 'paidPrice'],
  ...['shipment.companyCode', 'shipment.trackingNumber', 'shipment.deliveredAt'],
];

test.each([
  [productView, productColumns],
  [orderView, orderColumns],
  [orderItemView, orderItemColumns],
  [categoryView, ['id', 'originId', 'name', 'isVisible', 'isReviewDisabled']],
  [
    productGroupView,
    'id name image.url productCount reviewCount reviewRatingAverage createdAt updatedAt'.split(' '),
  ],
  [
    rewardView,
    `id amount reviewCategory status review.id review.createdAt review.updatedAt order.id order.originId order.memberOriginId
      orderItem.id orderItem.originId createdAt`.split(/\s+/),
  ],
  [
    reviewView,
    [
      ...'id originId userNickname title text rating uploadFrom videos images'.split(' '),
      ...below('product', productColumns),
      ...below('order', orderColumns),
      ...below('orderItem', orderItemColumns),
      ...'questionAnswers isVisible isBlocked blockReason helpfulCount reportStatus createdAt updatedAt'.split(
        ' ',
      ),
    ],
  ],
])('the columns of CSV are the fields of the document, in its order', (view, columns) => {
  expect(view.csvColumns).toEqual(columns);
});

const ofShop = [productView, productGroupView, categoryView, orderView, orderItemView];
const documented = [...ofShop, reviewView, rewardView];

test.each([...documented, outcomeView('order item')])(
  'every column of a table is a field of the record',
  ({ columns, csvColumns, id }) => {
    for (const { path } of columns) expect(csvColumns).toContain(path);
    expect(csvColumns).toContain(id);
  },
);

const outcomes = [
  { file: 'o.csv', line: 2, originId: 'a', outcome: 'queued', jobId: 'j1' },
  { file: 'o.csv', line: 3, originId: 'b', outcome: 'rejected', error: 'no such product' },
  { file: 'o.csv', line: 4, originId: 'c', outcome: 'unknown' },
  { file: 'o.csv', line: 5, originId: 'd', outcome: 'failed', error: 'out of time' },
  { file: 'o.csv', line: 6, originId: 'e', outcome: 'skipped' },
];

async function shown(
  records: readonly JsonObject[],
  view: View,
  options: OutputOptions,
  capture: CaptureOptions = {},
) {
  const streams = capturedStreams(capture);
  await writeRecords(batchesOf(records), view, options, streams);
  return streams.outputText();
}

test('a table of outcomes shows what needs attention', async () => {
  expect(await shown(outcomes, outcomeView('order item'), { format: 'table' })).toBe(
    [
      'FILE   LINE  ORIGIN ID  OUTCOME   ERROR',
      'o.csv     3  b          rejected  no such product',
      'o.csv     4  c          unknown',
      'o.csv     5  d          failed    out of time',
      '',
    ].join('\n'),
  );
});

test('a table of outcomes that need no attention is nothing at all', async () => {
  const quiet = outcomes.filter(({ outcome }) => outcome === 'queued');
  expect(await shown(quiet, outcomeView('order item'), {}, { isOutputTerminal: true })).toBe('');
});

test.each([
  ['ids', 'a\nb\nc\nd\ne\n'],
  ['count', '5\n'],
] as const)('as %s all outcomes are written, by their originId', async (format, text) => {
  expect(await shown(outcomes, outcomeView('order item'), { format })).toBe(text);
});

test('a dry run shows what would change as people read it, and as data with -o', async () => {
  const outcome = {
    file: '/exports/of/november/products.csv',
    line: 2,
    originId: 'P1',
    outcome: 'updated',
    changes: {
      name: { from: '치마', to: '바지' },
      imageUrl: { from: null, to: 'https://x/1.jpg' },
      categories: {
        from: [
          { originId: '24', isPrimary: true },
          { originId: '25', isPrimary: false },
        ],
        to: [{ originId: '26' }],
      },
      selectedOptions: { from: [{ name: '색상', value: '블루' }], to: [{ name: '색상', value: '레드' }] },
    },
  };
  const as = (format: 'table' | 'ndjson') =>
    shown([outcome], outcomeView('product', { isDryRun: true }), { format }, { env: { COLUMNS: '200' } });
  expect((await as('table')).split('\n')[1]?.trimEnd()).toBe(
    'products.csv     2  P1         updated  name: 치마 → 바지, imageUrl: (none) → https://x/1.jpg, categories: [24 (primary) 25] → [26], selectedOptions: [색상=블루] → [색상=레드]',
  );
  expect(JSON.parse(await as('ndjson'))).toEqual(outcome);
});

test('runs are shown with the names of their files, without their folders', async () => {
  const run = { run: 'r1', files: ['/exports/a.csv', 'b.csv', '-'] };
  const options = { format: 'table', fields: ['run', 'files'] } as const;
  expect(await shown([run], runView, options)).toMatch(/^r1 +a\.csv, b\.csv, -$/m);
});

/** A value of typical length for each kind of column. */
const typical = {
  word: 'M-123456',
  number: 12_345,
  amount: '123456.00',
  share: 0.5,
  bar: 0.5,
  boolean: true,
  date: '2019-08-24T14:15:22Z',
  text: 'the name of a product or a person',
  note: 'no room for another payment under the cap of this run; the next one continues',
} as const;

describe.each([
  ...documented,
  ...[outcomeView('order item', { isDryRun: true }), plannedRecordView, plannedPaymentView],
  ...[rewardOutcomeView, newLedgerView, entryView, unknownEntryView, eventView, resolvedView],
  ...[ledgerProblemView, differenceView, runView, storedJobView],
])('a table of $noun', (view) => {
  const record: Record<string, Json> = {};
  for (const { path, kind = 'text' } of view.columns) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let object = record;
    for (const name of names) {
      object[name] ??= {};
      object = object[name] as Record<string, Json>;
    }
    object[last] = last === 'outcomes' ? { rejected: 1_234, failed: 12, unknown: 1 } : typical[kind];
  }

  test.each([40, 80, 120])('fits %i columns, with its notes whole', async (columns) => {
    const written = await shown([record], view, { format: 'table' }, { env: { COLUMNS: String(columns) } });
    const lines = written.trimEnd().split('\n');
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    const text = lines.join(' ').replaceAll(/ +/g, ' ');
    if (view.columns.some(({ kind, inWords }) => kind === 'note' && !inWords))
      expect(text).toContain(typical.note);
  });
});
