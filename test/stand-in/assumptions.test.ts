import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isJsonObject, type Json } from '../../src/base/json.ts';
import { type Asked, pageOf, recordsIn, standInShop } from './serve-stand-in.ts';

/** A shop that reads arrays by brackets, and otherwise does what the sandbox does not. */
async function strangeShop(style = { name: 'originIds[]' }) {
  const products = ['a', 'b', 'c'].map((originId, number) => ({
    id: `${number}`,
    originId,
    isAlimtalkEnabled: 'true',
  }));
  const listProducts = ({ query }: Asked) => {
    const wanted = query.getAll(style.name);
    return pageOf(products.filter(({ originId }) => wanted.length === 0 || wanted.includes(originId)));
  };
  const shop = await standInShop({
    'GET /admin/v2/products': listProducts,
    'GET /admin/v2/reviews': () => pageOf([{ id: '1', rating: 5, orderItem: { paidPrice: 100 } }]),
    'GET /admin/v2/rewards': () => pageOf([]),
    'GET /admin/v2/product-groups': (_, outgoing) => void outgoing.writeHead(403).end(),
    'POST /admin/v2/order-items/bulk': ({ body }) =>
      (body as readonly Json[])
        .map((entry, number) => ({
          jobId: `${number}`,
          status: 'PENDING',
          entryOriginId: isJsonObject(entry) ? entry['originId'] : null,
        }))
        .toReversed(),
  });
  const stateFolder = join(shop.folder, 'state', 'default');
  const memory = () => {
    const [service = ''] = existsSync(stateFolder) ? readdirSync(stateFolder) : [];
    return join(stateFolder, service, 'assumptions.json');
  };
  const table = async (...flags: readonly string[]) => {
    const result = await shop.cli('doctor', '--assumptions', '-o', 'ndjson', ...flags);
    const rows = new Map(recordsIn(result).map((row) => [row.assumption, row]));
    return { ...result, rows, verdictOf: (name: string) => rows.get(name)?.verdict };
  };
  writeFileSync(join(shop.folder, 'items.csv'), 'orderOriginId,originId,productOriginId\nO,1,a\nO,2,b\n');
  return { ...shop, table, memory };
}

test('doctor --assumptions lists every assumption with its verdict, since when, and how to change it', async () => {
  const { table } = await strangeShop();
  const { exitCode, rows, verdictOf, stderr } = await table();
  expect(exitCode).toBe(6);
  expect(rows.get('arrayQuery')).toMatchObject({
    value: 'repeat',
    verdict: 'refuted',
    since: expect.stringMatching(/^\d{4}-/),
    change: "add --assume arrayQuery=brackets; to keep it: reviewctl config set assume 'arrayQuery=brackets'",
  });
  expect(stderr).toContain('--assume arrayQuery=brackets');
  expect(verdictOf('paidPriceReply')).toBe('refuted');
  expect(verdictOf('isAlimtalkEnabledReply')).toBe('confirmed');
  expect(verdictOf('emptyFields')).toBe('refuted');
  expect(verdictOf('replyScalars')).toBe('confirmed');
  expect(rows.get('jobOrder')).toMatchObject({ verdict: 'never seen', value: 'as requested' });
  for (const name of ['listConsistency', 'idleTimeout', 'duplicateOriginId'])
    expect(rows.has(name)).toBe(true);
});

test('what a command sees is remembered by the profile, for the value that was taken', async () => {
  const { cli, table } = await strangeShop();
  expect((await table()).verdictOf('jobOrder')).toBe('never seen');
  await cli('orders', 'push', 'items.csv');
  const { verdictOf } = await table('--assume', 'arrayQuery=brackets');
  expect(verdictOf('jobOrder')).toBe('refuted');
  expect(verdictOf('pendingJobStatuses')).toBe('confirmed');
  expect(verdictOf('arrayQuery')).toBe('confirmed');
  const taught = await table('--assume', 'pendingJobStatuses=QUEUED');
  expect(taught.verdictOf('pendingJobStatuses')).toBe('never seen');
});

test('the memory is written when something new was learned, never by a dry run', async () => {
  const { cli, memory } = await strangeShop();
  await cli('orders', 'push', 'items.csv', '--dry-run');
  await cli('products', 'push', 'items.csv', '--map', 'name=originId', '--dry-run');
  expect(existsSync(memory())).toBe(false);
  await cli('products', 'list');
  const { ino, mode } = statSync(memory());
  expect(mode & 0o777).toBe(0o600);
  await cli('products', 'list');
  expect(statSync(memory()).ino).toBe(ino);
  await cli('reviews', 'list');
  expect(statSync(memory()).ino).not.toBe(ino);
});

test('a refuted assumption is warned of once in every command, for as long as the setting is wrong', async () => {
  const { cli } = await strangeShop();
  const list = (...flags: readonly string[]) => cli('products', 'list', '--origin-ids', 'a,b', ...flags);
  for (const { stderr } of [await list(), await list()]) {
    expect(stderr.match(/the parameter originIds did not ask for/g)).toHaveLength(1);
    expect(stderr).toContain('--assume arrayQuery=comma or --assume arrayQuery=brackets');
  }
  expect((await list('--assume', 'arrayQuery=brackets')).stderr).not.toContain('warning');
});

test('a refutation is remembered until the service, asked again, shows otherwise', async () => {
  const style = { name: 'originIds[]' };
  const { cli, table, memory } = await strangeShop(style);
  const kept = () => JSON.parse(readFileSync(memory(), 'utf8')).arrayQuery.verdict;
  await cli('products', 'list', '--origin-ids', 'a,b');
  style.name = 'originIds';
  await cli('products', 'list', '--origin-ids', 'a,b');
  expect(kept()).toBe('refuted');
  expect((await table()).verdictOf('arrayQuery')).toBe('confirmed');
  expect(kept()).toBe('confirmed');
});

test('a damaged memory is no failure, and is learned again', async () => {
  const { cli, memory } = await strangeShop();
  await cli('products', 'list');
  writeFileSync(memory(), '{"recordIds":{"value":');
  expect((await cli('products', 'list')).exitCode).toBe(0);
  expect(JSON.parse(readFileSync(memory(), 'utf8')).recordIds.verdict).toBe('confirmed');
});

test.each(['table', 'json', 'csv', 'ids', 'count', 'none'])('the table is printed as %s', async (format) => {
  const { cli } = await strangeShop();
  const { stdout } = await cli('doctor', '--assumptions', '-o', format);
  expect(stdout.includes('arrayQuery')).toBe(!['count', 'none'].includes(format));
});

test('a service that cannot be reached leaves the table of what is known', async () => {
  const { cli, table } = await strangeShop();
  await cli('products', 'list');
  const { exitCode, verdictOf } = await table('--base-url', 'http://127.0.0.1:9', '--retries', '0');
  expect({ exitCode, verdict: verdictOf('recordIds') }).toEqual({ exitCode: 5, verdict: 'never seen' });
});
