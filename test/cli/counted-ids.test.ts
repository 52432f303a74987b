import { expect, test } from 'vitest';
import { openPlace, type Place, recordsIn } from './open-place.ts';
import { expectEnd } from './run-cli.ts';

const counted = ['--map', 'originId={orderOriginId}-{n}'];
const waiting = ['--wait', '-c', 'get-job=GET /admin/v2/job/{jobId}'];
const header = 'orderOriginId,productOriginId';

/** Writes `A:P1` words as rows of orders and products, in a file with the columns of `header`. */
function writeItems({ write }: Place, words: readonly string[]): string {
  return write('orders.csv', [header, ...words.map((word) => word.replace(':', ','))]);
}

/** The product of each item at the service. */
function productsOfItems({ sandbox: { sandbox } }: Place): Record<string, string | undefined> {
  return sandbox.transact(({ state }) =>
    Object.fromEntries(
      [...state.orderItems.values()].map(({ originId, productId }) => [
        originId,
        state.products.get(productId ?? '')?.originId,
      ]),
    ),
  );
}

async function openShop(): Promise<Place> {
  const place = await openPlace({ products: 0 });
  const products = ['P1,one', 'P2,two', 'P3,three', 'P4,four'];
  const file = place.write('products.csv', ['originId,name', ...products]);
  expectEnd(await place.run(`products push ${file}`), 0);
  return place;
}

const pushed = (place: Place, words: readonly string[], ...flags: string[]) =>
  place.run(['orders push', writeItems(place, words), ...counted, ...flags]);

test('an order that lost a line is refused with both sides, and no item goes to another product', async () => {
  const place = await openShop();
  expectEnd(await pushed(place, ['A1:P1', 'A1:P2', 'A1:P3', 'B1:P1'], ...waiting), 0);
  const before = productsOfItems(place);
  expect(before).toEqual({ 'A1-1': 'P1', 'A1-2': 'P2', 'A1-3': 'P3', 'B1-1': 'P1' });

  const second = await pushed(place, ['A1:P2', 'A1:P3', 'B1:P1', 'C1:P4'], ...waiting);
  const error = expect.stringContaining(
    'the items of order A1 were sent as A1-1 (P1), A1-2 (P2), A1-3 (P3), and the file has A1-1 (P2), A1-2 (P3)',
  );
  expect({ exitCode: second.exitCode, outcomes: recordsIn(second) }).toMatchObject({
    exitCode: 6,
    outcomes: [
      { originId: 'A1-1', outcome: 'rejected', error },
      { originId: 'A1-2', outcome: 'rejected', error },
      { originId: 'B1-1', outcome: 'skipped' },
      { originId: 'C1-1', outcome: 'created' },
    ],
  });
  expect(productsOfItems(place)).toEqual({ ...before, 'C1-1': 'P4' });
});

test.each([
  ['lost its last line', ['A1:P1']],
  ['has its lines in another order', ['A1:P2', 'A1:P1']],
])('an order that %s is refused, in a dry run too, and nothing is sent', async (_, words) => {
  const place = await openShop();
  await pushed(place, ['A1:P1', 'A1:P2'], ...waiting);
  const before = productsOfItems(place);
  for (const flags of [[], ['--dry-run'], waiting, ['--resend', 'accepted']]) {
    const { stdout } = expectEnd(await pushed(place, words, ...flags), 6);
    expect(stdout.match(/"outcome":"rejected"/g)).toHaveLength(words.length);
  }
  expect(productsOfItems(place)).toEqual(before);
});

test('a line that was never made is no part of what was sent', async () => {
  const place = await openShop();
  const first = await pushed(place, ['A1:P1', 'A1:GONE'], ...waiting);
  expect(recordsIn(first)).toMatchObject([{ outcome: 'created' }, { outcome: 'failed' }]);
  expectEnd(await pushed(place, ['A1:P1', 'A1:P2'], ...waiting), 0);
  expect(productsOfItems(place)).toEqual({ 'A1-1': 'P1', 'A1-2': 'P2' });
});

test('a number is part of the item also where the id names the product', async () => {
  const place = await openShop();
  const map = '--map originId={orderOriginId}-{productOriginId}-{n}';
  const push = (words: readonly string[]) =>
    place.run(['orders push', writeItems(place, words), map, ...waiting]);
  await push(['A1:P1', 'A1:P2']);
  expectEnd(await push(['A1:P2']), 6);
  expect(Object.keys(productsOfItems(place))).toEqual(['A1-P1-1', 'A1-P2-2']);
});

test('items whose ids come from a column may come and go', async () => {
  const place = await openShop();
  const push = (rows: readonly string[]) => {
    const file = place.write('o.csv', [`originId,${header}`, ...rows]);
    return place.run([`orders push ${file}`, ...waiting]);
  };
  await push(['I1,A1,P1', 'I2,A1,P2']);
  expectEnd(await push(['I2,A1,P3']), 0);
  expect(productsOfItems(place)).toEqual({ I1: 'P1', I2: 'P3' });
});

test('an update by a counted id is given to no item of another product', async () => {
  const place = await openShop();
  await pushed(place, ['A1:P1', 'A1:P2'], ...waiting);
  const before = productsOfItems(place);
  const update = async (lines: readonly string[]) => {
    const file = place.write('status.csv', lines);
    return place.run([`order-items push ${file}`, ...counted, '--set status=DELIVERED']);
  };
  const shifted = await update([header, 'A1,P2']);
  const error = expect.stringContaining('were sent as A1-1 (P1), A1-2 (P2), and the file has A1-1 (P2)');
  expect(recordsIn(shifted)).toMatchObject([{ originId: 'A1-1', outcome: 'rejected', error }]);
  expectEnd(await update(['orderOriginId', 'A1', 'A1']), 6);
  expectEnd(await update([header, 'A1,P1', 'A1,P2']), 0);
  expect(productsOfItems(place)).toEqual(before);
});
