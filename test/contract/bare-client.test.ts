import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { readDocument } from './document.ts';
import { shapeDisagreements } from './shapes.ts';
import { readWireExamples } from './wire-examples.ts';

const document = readDocument();
const agent = new Agent();
let served: ServedSandbox;

beforeAll(async () => {
  served = await serveSandbox({ port: 0, products: 30, orders: 20, reviews: 40 });
});
afterAll(async () => {
  await agent.close();
  await served.close();
});

interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** One bare call: nothing of the project's client takes part in it. */
async function ask(method: string, path: string, body?: Json, token = served.token): Promise<Reply> {
  const { statusCode, body: text } = await request(served.baseUrl + path, {
    dispatcher: agent,
    method: method as 'GET',
    headers: {
      authorization: `Basic ${token}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: statusCode, body: (await text.json()) as Json };
}

/** Calls an operation by its number in the document, expects success in the document's shape, and hands over the reply. */
async function call(
  number: number,
  params: readonly string[],
  { query = '', body }: { query?: string; body?: Json } = {},
) {
  const operation = document.operations.find((candidate) => candidate.number === number);
  if (operation === undefined) throw new Error(`the document has no operation ${number}`);
  const unused = [...params];
  const path = operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(unused.shift() ?? ''));
  const reply = await ask(operation.method, path + query, body);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  expect(shapeDisagreements(document, operation.reply, reply.body)).toEqual([]);
  return reply.body;
}

/** The value at a dotted path. */
function at(value: Json | undefined, path: string): Json {
  let inner: Json | undefined = value;
  for (const step of path.split('.')) {
    inner = Array.isArray(inner)
      ? (inner as readonly Json[])[Number(step)]
      : isJsonObject(inner)
        ? inner[step]
        : undefined;
  }
  return inner ?? null;
}

/** The id at a dotted path; a record without one would make the next call senseless. */
function idAt(value: Json, path: string): string {
  const id = at(value, path);
  if (typeof id !== 'string') throw new Error(`no id at ${path} of ${JSON.stringify(value)}`);
  return id;
}

describe('bare requests about the catalog', () => {
  it('are answered for products and product groups (1 to 6)', async () => {
    const wallet = await call(1, [], {
      body: {
        originId: 'bare-1',
        name: '지갑',
        imageUrl: 'https://img.example.com/1.jpg',
        groupName: '가죽',
      },
    });
    expect(wallet).toMatchObject({
      originId: 'bare-1',
      image: { url: 'https://img.example.com/1.jpg' },
      isAlimtalkEnabled: 'true',
      isReviewDisabled: false,
    });
    const belt = await call(1, [], { body: { originId: 'bare-2', name: '벨트', isAlimtalkEnabled: false } });
    const both = await call(2, [], { query: '?sort=NAME&direction=ASC&originIds=bare-1&originIds=bare-2' });
    expect(at(both, 'totalCount')).toBe(2);
    expect([at(both, 'data.0.name'), at(both, 'data.1.name')]).toEqual(['벨트', '지갑']);
    expect(await call(3, [idAt(wallet, 'id')])).toEqual(wallet);
    const renamed = await call(4, [idAt(belt, 'id')], { body: { name: '가죽 벨트' } });
    expect(renamed).toEqual({ ...(belt as JsonObject), name: '가죽 벨트' });
    const groups = await call(5, [], { query: `?name=${encodeURIComponent('가죽')}` });
    const groupId = idAt(groups, 'data.0.id');
    expect(at(wallet, 'group.id')).toBe(groupId);
    expect(at(await call(6, [groupId, idAt(belt, 'id')]), 'productCount')).toBe(2);
    expect(at(await call(3, [idAt(belt, 'id')]), 'group.id')).toBe(groupId);
  });

  it('are answered for categories (7 and 8)', async () => {
    const parent = await call(7, [], { body: { originId: 'leather', name: '가죽' } });
    expect(parent).toMatchObject({ isVisible: true, isReviewDisabled: false });
    const entries = [
      { originId: 'wallets', name: '지갑' },
      { originId: 'belts', name: '벨트' },
    ];
    const jobs = await call(8, [], { body: entries });
    expect([at(jobs, '0.entryOriginId'), at(jobs, '1.entryOriginId')]).toEqual(['wallets', 'belts']);
    expect(at(jobs, '0.status')).toBe('PENDING');
  });
});

describe('bare requests about what was sold', () => {
  it('are answered for orders and order items (9 to 14)', async () => {
    const orderId = idAt(await call(15, [], { query: '?first=1' }), 'data.0.order.id');
    const before = await call(9, [orderId]);
    const updated = await call(10, [orderId], {
      body: {
        memberOriginId: 'm-1',
        buyer: { name: '김수', phone: '010', email: 'a@example.com' },
        alimtalkTemplateCode: null,
      },
    });
    expect(updated).toMatchObject({
      id: orderId,
      memberOriginId: 'm-1',
      buyer: { name: '김수' },
      alimtalkTemplateCode: null,
    });
    const itemCount = (at(before, 'items') as readonly Json[]).length;
    const productOriginId = idAt(before, 'items.0.product.originId');
    const added = await call(11, [orderId], {
      body: {
        originId: 'bare-item',
        productOriginId,
        status: 'DELIVERED',
        selectedOptions: [{ name: '색상', value: '갈색' }],
        paidPrice: 6300,
      },
    });
    const itemId = idAt(added, `items.${itemCount}.id`);
    const item = await call(12, [orderId, itemId]);
    expect(item).toMatchObject({
      originId: 'bare-item',
      status: 'DELIVERED',
      selectedOptions: [{ name: '색상', value: '갈색' }],
    });
    expect(Number(at(item, 'paidPrice'))).toBe(6300);
    const returned = await call(13, [itemId], {
      body: {
        productOriginId,
        status: 'RETURN',
        shipment: { companyCode: 'self', deliveredAt: '2019-08-26T10:00:00Z' },
      },
    });
    expect(returned).toMatchObject({
      status: 'RETURN',
      shipment: { companyCode: 'self', deliveredAt: '2019-08-26T10:00:00Z' },
    });
    const jobs = await call(14, [], {
      body: ['1', '2'].map((originId) => ({ orderOriginId: 'bare-order', originId, productOriginId })),
    });
    expect([at(jobs, '0.entryOriginId'), at(jobs, '1.entryOriginId')]).toEqual(['1', '2']);
  });

  it('are answered for reviews and rewards (15 to 19)', async () => {
    const page = await call(15, [], { query: '?sort=CREATED_AT&direction=ASC&first=2&isVisible=true' });
    expect(at(page, 'pageInfo.hasNextPage')).toBe(true);
    const next = await call(15, [], {
      query: `?sort=CREATED_AT&direction=ASC&first=2&isVisible=true&after=${idAt(page, 'pageInfo.endCursor')}`,
    });
    expect(idAt(next, 'data.0.id')).not.toBe(idAt(page, 'data.1.id'));
    const reviewId = idAt(page, 'data.0.id');
    expect(at(await call(16, [reviewId]), 'isVisible')).toBe(true);
    expect(at(await call(17, [reviewId], { body: { isVisible: false } }), 'isVisible')).toBe(false);
    const rewards = await call(18, [], { query: '?status=QUEUED&first=100' });
    const rewardId = idAt(rewards, 'data.0.id');
    expect(at(await call(19, [rewardId], { body: { status: 'SUCCESS' } }), 'status')).toBe('SUCCESS');
    const left = await call(18, [], { query: '?status=QUEUED' });
    expect(at(left, 'totalCount')).toBe(Number(at(rewards, 'totalCount')) - 1);
  });
});

const listExamples = readWireExamples().flatMap(({ operation, examples }) =>
  examples
    .filter(
      ({ request: { method }, arrayQuery }) =>
        method === 'GET' && operation.startsWith('list') && !arrayQuery,
    )
    .map((example) => [operation, example.title, example.request.path] as const),
);

it.each(listExamples)(
  'bare requests with the bytes of the examples are answered for %s: %s',
  async (_, __, path) => {
    // A cursor is the service's own; no example can know one.
    const { status, body } = await ask('GET', path.replace(/after=[^&]+&/, ''));
    expect(status, JSON.stringify(body)).toBe(200);
    expect(Object.keys(body as JsonObject)).toEqual(['totalCount', 'data', 'pageInfo']);
  },
);

describe('bare requests that are wrong', () => {
  it.each([
    ['GET', '/admin/v2/products?first=101', undefined, ['query', 'first']],
    ['GET', '/admin/v2/rewards?status=FAILED', undefined, ['query', 'status']],
    ['POST', '/admin/v2/product', { name: '지갑' }, ['body', 'originId']],
    [
      'POST',
      '/admin/v2/order-items/bulk',
      [{ orderOriginId: '1', originId: '1' }],
      ['body', '0', 'productOriginId'],
    ],
  ])('are refused with the place that is: %s %s', async (method, path, body, loc) => {
    const reply = await ask(method, path, body);
    expect(reply.status).toBe(422);
    expect(at(reply.body, 'detail.0.loc')).toEqual(loc);
    expect(Object.keys(at(reply.body, 'detail.0') as JsonObject)).toEqual(['loc', 'msg', 'type']);
  });

  it('are refused without the credential', async () => {
    expect((await ask('GET', '/admin/v2/products', undefined, 'wrong')).status).toBe(401);
  });
});
