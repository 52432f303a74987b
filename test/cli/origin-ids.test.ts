import { describe, expect, it } from 'vitest';
import { openPlace, recordsIn } from './open-place.ts';
import { expectEnd, expectNothing } from './run-cli.ts';

const getJob = ['-c', 'get-job=GET /admin/v2/job/{jobId}'];
const wholeOrders = ['-c', 'create-orders=POST /admin/v2/orders/bulk'];
const header = 'orderOriginId,originId,productOriginId,orderedAt,memberOriginId';
const rows = [header, 'O-1,I-1,A-1,2026-11-24,m-1', 'O-1,I-2,A-1,2026-11-24,m-1'];

/** A shop with products, and ten seeded products. */
async function openShop(options: Parameters<typeof openPlace>[0] = {}) {
  const place = await openPlace({ products: 10, orders: 0, reviews: 0, jobDelayMs: 0, ...options });
  const { run, write } = place;
  const file = write('products.csv', ['originId,name', 'A-1,Mug', 'A-2,Pot']);
  const pushed = recordsIn(expectEnd(await run(`products push ${file}`), 0));
  const [mug, pot] = pushed.map(({ id }) => String(id));
  return { ...place, mug, pot };
}

describe('origin:ID of a product', () => {
  it('names it, to read and to change', async () => {
    const { run, mug, pot } = await openShop();
    expect(recordsIn(expectEnd(await run('products get origin:A-1'), 0))).toMatchObject([
      { id: mug, name: 'Mug' },
    ]);
    const update = 'products update origin:A-2 --name Kettle';
    const [request] = recordsIn(expectEnd(await run(`${update} -n`), 0));
    expect(request).toMatchObject({ method: 'PATCH', path: `/admin/v2/product/${pot}` });
    expect(recordsIn(expectEnd(await run(update), 0))).toMatchObject([{ id: pot, name: 'Kettle' }]);
    const add = await run('product-groups add-product 7 origin:A-1 -n');
    expect(recordsIn(expectEnd(add, 0))).toMatchObject([
      { path: `/admin/v2/product-group/7/products/${mug}` },
    ]);
  });

  it('gets its image back with the next push once a command changed it', async () => {
    const { run, write } = await openShop();
    const file = write('images.csv', ['originId,imageUrl', 'A-1,https://img.example/x.jpg']);
    const pushed = async (flags = '') => recordsIn(await run(`products push ${file} ${flags}`));
    expect(await pushed()).toMatchObject([{ outcome: 'updated' }]);
    expectEnd(await run('products update origin:A-1 --image-url https://img.example/y.jpg'), 0);
    expect(await pushed()).toMatchObject([{ outcome: 'updated' }]);
  });

  it('finds it at a service that ignores the filter, on a later page too', async () => {
    const { run } = await openShop({ products: 150, assumptions: { unknownFields: 'ignore' } });
    const listed = recordsIn(await run('products list --fields id,originId'));
    for (const { id, originId } of [listed[0], listed.at(-1)]) {
      const found = await run(`products get origin:${originId} -c array-query=brackets`);
      expect(recordsIn(expectEnd(found, 0))).toMatchObject([{ id, originId }]);
    }
    expectEnd(await run('products get origin:A-9 -c array-query=brackets'), 6, "the originId 'A-9'");
  });

  it('that none has ends with 6 and the list to look at', async () => {
    const { run } = await openShop();
    expectNothing(
      await run('products get origin:A-9'),
      6,
      "the service has no product with the originId 'A-9'",
      'reviewctl products list --fields id,originId,name',
    );
  });

  it('that two have is refused with both ids', async () => {
    const { run, mug } = await openShop({ assumptions: { duplicateOriginId: 'accept' } });
    const [copy] = recordsIn(await run('products create --origin-id A-1 --name Copy'));
    expectNothing(
      await run('products update origin:A-1 --name Cup'),
      2,
      RegExp(`the products (?:${mug} and ${copy.id}|${copy.id} and ${mug}) have the same originId 'A-1'`),
      'reviewctl products get',
    );
  });
});

describe('origin:ID of an order', () => {
  it('names it and its items once a push has followed its job', async () => {
    const { run, write } = await openShop();
    const file = write('orders.csv', rows);
    expectEnd(await run([`orders push ${file} --wait`, ...getJob, ...wholeOrders]), 0);
    const [order] = recordsIn(expectEnd(await run('orders get origin:O-1'), 0));
    expect(order).toMatchObject({ originId: 'O-1', memberOriginId: 'm-1' });
    const [item] = recordsIn(expectEnd(await run('order-items get origin:O-1 origin:I-2'), 0));
    expect(item).toMatchObject({ originId: 'I-2' });
    const dry = [
      ['orders update origin:O-1 --member-origin-id m-2', `/admin/v2/order/${order.id}`],
      ['orders add-item origin:O-1 --origin-id I-3 --product-origin-id A-1', `/${order.id}/order-item`],
      ['order-items update origin:I-2 --product-origin-id A-1 --status DELIVERED', item.id],
    ];
    for (const [command, path] of dry) {
      const [request] = recordsIn(expectEnd(await run(`${command} -n`), 0));
      expect(request.path).toContain(path);
    }
    expectEnd(await run('order-items update origin:I-2 --product-origin-id A-1 --status DELIVERED'), 0);
    expectEnd(await run('orders update origin:O-1 --buyer-name K** --buyer-phone 010-1111-2222'), 0);
    expectNothing(await run('orders update origin:O-1 --buyer-phone 02'), 2, 'masked', '--buyer-name');
    const [{ buyer }] = recordsIn(expectEnd(await run('orders update origin:O-1 --buyer-name Kim'), 0));
    expect(buyer).toMatchObject({ name: 'Kim', phone: '010-1111-2222' });
    const parts = 'order-items update origin:I-2 --product-origin-id A-1 --shipment-tracking-number 9 -n';
    expectEnd(await run(parts), 0, 'may clear the other fields of shipment: companyCode, deliveredAt');
  });

  it('that a command changed, or gave an item, is pushed again as it is by then', async () => {
    const { run, write } = await openShop();
    const push = (...lines: readonly string[]) =>
      run([`orders push ${write('orders.csv', [header, ...lines])} --wait`, ...getJob, ...wholeOrders]);
    expectEnd(await push(...rows.slice(1)), 0);
    expectEnd(await run('orders add-item origin:O-1 --origin-id I-3 --product-origin-id A-1'), 0);
    const ofMember2 = ['O-1,I-1,A-1,2026-11-24,m-2', 'O-1,I-3,A-1,2026-11-25,m-2'];
    const command = 'reviewctl orders update origin:O-1 --member-origin-id VALUE';
    expect(expectEnd(await push(...ofMember2), 6).stdout).toContain(command);
    expectEnd(await run('orders update origin:O-1 --member-origin-id m-2'), 0);
    const pushed = recordsIn(expectEnd(await push(...ofMember2, 'O-1,I-4,A-1,2026-11-25,'), 0));
    expect(pushed.map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped', 'created']);
  });

  it('shows an item as changed by a command, so that it is pushed again', async () => {
    const { run, write } = await openShop();
    const orders = write('orders.csv', ['orderOriginId,originId,productOriginId', 'O-1,I-1,A-1']);
    expectEnd(await run([`orders push ${orders} --wait`, ...getJob]), 0);
    const items = write('items.csv', ['originId,status', 'I-1,RETURN']);
    const pushed = async () => recordsIn(await run(`order-items push ${items}`));
    const [{ id } = {}] = await pushed();
    expect(await pushed()).toMatchObject([{ outcome: 'skipped' }]);
    expectEnd(await run(`order-items update ${id} --product-origin-id A-1 --status CANCEL`), 0);
    expect(await pushed()).toMatchObject([{ outcome: 'updated' }]);
  });

  it('whose job was not followed ends with 6 and the command that follows it', async () => {
    const { run, write } = await openShop();
    expectEnd(await run([`orders push ${write('orders.csv', rows)}`, ...wholeOrders]), 0);
    for (const [command, noun] of [
      ['orders get origin:O-1', 'order'],
      ['order-items get 7 origin:I-1', 'order item'],
      ['orders update origin:O-1 --member-origin-id m-2 -n', 'order'],
    ]) {
      expectNothing(
        await run(`${command}`),
        6,
        `pushes.db does not show the id of the ${noun}`,
        noun === 'order'
          ? 'created the order whole (setting create-orders): reviewctl'
          : 'created it: reviewctl',
        "reviewctl jobs wait -c 'get-job=GET /admin/v2/job/{jobId}'",
      );
    }
    expectEnd(await run(['jobs wait', ...getJob]), 0);
    expectEnd(await run('orders get origin:O-1'), 0);
    expectEnd(await run('orders get origin:O-9'), 6, 'reviewctl orders push FILE --wait');
  });
});

describe('origin:ID where there is none', () => {
  it.each([
    ['reviews get origin:1', 'no review has an originId', 'reviewctl reviews list -o ids'],
    ['reviews hide 1 origin:1', 'no review has an originId', 'reviewctl reviews list -o ids'],
    ['reviews publish -', 'no review has an originId', 'reviewctl reviews list -o ids'],
    ['rewards get origin:1', 'no reward has an originId', 'reviewctl rewards list -o ids'],
    [
      'rewards update origin:1 --status CANCELLED',
      'no reward has an originId',
      'reviewctl rewards list -o ids',
    ],
    [
      'product-groups add-product origin:1 2',
      'no product group has an originId',
      'reviewctl product-groups list',
    ],
    ['products get origin:', "'origin:' has no originId", 'reviewctl products list'],
  ])('is refused in words: %s', async (command, reason, look) => {
    const { run } = await openPlace();
    expectNothing(await run(command, { stdin: 'origin:1\n' }), 2, reason, look);
  });
});
