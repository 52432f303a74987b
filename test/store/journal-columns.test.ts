import { expect, test } from 'vitest';
import {
  entriesOf,
  outcomesOf,
  packEntries,
  packOutcomes,
  unpackEntries,
  unpackOutcomes,
} from '../../src/store/journal/columns.ts';
import type { JournalEntry } from '../../src/store/journal/push-journal.ts';

const odd = ['', 'nul\0', '\udc00\ud800', '👍', '"\n\\', '상품', 'x'.repeat(5000)];
const full: JournalEntry = {
  originId: 'O-1',
  contentHash: 'abc-_Z',
  productOriginId: 'P',
  orderOriginId: 'O',
};

test.each<[string, readonly JournalEntry[]]>([
  ['none', []],
  ['odd ones', odd.map((text) => ({ ...full, originId: text, productOriginId: text, orderOriginId: text }))],
  ['alike', [full, full, full]],
  ['some without a product or an order', [{ originId: 'A', contentHash: 'a' }, full]],
])('entries come back from their bytes: %s', (_, entries) => {
  const columns = entriesOf('order-item', entries);
  const back = unpackEntries(packEntries(columns));
  const at = (of: typeof columns) =>
    entries.map((__, position) => [
      of.kinds[position],
      of.originIds[position],
      of.contentHashes[position],
      of.products[position] ?? undefined,
      of.orders[position] ?? undefined,
    ]);
  expect(at(back)).toEqual(at(columns));
  expect(back.originIds.length).toBe(entries.length);
});

test('a record without a hash of its content is refused', () => {
  const entry = { originId: 'A' } as JournalEntry;
  expect(() => entriesOf('product', [entry])).toThrow(TypeError);
});

test.each([0, 1, 3, 10, 24])('of damaged bytes (%i are left) a Failure says so', (length) => {
  const bytes = packEntries(entriesOf('order-item', [full, { ...full, originId: odd.join() }]));
  expect(() => unpackEntries(bytes.subarray(0, length))).toThrow('the journal of pushes is damaged');
});

test('outcomes of another number of entries, and states and kinds that do not exist, are damage', () => {
  const ofAll = outcomesOf(2, 'sent' as never);
  expect(() => unpackOutcomes(packOutcomes(ofAll), 3)).toThrow('the journal of pushes is damaged');
  expect(() => unpackOutcomes(packOutcomes(ofAll), 2)).toThrow('it has an unknown value sent');
  expect(() => unpackEntries(packEntries(entriesOf('item' as never, [full])))).toThrow(
    'it has an unknown value item',
  );
});
