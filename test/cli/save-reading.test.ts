import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { cleanEnvironment, environmentAt, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

test('what inspect was told to keep is how files of that kind are read from then on, and no others', async () => {
  const folder = temporaryFolder();
  const sandbox = await serveSandbox({ port: 0 });
  const env = environmentAt(folder, sandbox);
  writeFileSync(join(folder, 'orders.csv'), 'Nr,Thing\nO-1,P-1\nO-1,P-2\n');
  writeFileSync(join(folder, 'products.csv'), 'originId,name\nP-1,Cup\n');
  const flags = ['--map orderOriginId=Nr --map originId={Nr}-{n} --map productOriginId=Thing'];
  try {
    const saved = await runInProcess(['orders inspect orders.csv', ...flags, '--save -o none'], {
      env,
      cwd: folder,
    });
    expect(saved).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'stored in profile default for all orders files: orders.map\n',
    });
    const config = join(folder, 'config', 'config.json');
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'config')).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(config, 'utf8'))).toEqual({
      profiles: {
        default: { 'orders.map': ['orderOriginId=Nr', 'originId={Nr}-{n}', 'productOriginId=Thing'] },
      },
    });

    const orders = await runInProcess('orders push orders.csv -o ids', { env, cwd: folder });
    expect({ exitCode: orders.exitCode, stdout: orders.stdout }).toEqual({
      exitCode: 0,
      stdout: 'O-1-1\nO-1-2\n',
    });
    const products = await runInProcess('products push products.csv -o ids', {
      env,
      cwd: folder,
    });
    expect({ exitCode: products.exitCode, stdout: products.stdout }).toEqual({
      exitCode: 0,
      stdout: 'P-1\n',
    });
  } finally {
    await sandbox.close();
  }
});

test('a reading that is not settled is not kept', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'orders.csv'), 'Nr,Thing\nO-1,P-1\n');
  const env = cleanEnvironment(folder);
  expectEnd(
    await runInProcess('orders inspect orders.csv --save -o none', {
      env,
      cwd: folder,
    }),
    3,
    'nothing was stored',
  );
});
