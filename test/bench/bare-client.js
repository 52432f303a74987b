import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

/** The least a client can be: sends bodies built beforehand, one a line, with undici alone, eight at a time, and reads the answers. */
const [address, bodiesFile] = process.argv.slice(2);
const bodies = readFileSync(bodiesFile, 'utf8').trimEnd().split('\n');
const pool = new Pool(address, { connections: 8 });
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
await pool.close();
