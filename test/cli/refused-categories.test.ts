import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { environmentAt, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

test('products refused for their categories lead to what comes first, once, and the advice mends it', async () => {
  const folder = temporaryFolder();
  const sandbox = await serveSandbox({ port: 0, jobDelayMs: 0 });
  onTestFinished(() => sandbox.close());
  const env = environmentAt(folder, sandbox);
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const products = write('products.csv', 'originId,name,categories\nP1,Cup,24\nP2,Pot,24\nP3,Mug,\n');
  expectEnd(
    await runInProcess(`products push ${products}`, { env }),
    6,
    /^warning: 2 products refused because the service rejected their categories\nhint: push the categories first: reviewctl categories push FILE; or omit them: --set categories=\n/,
  );
  const without = await runInProcess(`products push ${products} --set categories=`, { env });
  expect({ exitCode: without.exitCode, stderr: without.stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringMatching(/^3 products: 2 created, 1 unchanged/),
  });
  const categories = write('categories.csv', 'originId,name\n24,Kitchen\n');
  await runInProcess(`categories push ${categories}`, { env });
  expectEnd(
    await runInProcess(`products push ${products}`, { env }),
    0,
    /^3 products: 2 updated, 1 unchanged/,
  );
});
