import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { readDocument } from './document.ts';
import { shapeDisagreements } from './shapes.ts';

const document = readDocument();
let served: ServedSandbox;

beforeAll(async () => {
  served = await serveSandbox({ port: 0, products: 30, orders: 20, reviews: 40 });
});
afterAll(() => served.close());

/** A parsed reply, which tests read at any depth. */
type Parsed = ReturnType<typeof JSON.parse>;

/** Calls an operation by its number in the document, without the project's client. Expects the documented reply. */
async function call(
  number: number,
  params: readonly string[],
  { query = '', body }: { query?: string; body?: object } = {},
): Promise<Parsed> {
  const operation = document.operations.find((candidate) => candidate.number === number);
  if (operation === undefined) throw new Error(`the document has no operation ${number}`);
  const unused = [...params];
  const path = operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(unused.shift() ?? ''));
  const reply = await fetch(served.baseUrl + path + query, {
    method: operation.method,
    headers: { authorization: `Basic ${served.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const shown: Parsed = JSON.parse(await reply.text());
  expect(reply.status, JSON.stringify(shown)).toBe(200);
  expect(shapeDisagreements(document, operation.reply, shown)).toEqual([]);
  return shown;
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
    expect(both.totalCount).toBe(2);
    expect([both.data[0].name, both.data[1].name]).toEqual(['벨트', '지갑']);
    expect(await call(3, [wallet.id])).toEqual(wallet);
    const renamed = await call(4, [belt.id], { body: { name: '가죽 벨트' } });
    expect(renamed).toEqual({ ...belt, name: '가죽 벨트' });
    const groups = await call(5, [], { query: `?name=${encodeURIComponent('가죽')}` });
    const groupId = groups.data[0].id;
    expect(wallet.group.id).toBe(groupId);
    expect((await call(6, [groupId, belt.id])).productCount).toBe(2);
    expect((await call(3, [belt.id])).group.id).toBe(groupId);
  });

  it('are answered for categories (7 and 8)', async () => {
    const parent = await call(7, [], { body: { originId: 'leather', name: '가죽' } });
    expect(parent).toMatchObject({ isVisible: true, isReviewDisabled: false });
    const entries = [
      { originId: 'wallets', name: '지갑' },
      { originId: 'belts', name: '벨트' },
    ];
    const jobs = await call(8, [], { body: entries });
    expect([jobs[0].entryOriginId, jobs[1].entryOriginId]).toEqual(['wallets', 'belts']);
    expect(jobs[0].status).toBe('PENDING');
  });
});

describe('bare requests about what was sold', () => {
  it('are answered for orders and order items (9 to 14)', async () => {
    const orderId = (await call(15, [], { query: '?first=1' })).data[0].order.id;
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
    const productOriginId = before.items[0].product.originId;
    const added = await call(11, [orderId], {
      body: {
        originId: 'bare-item',
        productOriginId,
        status: 'DELIVERED',
        selectedOptions: [{ name: '색상', value: '갈색' }],
        paidPrice: 6300,
      },
    });
    const itemId = added.items.at(-1).id;
    const item = await call(12, [orderId, itemId]);
    expect(item).toMatchObject({
      originId: 'bare-item',
      status: 'DELIVERED',
      selectedOptions: [{ name: '색상', value: '갈색' }],
    });
    expect(Number(item.paidPrice)).toBe(6300);
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
    expect([jobs[0].entryOriginId, jobs[1].entryOriginId]).toEqual(['1', '2']);
  });

  it('are answered for reviews and rewards (15 to 19)', async () => {
    const page = await call(15, [], { query: '?sort=CREATED_AT&direction=ASC&first=2&isVisible=true' });
    expect(page.pageInfo.hasNextPage).toBe(true);
    const next = await call(15, [], {
      query: `?sort=CREATED_AT&direction=ASC&first=2&isVisible=true&after=${page.pageInfo.endCursor}`,
    });
    expect(next.data[0].id).not.toBe(page.data[1].id);
    const reviewId = page.data[0].id;
    expect((await call(16, [reviewId])).isVisible).toBe(true);
    expect((await call(17, [reviewId], { body: { isVisible: false } })).isVisible).toBe(false);
    const rewards = await call(18, [], { query: '?status=QUEUED&first=100' });
    const rewardId = rewards.data[0].id;
    expect((await call(19, [rewardId], { body: { status: 'SUCCESS' } })).status).toBe('SUCCESS');
    const left = await call(18, [], { query: '?status=QUEUED' });
    expect(left.totalCount).toBe(Number(rewards.totalCount) - 1);
  });
});
