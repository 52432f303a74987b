import { expect, it, test } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import { refuseRenumbered } from '../../src/push/compile/counted-orders.ts';

/** The rows of an order, as in a refusal: `O-1 (P1), O-2 (no product)`. */
const rowsOf = (orderOriginId: string, rows: string) =>
  rows.split(', ').map((row) => {
    const [, originId = '', product] = /^(\S+) \((.*)\)$/.exec(row) ?? [];
    return {
      orderOriginId,
      originId,
      ...(product === 'no product' ? {} : { productOriginId: product ?? '' }),
    };
  });

/** The refused orders of a file with these batches, after these items were sent before. */
function refusedOf(sent: Readonly<Record<string, string>>, ...batches: readonly ReturnType<typeof rowsOf>[]) {
  const itemsOf = async (orders: readonly string[]) =>
    new Map(
      orders.flatMap((order) => {
        const before = sent[order];
        if (before === undefined) return [];
        const products = rowsOf(order, before).map((row) => [row.originId, row.productOriginId] as const);
        return [[order, new Map(products)] as const];
      }),
    );
  return refuseRenumbered(() => streamOf(batches), { itemsOf });
}

const same = 'O-1 (P1), O-2 (P2)';
const sent = { O: same };

it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['was never sent', {}, [same]],
  ['is as it was sent', sent, [same]],
  ['has another order of its rows', sent, ['O-2 (P2), O-1 (P1)']],
  ['has one item more', sent, [`${same}, O-3 (P3)`]],
  ['lies in two batches', sent, ['O-1 (P1)', 'O-2 (P2)']],
])('an order that %s is pushed', async (_, before, batches) => {
  expect(await refusedOf(before, ...batches.map((rows) => rowsOf('O', rows)))).toEqual(new Map());
});

it.each([
  ['lacks an item', ['O-1 (P1)']],
  ['has an item of another product', ['O-1 (P2), O-2 (P2)']],
  ['has another item in place of one', ['O-1 (P1), O-3 (P2)']],
  ['has none of the items', ['O-9 (P9)']],
  ['names no product', ['O-1 (no product), O-2 (P2)']],
  ['lacks an item in two batches', ['O-1 (P1)', 'O-4 (P4)']],
])('an order that %s is refused with both', async (_, batches) => {
  const refused = await refusedOf(sent, ...batches.map((rows) => rowsOf('O', rows)));
  const reason =
    `the items of order O were sent as ${same}, and the file has ${batches.join(', ')}; ids made with {n} must stay ` +
    'with their items: export the whole order again with its lines in the same order, or map a column with the ' +
    'id of each line';
  expect(refused).toEqual(new Map([['O', reason]]));
});

test('only the order that was numbered anew is refused, and of many items eight are named, by number', async () => {
  const ten = Array.from({ length: 10 }, (_, index) => `O-${10 - index} (P)`);
  const sentBefore = { O: ten.join(', '), N: 'N-1 (P)' };
  const rows = rowsOf('O', ten.slice(0, 9).join(', '));
  const refused = await refusedOf(sentBefore, rowsOf('N', 'N-1 (P)'), rows);
  expect([...refused.keys()]).toEqual(['O']);
  const eight = Array.from({ length: 8 }, (_, index) => `O-${index + 1} (P)`).join(', ');
  expect(refused.get('O')).toContain(`were sent as ${eight}, …, and the file has O-10 (P), O-9 (P)`);
  expect(refused.get('O')).toContain('O-3 (P), …; ids');
});
