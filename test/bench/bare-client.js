import { Pool } from 'undici';

/*
 * The minimal client: undici only, prepared bodies, a fixed number of requests in flight, each reply parsed.
 * bare-client.js ADDRESS push ENTRIES IN_FLIGHT | products COUNT IN_FLIGHT | settle COUNT IN_FLIGHT
 */

const [address, what, count, inFlight] = process.argv.slice(2);
const pool = new Pool(address, { connections: Number(inFlight) });
const headers = { 'content-type': 'application/json', authorization: 'Basic x' };

const items = Array.from({ length: 100 }, (_, number) => {
  const order = `20261101-${1_000_000 + (number >> 2)}`;
  return { orderOriginId: order, originId: `${order}-${number & 3}`, productOriginId: `P-${number}` };
});
const ready = Buffer.from(JSON.stringify(items));
const work = {
  push: { pieces: Number(count) / 100, work: () => json('POST', '/admin/v2/order-items/bulk', ready) },
  products: {
    pieces: Number(count),
    work: (number) => json('POST', '/admin/v2/product', productBody(number)),
  },
  settle: { pieces: Number(count), work: settleNext },
}[what];

/** The queued rewards, read before the first payment. */
const rewards = [];

async function listRewards() {
  for (let after = ''; after !== undefined; ) {
    const page = await json('GET', `/admin/v2/rewards?status=QUEUED&first=100${after && `&after=${after}`}`);
    rewards.push(...page.data);
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined;
  }
}

async function settleNext(number) {
  const { id, amount } = rewards[number - 1];
  await json('POST', '/pay', JSON.stringify({ key: id, amount }));
  await json('PATCH', `/admin/v2/reward/${id}`, '{"status":"SUCCESS"}');
}

function productBody(number) {
  return `{"originId":"B-${number}","name":"프리미엄 수분 크림 50ml","imageUrl":"https://img.example/a.jpg"}`;
}

async function json(method, path, body) {
  return JSON.parse((await exchange(method, path, body)).toString());
}

function exchange(method, path, body) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    pool.dispatch(
      { path, method, headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: (_, chunk) => chunks.push(chunk),
        onResponseEnd: () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}

if (what === 'settle') await listRewards();
let next = 0;
await Promise.all(
  Array.from({ length: Number(inFlight) }, async () => {
    while (next < work.pieces) {
      next += 1;
      await work.work(next);
    }
  }),
);
await pool.close();
