import { expect, test } from 'vitest';
import { countRecords, lookupsWithOpen, type SentEntries } from '../../src/store/journal/open-requests.ts';
import type { JournalEntry, KnownRecord } from '../../src/store/journal/push-journal.ts';

const item = { originId: 'I1', contentHash: 'h1', orderOriginId: 'O1', productOriginId: 'P1' };
const order: JournalEntry = { originId: 'O1', contentHash: 'h', kind: 'order' };
const open: readonly SentEntries[] = [
  { kind: 'order-item', entries: [item, order] },
  { kind: 'order-item', entries: [{ ...item, originId: 'I2' }] },
];

test('the orders of a request are not counted beside their items', () => {
  expect(countRecords([item, { ...item, originId: 'I2' }, order])).toBe(2);
});

test('what is under way is unknown, and its items are those of their orders, beside what was answered', async () => {
  const answered: KnownRecord = { fate: 'accepted', contentHash: 'x', jobId: 'j1' };
  const ofOrders = new Map([['O1', new Map([['I0', 'P0' as string | undefined]])]]);
  const lookups = lookupsWithOpen(
    {
      known: async () => new Map(['I0', 'I1'].map((id) => [id, answered])),
      itemsOf: async (ids) => new Map([...ofOrders].filter(([id]) => ids.includes(id))),
    },
    open,
  );
  const { originId: _, ...sent } = item;
  expect(await lookups.known('order-item', ['I0', 'I1', 'I3'])).toEqual(
    new Map<string, KnownRecord>([
      ['I0', answered],
      ['I1', { ...sent, fate: 'unknown', jobId: undefined }],
    ]),
  );
  expect((await lookups.known('order', ['O1'])).get('O1')).toMatchObject({
    fate: 'unknown',
    contentHash: 'h',
  });
  expect((await lookups.known('category', ['I2'])).get('I2')).toBeUndefined();
  expect(await lookups.itemsOf(['O1', 'O2'])).toEqual(
    new Map([
      [
        'O1',
        new Map([
          ['I0', 'P0'],
          ['I1', 'P1'],
          ['I2', 'P1'],
        ]),
      ],
    ]),
  );
  expect(await lookups.itemsOf(['O2'])).toEqual(new Map());
  expect([...(ofOrders.get('O1') ?? [])]).toEqual([['I0', 'P0']]);
});

test('the items of an order of which nothing was answered are those under way', async () => {
  const lookups = lookupsWithOpen({ known: async () => new Map(), itemsOf: async () => new Map() }, open);
  expect([...((await lookups.itemsOf(['O1'])).get('O1') ?? [])]).toEqual([
    ['I1', 'P1'],
    ['I2', 'P1'],
  ]);
});
