import { Pool } from 'undici';

/* The minimal cost of a list: undici only, one page after another, reading only the cursor. drain-list.js ADDRESS */

const [address] = process.argv.slice(2);
const pool = new Pool(address, { connections: 1 });
const headers = { authorization: 'Basic x' };

function bytesOf(path) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    pool.dispatch(
      { path, method: 'GET', headers },
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

let next = '';
while (next !== undefined) {
  const page = await bytesOf(`/admin/v2/reviews?first=100${next}`);
  const [, isMore, cursor] = /"hasNextPage":(\w+),"endCursor":"(\d+)"/.exec(
    page.toString('latin1', page.length - 80),
  );
  next = isMore === 'true' ? `&after=${cursor}` : undefined;
}
await pool.close();
