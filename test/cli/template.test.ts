import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandLine } from './run-cli.ts';
import { cleanEnvironment, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const folder = temporaryFolder();
const env = cleanEnvironment(folder);
const run = (words: CommandLine) => runInProcess(words, { env, cwd: folder });

describe.each(['products', 'categories', 'orders', 'order-items'])('the template of %s', (kind) => {
  it.each([
    ['as it is', []],
    ['of a service that makes whole orders', ["-c 'create-orders=POST /admin/v2/orders/bulk'"]],
  ])('is read by inspect without a problem, %s', async (_, settings) => {
    const { stdout } = expectEnd(await run([`template ${kind}`, ...settings]), 0);
    expect(stdout.trimEnd().split('\n').length).toBe(2);
    writeFileSync(join(folder, `${kind}.csv`), stdout);
    const inspected = expectEnd(await run([`${kind} inspect ${kind}.csv -o json`, ...settings]), 0);
    const { recordCount, problemCount, files } = JSON.parse(inspected.stdout);
    expect({ recordCount, problemCount, unused: files[0].unusedColumns }).toEqual({
      recordCount: 1,
      problemCount: 0,
      unused: [],
    });
  });
});

it('of orders has what a bulk push takes, and members and buyers where whole orders are made', async () => {
  const header = async (...settings: readonly string[]) =>
    (await run(['template orders', ...settings])).stdout.split('\n')[0];
  expect(await header()).toBe('originId,orderOriginId,productOriginId');
  for (const name of ['create-orders', 'orders.create-orders']) {
    const shown = await header('-c', `${name}=POST /admin/v2/orders/bulk`);
    expect(shown).toContain('orderedAt,memberOriginId,buyer.name');
  }
});

it('of another kind is exit 2 with the kinds there are', async () => {
  expect(await run('template order')).toMatchObject({
    exitCode: 2,
    stderr:
      "error: no template for 'order'\nhint: did you mean orders? choose from: products, categories, orders, order-items\n",
  });
});

it('is named where files are explained', () => {
  expect(readFileSync('docs/input-files.md', 'utf8')).toContain('reviewctl template orders > orders.csv');
});
