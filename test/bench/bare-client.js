import { Pool } from 'undici';

/*
 * The least a client can be: undici alone, the bodies ready, a fixed number of requests in flight, each answer parsed.
 * bare-client.js ADDRESS push ENTRIES IN_FLIGHT | products COUNT IN_FLIGHT
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
  push: { path: '/admin/v2/order-items/bulk', requests: Number(count) / 100, body: () => ready },
  products: { path: '/admin/v2/product', requests: Number(count), body: productBody },
}[what];

function productBody(number) {
  return `{"originId":"B-${number}","name":"프리미엄 수분 크림 50ml","imageUrl":"https://img.example/a.jpg"}`;
}

function exchange(path, body) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    pool.dispatch(
      { path, method: 'POST', headers, body },
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

let next = 0;
await Promise.all(
  Array.from({ length: Number(inFlight) }, async () => {
    while (next < work.requests) {
      next += 1;
      JSON.parse((await exchange(work.path, work.body(next))).toString());
    }
  }),
);
await pool.close();
