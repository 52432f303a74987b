import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { recordsIn, standInShop } from './serve-stand-in.ts';

/** A shop with one item, which a push sets to DELIVERED and someone else then cancels. */
async function cancelledItem(columns: string) {
  const item: { shown: JsonObject } = {
    shown: { id: '5', originId: 'I1', status: 'PAID', product: { id: '1', originId: 'P1' } },
  };
  const shop = await standInShop({
    'PATCH /admin/v2/order-item/{}': ({ body }) => {
      const { status } = isJsonObject(body) ? body : {};
      item.shown = { ...item.shown, ...(status === undefined ? {} : { status }) };
      return item.shown;
    },
    'GET /admin/v2/order/{}/order-item/{}': () => item.shown,
  });
  const row = { id: '5', 'order.id': '3', productOriginId: 'P1', status: 'DELIVERED' };
  const cells = columns.split(',').map((column) => row[column as keyof typeof row]);
  writeFileSync(join(shop.folder, 'items.csv'), `${columns}\n${cells.join(',')}\n`);
  const push = (...flags: readonly string[]) => shop.cli('order-items', 'push', 'items.csv', ...flags);
  const first = await push();
  expect(recordsIn(first)).toMatchObject([{ outcome: 'updated' }]);
  item.shown = { ...item.shown, status: 'CANCEL' };
  return { ...shop, push, item };
}

test('an item whose order is not known is skipped, says that the journal was asked alone, and is sent on demand', async () => {
  const { push, item } = await cancelledItem('id,productOriginId,status');
  const again = await push();
  expect(recordsIn(again)).toMatchObject([{ outcome: 'skipped', comparedWith: 'journal' }]);
  expect(again.stderr.match(/already sent; not compared with the service/g)).toHaveLength(1);
  expect(again.stderr).toContain('order.id');
  expect(recordsIn(await push('--resend', 'accepted'))).toMatchObject([{ outcome: 'updated' }]);
  expect(item.shown).toMatchObject({ status: 'DELIVERED' });
});

test('an item whose order is known is compared with what the service shows', async () => {
  const { push } = await cancelledItem('id,order.id,productOriginId,status');
  expect(recordsIn(await push())).toMatchObject([
    { outcome: 'updated', changes: { status: { from: 'CANCEL', to: 'DELIVERED' } } },
  ]);
  expect(recordsIn(await push())).toMatchObject([{ outcome: 'unchanged' }]);
});
