import { expect, test } from 'vitest';
import {
  entriesOf,
  type Fates,
  packEntries,
  packFates,
  unpackEntries,
  unpackFates,
} from '../../src/store/journal/columns.ts';
import type { JournalEntry } from '../../src/store/journal/push-journal.ts';

const odd = ['', 'nul\0', '\udc00\ud800', '👍', 'line\n', '"', '\\', '상품', 'x'.repeat(5000)];
const full: JournalEntry = {
  originId: 'O-1',
  contentHash: 'abc-_Z',
  productOriginId: 'P',
  orderOriginId: 'O',
};

test.each<[string, readonly JournalEntry[]]>([
  ['none', []],
  ['one', [full]],
  ['odd ones', odd.map((text) => ({ ...full, originId: text, productOriginId: text, orderOriginId: text }))],
  ['orders beside items', [full, { originId: 'O', contentHash: 'x', kind: 'order' }]],
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

/** A column of five with texts at these positions alone, and holes between. */
function sparse(...positions: readonly number[]): string[] {
  const column: string[] = [];
  for (const position of positions) column[position] = 'x';
  return column;
}

test.each<[string, string[]]>([
  ['nothing', []],
  ['the last alone', sparse(4)],
  ['equal ones with holes between', sparse(0, 2, 4)],
])('fates come back from their bytes: %s', (_, column) => {
  const fates: Fates = {
    states: [1, 0, 1, 2, 1],
    jobIds: column,
    objectIds: column,
    failureReasons: ['a', 'b', 'c', 'd', 'e'],
  };
  const back = unpackFates(packFates(fates), 5);
  expect(back.states).toEqual(fates.states);
  expect(back.failureReasons).toEqual(fates.failureReasons);
  for (const texts of [back.jobIds, back.objectIds])
    expect(fates.states.map((__, at) => texts[at] ?? undefined)).toEqual(
      fates.states.map((__, at) => column[at]),
    );
});

test.each([0, 1, 3, 10, 24])('of damaged bytes (%i are left) a Failure says so', (length) => {
  const bytes = packEntries(entriesOf('order-item', [full, { ...full, originId: 'other' }]));
  expect(() => unpackEntries(bytes.subarray(0, length))).toThrow('the journal of pushes is damaged');
});

test('outcomes of another number of entries, and codes that do not exist, are damage', () => {
  const fates = { states: [1, 2], jobIds: [], objectIds: [], failureReasons: [] };
  expect(() => unpackFates(packFates(fates), 3)).toThrow('the journal of pushes is damaged');
  expect(() => unpackFates(packFates({ ...fates, states: [1, 6] }), 2)).toThrow('there is no code 6');
  const columns = entriesOf('order-item', [full]);
  expect(() => unpackEntries(packEntries({ ...columns, kinds: [9] }))).toThrow('there is no code 9');
});
