import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { isJsonObject } from '../../src/base/json.ts';
import { pageOf, recordsIn, standInShop } from './serve-stand-in.ts';

const create = 'POST /admin/v2/product';

/** Answers to a creation that was carried out. */
const answers = {
  empty: (outgoing: ServerResponse) => outgoing.writeHead(201).end(),
  page: (outgoing: ServerResponse) => outgoing.writeHead(201).end('<html>'),
  gateway: (outgoing: ServerResponse) => outgoing.writeHead(502).end(),
  reset: (outgoing: ServerResponse) => outgoing.destroy(),
};

/** A shop that accepts any product, even twice, answers with `answers`, and lists it from the given lookup on. */
async function lateShop({ listedFrom }: { readonly listedFrom: number }) {
  const held: { readonly id: string; readonly originId: string; readonly name: string }[] = [];
  const lookups = new Map<string, number>();
  const shown = { isListed: false };
  const shop = await standInShop({
    [create]: ({ body }, outgoing) => {
      const { originId = '', name = '' } = isJsonObject(body) ? (body as Record<string, string>) : {};
      held.push({ id: `${held.length + 1}`, originId, name });
      return answers[originId as keyof typeof answers](outgoing);
    },
    'GET /admin/v2/products': ({ query }) => {
      const asked = query.getAll('originIds');
      const isShown = (originId: string) =>
        shown.isListed || (asked.length === 1 && (lookups.get(originId) ?? 0) >= listedFrom);
      for (const originId of asked) lookups.set(originId, (lookups.get(originId) ?? 0) + 1);
      return pageOf(held.filter(({ originId }) => asked.includes(originId) && isShown(originId)));
    },
  });
  const rows = Object.keys(answers).map((originId) => `${originId},Mug`);
  shop.writeLines('products.csv', ['originId,name', ...rows]);
  const push = (...flags: readonly string[]) => shop.cli('products', 'push', 'products.csv', ...flags);
  const copies = () => held.map(({ originId }) => originId).toSorted();
  return { ...shop, push, copies, shown };
}

const once = Object.keys(answers).toSorted();
const wordsIn = (result: { readonly stdout: string }) => recordsIn(result).map(({ outcome }) => outcome);

test('products whose creation is answered with nothing, a page, 502 or a reset are created once and found', async () => {
  const { push, copies } = await lateShop({ listedFrom: 3 });
  const result = await push();
  expect({ exitCode: result.exitCode, words: wordsIn(result) }).toEqual({
    exitCode: 0,
    words: once.map(() => 'created'),
  });
  expect(copies()).toEqual(once);
});

test('products that no list shows are unknown, exit 11, in every later run, until they show or a person says', async () => {
  const { push, cli, copies, shown } = await lateShop({ listedFrom: Number.POSITIVE_INFINITY });
  for (const result of [await push(), await push()]) {
    expect({ exitCode: result.exitCode, words: wordsIn(result) }).toEqual({
      exitCode: 11,
      words: once.map(() => 'unknown'),
    });
    expect(result.stderr).toContain('reviewctl runs resolve');
  }
  expect(copies()).toEqual(once);
  const resolved = await cli('runs', 'resolve', 'last', '--not-sent', 'empty', '--yes');
  expect(resolved).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('1 record settled') });
  shown.isListed = true;
  expect(wordsIn(await push())).toEqual(once.map(() => 'unchanged'));
  expect(copies()).toEqual(once);
});
