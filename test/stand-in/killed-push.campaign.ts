import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts';
import { programPath } from '../cli/run-cli.ts';
import { entriesIn, jobsFor, pageOf, type Routes, recordsIn, standInShop, textOf } from './serve-stand-in.ts';

/* A push is killed with -9 while its requests are in flight. The next one looks up what reached the service. */

const bulk = 'POST /admin/v2/order-items/bulk';
const whole = 'POST /admin/v2/orders/bulk';
const reviews = 'GET /admin/v2/reviews';

interface Item {
  readonly originId: string;
  readonly orderOriginId: string;
  readonly productOriginId: string;
}

const orderId = (originId: string) => `id-${originId}`;

/** An order in the form of a reply. */
const orderOf = (originId: string, items: readonly Item[]) => ({
  id: orderId(originId),
  originId,
  items: items
    .filter(({ orderOriginId }) => orderOriginId === originId)
    .map((item) => ({
      id: `id-${item.originId}`,
      originId: item.originId,
      product: { originId: item.productOriginId },
    })),
});

/** The flags of a push. Without creation of whole orders, the fields of orders are omitted. */
const flagsOf = (flags: readonly string[]) =>
  flags.some((flag) => flag.startsWith('create-orders=')) ? flags : [...flags, '--without-order-fields'];

/** A shop that accepts items but never answers while it `holds`. `reviewed` are the orders that reviews name. */
async function openShop(reviewed: readonly string[], routes: Routes = {}) {
  const items: Item[] = [];
  let holds = true;
  const take = (body: Json, taken: readonly Item[]) => {
    items.push(...taken);
    return holds ? undefined : jobsFor(body);
  };
  const shop = await standInShop({
    [bulk]: ({ body }) => take(body, entriesIn(body) as unknown as Item[]),
    [whole]: ({ body }) =>
      take(
        body,
        entriesIn(body).flatMap(({ originId, items: ofOrder = [] }) =>
          entriesIn(ofOrder).map((item) => ({
            ...(item as unknown as Item),
            orderOriginId: textOf(originId),
          })),
        ),
      ),
    [reviews]: ({ query }) => {
      const asked = query.getAll('orderOriginIds');
      const orders = reviewed.filter((originId) => asked.includes(originId));
      return pageOf(orders.map((originId) => ({ id: originId, order: { id: orderId(originId), originId } })));
    },
    'GET /admin/v2/rewards': () => pageOf([]),
    'GET /admin/v2/order/{}': ({ ids: [id = ''] }) => orderOf(id.slice('id-'.length), items),
    ...routes,
  });
  const write = (rows: readonly string[]) =>
    shop.writeLines('items.csv', [
      'orderOriginId,originId,productOriginId,orderedAt',
      ...rows.map((row) => `${row},2026-11-20`),
    ]);
  /** Starts a push and kills it as soon as the service has a request. */
  const killPush = async (...flags: readonly string[]) => {
    const args = [programPath, 'orders', 'push', 'items.csv', '-o', 'none', ...flagsOf(flags)];
    const child = spawn(process.execPath, args, { env: shop.env, cwd: shop.folder, stdio: 'ignore' });
    await killOnce(child, () => shop.countOf(bulk) + shop.countOf(whole));
    holds = false;
  };
  const push = async (...flags: readonly string[]) => {
    const result = await shop.cli('orders', 'push', 'items.csv', ...flagsOf(flags));
    const outcomes: readonly JsonObject[] = recordsIn(result);
    return {
      ...result,
      words: outcomes.map(({ originId, outcome }) => `${textOf(originId)} ${textOf(outcome)}`),
    };
  };
  return { ...shop, write, killPush, push };
}

/** Kills a program once the service has received one request. */
async function killOnce(child: ChildProcess, requestCount: () => number) {
  await vi.waitFor(() => expect(requestCount()).toBe(1), { interval: 5, timeout: 20_000 });
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const rows = ['O1,A,P', 'O1,B,P', 'O2,C,P', 'O3,D,P'];

test('items whose order has a review are found after a kill and never sent again; the others stay unknown', async () => {
  const shop = await openShop(['O1', 'O2']);
  shop.write(rows);
  await shop.killPush();
  const { exitCode, words, stderr } = await shop.push();
  expect({ exitCode, words }).toEqual({
    exitCode: 11,
    words: ['A skipped', 'B skipped', 'C skipped', 'D unknown'],
  });
  expect(stderr).toContain('4 records were in progress when an earlier run was killed');
  expect(stderr).toContain('3 records with an unknown outcome found at the service');
  expect(shop.countOf(bulk)).toBe(1);

  const before = shop.countOf('GET /admin/v2/order/id-O1');
  expect((await shop.push()).words).toEqual(words);
  expect(shop.countOf('GET /admin/v2/order/id-O1')).toBe(before);
  shop.write(['O1,A,Q', ...rows.slice(1)]);
  expect(
    recordsIn(await shop.cli('orders', 'push', 'items.csv', ...flagsOf(['--dry-run'])))[0],
  ).toMatchObject({
    originId: 'A',
    outcome: 'updated',
    id: 'id-A',
  });
});

test('--resend unknown sends what was looked for in vain, and nothing that is there', async () => {
  const shop = await openShop(['O1']);
  shop.write(rows);
  await shop.killPush();
  expect((await shop.push('--resend', 'unknown')).words).toEqual([
    'A skipped',
    'B skipped',
    'C queued',
    'D queued',
  ]);
  expect(shop.countOf(bulk)).toBe(2);
});

test('a dry run says what was found and puts nothing on record', async () => {
  const shop = await openShop(['O1']);
  shop.write(rows);
  await shop.killPush();
  for (const flags of [['--dry-run'], ['--dry-run'], []]) {
    const { words, stderr } = await shop.push(...flags);
    expect(words).toEqual(['A skipped', 'B skipped', 'C unknown', 'D unknown']);
    expect(stderr).toContain('2 records with an unknown outcome found at the service');
  }
});

test('a push whose changes are measured first looks for each lost item once, and then has it on record', async () => {
  const shop = await openShop(['O1']);
  shop.write(rows);
  await shop.killPush();
  const { words } = await shop.push('--max-change', '100%');
  expect(words).toEqual(['A skipped', 'B skipped', 'C unknown', 'D unknown']);
  expect(shop.countOf('GET /admin/v2/order/id-O1')).toBe(1);
  await shop.push();
  expect(shop.countOf('GET /admin/v2/order/id-O1')).toBe(1);
});

test('a whole order is found with its items, and items are added to it', async () => {
  const createOrders = ['-c', 'create-orders=POST /admin/v2/orders/bulk'];
  const shop = await openShop(['O1']);
  shop.write(rows);
  await shop.killPush(...createOrders);
  shop.write(['O1,A,P', 'O1,B,P', 'O1,E,P', ...rows.slice(2)]);
  expect((await shop.push(...createOrders)).words.toSorted()).toEqual([
    ...['A skipped', 'B skipped', 'C unknown', 'D unknown', 'E queued'],
  ]);
  expect(shop.countOf(whole)).toBe(1);
});

test('where the service does not let us look, that is said once, the unknown stay unknown and all else is sent', async () => {
  const shop = await openShop([], {
    [reviews]: (_, outgoing) => outgoing.writeHead(403).end('{"detail":"no"}'),
  });
  shop.write(rows);
  await shop.killPush();
  shop.write([...rows, 'O4,E,P']);
  const { exitCode, words, stderr } = await shop.push();
  expect({ exitCode, words }).toEqual({
    exitCode: 11,
    words: ['A unknown', 'B unknown', 'C unknown', 'D unknown', 'E queued'],
  });
  expect(stderr.match(/could not be looked up/g)).toHaveLength(1);
});

test('a product whose creation was under way is found by its originId and not made again', async () => {
  const product = 'POST /admin/v2/product';
  const made: JsonObject[] = [];
  const shop = await standInShop({
    'GET /admin/v2/products': ({ query }) =>
      pageOf(made.filter(({ originId }) => query.getAll('originIds').includes(textOf(originId)))),
    [product]: ({ body }) => {
      made.push({ id: 'id-P1', ...(isJsonObject(body) ? body : {}) });
      return undefined;
    },
  });
  shop.writeLines('products.csv', ['originId,name', 'P1,Mug']);
  const child = spawn(process.execPath, [programPath, 'products', 'push', 'products.csv'], {
    env: shop.env,
    cwd: shop.folder,
    stdio: 'ignore',
  });
  await killOnce(child, () => shop.countOf(product));
  const { exitCode, stdout } = await shop.cli('products', 'push', 'products.csv');
  expect({ exitCode, records: recordsIn({ stdout }) }).toMatchObject({
    exitCode: 0,
    records: [{ originId: 'P1', outcome: 'unchanged', id: 'id-P1' }],
  });
  expect(shop.countOf(product)).toBe(1);
});
