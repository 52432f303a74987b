import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import { type Operation, operations } from '../../src/contract/operations.ts';
import { decodeCall } from '../../src/sandbox/api/decode.ts';
import { bodyMaximum } from '../../src/sandbox/engine.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { transportOf } from './in-process.ts';
import { openSandbox, requestOf } from './open-sandbox.ts';

const rows: Readonly<Record<string, Operation>> = operations;

test.each(Object.values(rows))(
  '$method $path is refused without the credential',
  async ({ method, path }) => {
    const { sandbox } = await openSandbox();
    const request = requestOf('other', method, path.replaceAll(/\{\w+\}/g, '1'));
    for (const headers of [{}, request.headers, { authorization: sandbox.token }]) {
      const reply = await transportOf(sandbox)({ ...request, headers });
      expect(reply.status).toBe(401);
      expect(reply.headers['www-authenticate']).toMatch(/^Basic/);
      expect(JSON.parse(reply.body).detail[0].loc).toEqual(['header', 'authorization']);
    }
  },
);

test.each(['Basic', 'basic', 'BASIC'])('the scheme may be written %s', async (scheme) => {
  const { sandbox } = await openSandbox();
  const request = requestOf('other', 'GET', '/admin/v2/products');
  const reply = await transportOf(sandbox)({
    ...request,
    headers: { authorization: `${scheme} ${sandbox.token}` },
  });
  expect(reply.status).toBe(200);
});

test('the token is the one given, or a random one', async () => {
  const [a, b, c] = await Promise.all([createSandbox({ token: 'mine' }), createSandbox(), createSandbox()]);
  expect(a.token).toBe('mine');
  expect(b.token).not.toBe(c.token);
  expect(Buffer.from(b.token, 'base64').toString()).toMatch(/^sandbox-[0-9a-f]{8}:[0-9a-f]{36}$/);
});

test('an unknown path is 404; a known one with another method is 405 and names what it takes', async () => {
  const { call } = await openSandbox();
  expect((await call('GET', '/admin/v2/nothing')).status).toBe(404);
  expect((await call('GET', '/admin/v1/products')).status).toBe(404);
  expect((await call('GET', '/admin/v2/product/')).status).toBe(404);
  const wrong = await call('PUT', '/admin/v2/product/1');
  expect(wrong.status).toBe(405);
  expect(wrong.body.detail[0].msg).toContain('GET, PATCH');
});

test('a path parameter is decoded, whatever it holds', async () => {
  const { call } = await openSandbox();
  expect((await call('GET', '/admin/v2/product/a%2Fb%20c')).body.detail[0].msg).toContain('a/b c');
  expect((await call('GET', '/admin/v2/product/%E0%A4%A')).status).toBe(404);
});

test.each([
  ['products', 'first=0', 'first'],
  ['products', 'first=101', 'first'],
  ['products', 'first=ten', 'first'],
  ['products', 'sort=PRICE', 'sort'],
  ['products', 'direction=UP', 'direction'],
  ['products', 'isAlimtalkEnabled=yes', 'isAlimtalkEnabled'],
  ['products', 'page=2', 'page'],
  ['reviews', 'ratings=5&ratings=x', 'ratings', '1'],
  ['reviews', 'createdAtStart=yesterday', 'createdAtStart'],
  ['rewards', 'status=FAILED', 'status'],
  ['product-groups', 'ordering=-name', 'ordering'],
  ['product/1', 'fields=id', 'fields'],
])('%s?%s is refused, and names %s', async (path, query, ...place) => {
  const { call } = await openSandbox();
  const { status, body } = await call('GET', `/admin/v2/${path}?${query}`);
  expect(status).toBe(422);
  expect(body.detail).toMatchObject([
    { loc: ['query', ...place], msg: expect.any(String), type: expect.any(String) },
  ]);
});

test('every faulty field of a body is named, unknown ones too', async () => {
  const { call } = await openSandbox();
  const { status, body } = await call('POST', '/admin/v2/product', { originId: '', name: 1, brand: 'x' });
  expect(status).toBe(422);
  expect(body.detail.map(({ loc }: { loc: unknown }) => loc)).toEqual([
    ['body', 'originId'],
    ['body', 'name'],
    ['body', 'brand'],
  ]);
});

test('a body that is not JSON, missing, unexpected, of another type or too long is refused', async () => {
  const { sandbox, call } = await openSandbox();
  const post = requestOf(sandbox.token, 'POST', '/admin/v2/product');
  const cases = [
    [{ body: '{"originId":' }, 422, 'json_invalid'],
    [{ body: ' ' }, 422, 'missing'],
    [{ body: '{}', headers: { ...post.headers, 'content-type': 'text/plain' } }, 415, 'content_type'],
    [{ body: 'x'.repeat(bodyMaximum + 1) }, 413, 'too_large'],
  ] as const;
  for (const [change, status, type] of cases) {
    const reply = await transportOf(sandbox)({ ...post, ...change });
    expect([reply.status, JSON.parse(reply.body).detail[0].type]).toEqual([status, type]);
  }
  expect((await call('GET', '/admin/v2/products', {})).body.detail[0].type).toBe('extra_forbidden');
});

test('a refused request has no effect', async () => {
  const { call, sandbox } = await openSandbox();
  await call('POST', '/admin/v2/product', { originId: 'A', name: 'a', groupName: 'g', x: 1 });
  await call('POST', '/admin/v2/product', {
    originId: 'A',
    name: 'a',
    groupName: 'g',
    categories: [{ originId: 'C' }],
  });
  expect(sandbox.state.isEmpty).toBe(true);
});

test('the opt-in operations can be switched off', async () => {
  const { call } = await openSandbox({ optIn: false });
  expect((await call('GET', '/admin/v2/job/1')).status).toBe(404);
  expect((await call('POST', '/admin/v2/orders/bulk', [])).status).toBe(404);
  expect((await call('GET', '/admin/v2/reward/1')).status).toBe(405);
});

const folder = new URL('../../fixtures/wire/', import.meta.url);
const examples = readdirSync(folder).flatMap((file) => {
  const { operation, examples: list } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  return list.map((example: object) => ({ operation, ...example }));
});

test.each(examples)(
  'the hand-written request is understood: $operation, $title',
  ({ operation, request, arrayQuery }) => {
    const row = rows[operation];
    if (!row) throw new Error(`no operation ${operation}`);
    const assumptions = { ...defaultAssumptions, arrayQuery: arrayQuery ?? 'repeat' };
    expect(decodeCall(row, {}, request, assumptions)).toMatchObject({ kind: 'decoded' });
  },
);
