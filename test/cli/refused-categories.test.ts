import { test } from 'vitest';
import { openPlace } from './open-place.ts';
import { expectEnd } from './run-cli.ts';

test('products refused for their categories lead to what comes first, once, and the advice mends it', async () => {
  const { run, write } = await openPlace({ jobDelayMs: 0 });
  const products = write('products.csv', ['originId,name,categories', 'P1,Cup,24', 'P2,Pot,24', 'P3,Mug,']);
  expectEnd(
    await run(`products push ${products}`),
    6,
    /^warning: 2 products refused because the service rejected their categories\nhint: push the categories first: reviewctl categories push FILE; or omit them: --set categories=\n/,
  );
  expectEnd(
    await run(`products push ${products} --set categories=`),
    0,
    /^3 products: 2 created, 1 unchanged/,
  );
  const categories = write('categories.csv', ['originId,name', '24,Kitchen']);
  await run(`categories push ${categories}`);
  expectEnd(await run(`products push ${products}`), 0, /^3 products: 2 updated, 1 unchanged/);
});
