import { expect, test } from 'vitest';
import { openLedgerShop, records } from './ledger-shop.ts';
import { expectEnd } from './run-cli.ts';

/** The statuses of a daily export of Smartstore; only the first is final. */
const statuses = ['구매확정', '배송중', '결제완료', '배송준비중'];
const service = [
  ...['-c', 'create-orders=POST /admin/v2/orders/bulk'],
  ...['-c', 'get-job=GET /admin/v2/job/{jobId}'],
];
const header = '주문번호,상품주문번호,상품번호,주문상태,구매자명,주문일시,택배사,송장번호';
const daily = (orders: string) =>
  [
    header,
    ...statuses.map(
      (status, at) =>
        `${orders},${orders}-${at},P-1,${status},홍길동,2026-11-24 10:00:00,CJ대한통운,69334061858${at}`,
    ),
  ].join('\n');

test('the statuses of a daily export that are in progress are left alone', async () => {
  const shop = await openLedgerShop({ jobDelayMs: 0, products: 0, orders: 0, reviews: 0 });
  const { run, write } = shop;
  const product = write('products.csv', 'originId,name\nP-1,Mug\n');
  expectEnd(await run(`products push ${product}`), 0);
  const file = write('daily.csv', daily('20261124'));
  expectEnd(await run([`orders push ${file} --wait`, ...service]), 0, '3 rows are still in progress');
  const updated = expectEnd(
    await run(`order-items push ${file} -o ndjson`),
    0,
    '3 rows are still in progress',
  );
  const items = () =>
    shop.served.sandbox.transact(({ state }) =>
      statuses.map((_, at) => state.orderItems.first('originId', `20261124-${at}`)),
    );
  expect(records(updated.stdout).map(({ outcome }) => outcome)).toEqual(statuses.map(() => 'updated'));
  expect(items().map((item) => item?.status ?? null)).toEqual(['DELIVERED', null, null, null]);
  expect(items().map((item) => item?.shipment?.trackingNumber)).toEqual(
    statuses.map((_, at) => `69334061858${at}`),
  );
});

test('with open-status=refuse a status in progress is refused, with its line and the way back', async () => {
  const { run, write } = await openLedgerShop();
  const file = write('daily.csv', daily('20261124'));
  const reading = [file, '-c open-status=refuse'];
  const push = ['orders push', ...reading, '--without-order-fields'];
  for (const command of [push, ['order-items push', ...reading]]) {
    const { stderr } = expectEnd(await run(command), 3, 'daily.csv:3: ', '-c open-status=omit');
    for (const [at, word] of statuses.entries()) expect(stderr.includes(word), word).toBe(at > 0);
    expect(stderr).not.toContain('rows are still in progress');
  }
  const { stdout } = expectEnd(await run(['order-items inspect', ...reading]), 3);
  expect(JSON.parse(stdout).problems).toMatchObject([{ code: 'open-status', firstLines: [3, 4, 5] }]);
  expectEnd(await run('config set open-status refuse'), 0);
  expectEnd(await run(['order-items inspect', file]), 3, '3 problems');
  expectEnd(
    await run(['order-items inspect', file, '-c open-status=omit']),
    0,
    '3 rows are still in progress',
  );
});
