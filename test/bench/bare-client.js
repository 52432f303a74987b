import { Pool } from 'undici';

/** The least a client can be: sends bodies built beforehand with undici alone, eight at a time, and reads the answers. */
const [address, countText] = process.argv.slice(2);
const bodies = [];
for (let start = 0; start < Number(countText); start += 100) {
  const entries = Array.from({ length: 100 }, (_, index) => {
    const number = start + index;
    return {
      orderOriginId: `O-${number >> 2}`,
      originId: `O-${number >> 2}-${number & 3}`,
      productOriginId: `P-${number % 977}`,
    };
  });
  bodies.push(JSON.stringify(entries));
}
const pool = new Pool(address, { connections: 8 });
const startedMs = performance.now();
let next = 0;
await Promise.all(
  Array.from({ length: 8 }, async () => {
    while (next < bodies.length) {
      const body = bodies[next++];
      const reply = await pool.request({
        method: 'POST',
        path: '/admin/v2/order-items/bulk',
        headers: { 'content-type': 'application/json', authorization: 'Basic x' },
        body,
      });
      await reply.body.json();
    }
  }),
);
process.stdout.write(`${(performance.now() - startedMs) / 1000}\n`);
await pool.close();
