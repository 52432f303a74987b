import { expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { openFickleShop, type Whim } from './fickle-shop.ts';
import { recordsIn } from './serve-stand-in.ts';

/** Pushes `count` records to a shop with this whim, as a process, in real time. */
async function push(
  kind: 'products' | 'orders',
  count: number,
  { flags = [], ...habits }: { whim?: Whim; lagMs?: number; flags?: readonly string[] },
) {
  const shop = await openFickleShop(habits);
  const { folder, env, writeLines } = shop;
  const rows = Array.from({ length: count }, (_, row) =>
    kind === 'products' ? `P${row},Cup ${row}` : `O${row},I${row},P1`,
  );
  const header = kind === 'products' ? 'originId,name' : 'orderOriginId,originId,productOriginId';
  writeLines('rows.csv', [header, ...rows]);
  const beganMs = performance.now();
  const result = await runCli([kind, 'push', 'rows.csv', ...flags], { env, cwd: folder });
  const outcomes = recordsIn(result).map(({ originId, outcome }) => [originId, outcome] as const);
  const counts: Record<string, number> = {};
  for (const [, outcome] of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  const held = new Set(kind === 'products' ? shop.originIds() : shop.items());
  /** Records that the shop does not have, although no outcome reports it. */
  const silent = outcomes.filter(
    ([id, outcome]) => !['unknown', 'failed'].includes(outcome) && !held.has(id),
  );
  return { ...result, shop, counts, silent, tookMs: performance.now() - beganMs };
}

const [create, bulk] = ['POST /admin/v2/product', 'POST /admin/v2/order-items/bulk'];
const is = (request: string, { method, path }: Parameters<Whim>[0]) => `${method} ${path}` === request;

/** Cuts every connection for this time. The first requests are carried out nevertheless. */
const outage = (seconds: number): Whim => {
  let cut = 0;
  return ({ atMs }) => {
    if (atMs < 400 || atMs >= 400 + seconds * 1000) return undefined;
    cut += 1;
    return { isDone: cut % 2 === 1 && cut < 8 };
  };
};

test('pushes go on after outages of 2, 10 and 60 s, and double nothing', async () => {
  const pushes = [2, 10, 60].flatMap((seconds) => [
    push('products', 1_500, { whim: outage(seconds) }),
    push('orders', 20_000, { whim: outage(seconds), flags: ['-c', 'concurrency=4'] }),
  ]);
  for (const { shop, silent, counts, exitCode, stderr } of await Promise.all(pushes)) {
    expect({ doubles: shop.doubles(), silent }).toEqual({ doubles: 0, silent: [] });
    const { unknown = 0, created, queued, ...others } = counts;
    expect(others).toEqual({});
    // Unknown are the records of the requests in flight.
    const [count, most] = created === undefined ? [20_000, 500] : [1_500, 8];
    expect((created ?? 0) + (queued ?? 0)).toBe(count - unknown);
    expect(unknown).toBeLessThanOrEqual(most);
    expect(exitCode).toBe(unknown === 0 ? 0 : 11);
    expect(stderr).toMatch(/the service did not answer for .*; the push waited and continued/);
  }
}, 200_000);

test('a push whose service is gone at its last answer ends, and waits for nobody', async () => {
  let isGone = false;
  const whim: Whim = (request) => {
    isGone ||= is(bulk, request) && request.count === 2;
    return isGone ? { isDone: true } : undefined;
  };
  const { counts, exitCode } = await push('orders', 200, { whim, flags: ['-c', 'concurrency=1'] });
  expect({ counts, exitCode }).toEqual({ counts: { queued: 100, unknown: 100 }, exitCode: 11 });
});

test('lists that lag by a minute have nothing created twice', async () => {
  const whim: Whim = (request) =>
    is(create, request) && request.count % 20 === 0 ? { isDone: request.count % 40 === 0 } : undefined;
  const { shop, silent, counts } = await push('products', 400, { whim, lagMs: 60_000 });
  expect({ doubles: shop.doubles(), silent }).toEqual({ doubles: 0, silent: [] });
  expect(counts['unknown']).toBe(20);
}, 120_000);

test('a service that fails 15 % of its requests, half after the effect, is filled within a minute', async () => {
  let requests = 0;
  const whim: Whim = () => {
    requests += 1;
    // An irregular pattern, so that it cannot match a period of the program.
    const isFailing = (requests * 37) % 100 < 15;
    return isFailing ? { isDone: requests % 2 === 0, answer: { status: 500 } } : undefined;
  };
  const flags = ['-c', 'concurrency=8', '-c', 'retries=8'];
  const { shop, silent, counts, tookMs } = await push('products', 1_000, { whim, flags });
  expect({ doubles: shop.doubles(), silent }).toEqual({ doubles: 0, silent: [] });
  expect(tookMs).toBeLessThan(60_000);
  const { created = 0, unknown = 0 } = counts;
  expect(created + unknown).toBe(1_000);
  expect(unknown).toBeLessThanOrEqual(10);
}, 120_000);

/** Accepts five requests per second and refuses the others. */
const limited = (answer: { status: number; headers?: Record<string, string>; body?: string }): Whim => {
  const taken = new Map<number, number>();
  return ({ atMs }) => {
    const second = Math.floor(atMs / 1000);
    const count = (taken.get(second) ?? 0) + 1;
    taken.set(second, count);
    return count <= 5 ? undefined : { isDone: false, answer };
  };
};
const limitPage =
  '<html><center><h1>503 Service Temporarily Unavailable</h1></center><hr><center>nginx</center></html>';

test('a service of five requests a second gets them at its pace, however it refuses more', async () => {
  const answers = [
    { status: 429 },
    { status: 429, headers: { 'retry-after': '1' } },
    { status: 503, headers: { 'retry-after': '1' } },
    { status: 503, body: limitPage },
  ];
  const pushes = answers.flatMap((answer) => [
    push('products', 60, { whim: limited(answer) }),
    push('orders', 3_000, { whim: limited(answer) }),
  ]);
  for (const { shop, exitCode, counts, stderr } of await Promise.all(pushes)) {
    const whole = counts['queued'] === undefined ? { created: 60 } : { queued: 3_000 };
    expect({ exitCode, counts, doubles: shop.doubles() }).toEqual({ exitCode: 0, counts: whole, doubles: 0 });
    expect(stderr).toMatch(
      /refused [\d,]+ requests? as too many; they were sent again; -c rate=[3-6] would have fitted/,
    );
  }
}, 120_000);

test('a proxy that answers 503 after it has forwarded has no product created twice', async () => {
  const whim: Whim = (request) =>
    is(create, request) && request.count % 10 === 0 ? { isDone: true, answer: { status: 503 } } : undefined;
  const { shop, silent, counts, exitCode } = await push('products', 300, { whim });
  expect({ exitCode, counts }).toEqual({ exitCode: 0, counts: { created: 300 } });
  expect({ doubles: shop.doubles(), silent }).toEqual({ doubles: 0, silent: [] });
}, 120_000);

test('a proxy that answers 503 after it has forwarded ends a push in bulk after three requests', async () => {
  const whim: Whim = (request) =>
    is(bulk, request) && request.count > 5 ? { isDone: true, answer: { status: 503 } } : undefined;
  const { shop, silent, counts, exitCode, stderr } = await push('orders', 20_000, {
    whim,
    flags: ['-c', 'concurrency=4'],
  });
  expect({ doubles: shop.doubles(), silent, exitCode }).toEqual({ doubles: 0, silent: [], exitCode: 11 });
  // Unknown are the requests in flight, and two sent alone.
  expect(counts['unknown']).toBeLessThanOrEqual(600);
  expect(stderr).toContain('(503)');
}, 120_000);
