import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedSandbox } from './open-place.ts';
import { environmentAt, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const sandbox = await sharedSandbox({ port: 0 });

/** A shop with its exports: products have 상품코드 only, orders have both keys. */
function openShop() {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'products.csv'), '상품코드,상품명\nP1,하나\n');
  writeFileSync(join(cwd, 'orders.csv'), '주문번호,품목별 주문번호,상품번호,상품코드\nO,I,17,P1\n');
  const env = environmentAt(cwd, sandbox);
  const run = (...args: readonly string[]) => runInProcess(args, { env, cwd });
  const runWith = (more: Record<string, string>, args: readonly string[]) =>
    runInProcess(args, { env: { ...env, ...more }, cwd });
  const kept = async () => (await run('config get product-key')).stdout.trim();
  return { cwd, run, runWith, kept };
}

test('the key of the first push is kept in the profile, and orders and order items go by it', async () => {
  const { run, kept } = openShop();
  expectEnd(await run('products push products.csv -n'), 0);
  expect(await kept()).toBe('');
  const products = await run('products push products.csv -o none');
  expect(products.stderr).toContain(
    'stored in profile default: 상품코드 identifies products (product-key)\n',
  );
  expect(await kept()).toBe('상품코드');

  const inspected = expectEnd(await run('orders inspect orders.csv -o json'), 0);
  expect(JSON.parse(inspected.stdout)).toMatchObject({ first: [{ record: { productOriginId: 'P1' } }] });
  const orders = expectEnd(await run('orders push orders.csv -o none'), 0);
  expect(orders.stderr).not.toContain('stored in profile');
});

test('another key is refused before anything is sent, until the shop goes over to it', async () => {
  const { run, kept } = openShop();
  await run('products push products.csv -o none');
  const map = '--map productOriginId=상품번호';
  const refused = expectEnd(
    await run(`orders push orders.csv ${map}`),
    3,
    'but this shop identifies its products by 상품코드',
  );
  const command = refused.stderr.match(/reviewctl config set product-key '상품번호'/);
  expect(command).not.toBeNull();
  expectEnd(await run('orders push orders.csv -n -c product-key=상품번호'), 0);
  expect(await kept()).toBe('상품코드');
  await run('config set product-key 상품번호');
  expectEnd(await run(`orders push orders.csv ${map} -o none`), 0);
});

test('nothing is kept of records the service refused, nor in the profile of another service', async () => {
  const { cwd, run, kept } = openShop();
  writeFileSync(join(cwd, 'refused.csv'), '상품코드,상품명,상품분류 번호\nP9,아홉,nowhere\n');
  expectEnd(await run('products push refused.csv -o none'), 6);
  expect(await kept()).toBe('');
  await run('config set base-url https://reviews.example.com');
  expectEnd(await run('products push products.csv -o none'), 0);
  expect(await kept()).toBe('');
});

test('a folder of settings that cannot be written stops no push', async () => {
  const { cwd, runWith } = openShop();
  const blocked = { REVIEWCTL_CONFIG_DIR: join(cwd, 'products.csv', 'config') };
  expectEnd(
    await runWith(blocked, ['products', 'push', 'products.csv', '-o', 'none']),
    0,
    /^warning: product-key was not stored: .*\nhint: .* -c product-key='상품코드'$/m,
  );
});

test('what inspect was told to keep of the key is kept for all files of the shop', async () => {
  const { cwd, run } = openShop();
  expectEnd(await run('orders inspect orders.csv -c product-key=상품번호 --save -o none'), 0);
  expect(JSON.parse(readFileSync(join(cwd, 'config', 'config.json'), 'utf8'))).toEqual({
    profiles: { default: { 'product-key': '상품번호' } },
  });
});

test.each([
  ['상품번호(스마트스토어),판매자상품코드,상품명', '-c', 'product-key=판매자 상품코드'],
  ['상품코드,판매자상품코드,상품명', '--map', 'originId=상품코드'],
])(
  'a file of %s that is refused for its key is followed by the command that pushes it',
  async (header, flag, value) => {
    const { cwd, run } = openShop();
    await run('products push products.csv -o none');
    writeFileSync(join(cwd, 's.csv'), `${header}\n17,S-1,하나\n`);
    const map = '--map originId=판매자상품코드';
    for (const verb of ['push', 'inspect']) {
      const refused = expectEnd(
        await run(`products ${verb} s.csv ${map} -o`, verb === 'push' ? 'none' : 'table'),
        3,
      );
      const told = refused.stdout + refused.stderr;
      const command = told.split('\n').findLast((line) => line.includes('reviewctl products push s.csv'));
      expect(command).toContain(`${flag} '${value}'`);
    }
    expectEnd(await run('products', 'push', 's.csv', map, '-n', flag, value), 0);
  },
);
