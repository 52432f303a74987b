import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Operation, operations } from '../../src/contract/operations.ts';
import { openSandbox } from './open-sandbox.ts';

const document = readFileSync(new URL('../../fixtures/api.md', import.meta.url), 'utf8');

/** The fields of a resource in the document's order, from the first column of its table (API 2). */
function documentedFields(resource: string): string[] {
  const [, section = ''] = document.split(`\n### ${resource}`);
  const [table = ''] = section.split('\n### ', 1);
  return [...table.matchAll(/^\| (\w+) \|/gm)]
    .map(([, field = '']) => field)
    .filter((field) => field !== 'Field');
}

/** A state with every kind of record, so that no field goes unchecked. */
async function filled() {
  const opened = await openSandbox({ products: 10, orders: 20, reviews: 20, seed: 4 });
  const { ask } = opened;
  const { data: products } = await ask('GET', '/admin/v2/products');
  const { data: groups } = await ask('GET', '/admin/v2/product-groups');
  const { data: reviews } = await ask('GET', '/admin/v2/reviews');
  const { data: rewards } = await ask('GET', '/admin/v2/rewards');
  const [job] = await ask('POST', '/admin/v2/categories/bulk', [{ originId: 'C', name: 'c' }]);
  const category = await ask('POST', '/admin/v2/category', { originId: 'D', name: 'd' });
  return { ...opened, products, groups, reviews, rewards, job, category };
}

test('every resource is shown with exactly the fields of the document, in its order', async () => {
  const { ask, products, groups, reviews, rewards, job, category } = await filled();
  const [review] = reviews;
  const order = await ask('GET', `/admin/v2/order/${review.order.id}`);
  const shown = {
    'Product\n': [...products, review.product, review.orderItem.product],
    'Category\n': [category, products[0].categories[0].category],
    'Product group\n': groups,
    'Order\n': [order, ...reviews.map((each: { order: object }) => each.order)],
    'OrderItem\n': [order.items[0], review.orderItem],
    'Review\n': reviews,
    'Reward\n': rewards,
    Job: [job],
  };
  for (const [resource, documents] of Object.entries<object[]>(shown)) {
    const fields = documentedFields(resource);
    expect(fields.length, resource).toBeGreaterThan(4);
    for (const each of documents) expect(Object.keys(each), resource).toEqual(fields);
  }
});

test('every reply is what the contract reads without loss', async () => {
  const { ask, reviews, rewards } = await filled();
  const rows: Readonly<Record<string, Operation>> = operations;
  const paths = {
    listProducts: '/admin/v2/products',
    listProductGroups: '/admin/v2/product-groups',
    listReviews: '/admin/v2/reviews',
    listRewards: '/admin/v2/rewards',
    getReview: `/admin/v2/review/${reviews[0].id}`,
    getReward: `/admin/v2/reward/${rewards[0].id}`,
    getOrder: `/admin/v2/order/${reviews[0].order.id}`,
    getOrderItem: `/admin/v2/order/${reviews[0].order.id}/order-item/${reviews[0].orderItem.id}`,
    getProduct: `/admin/v2/product/${reviews[0].product.id}`,
  };
  for (const [name, path] of Object.entries(paths)) {
    const reply = await ask('GET', path);
    const read = rows[name]?.reply.parse(reply);
    expect(JSON.parse(JSON.stringify(read), comparedValue), name).toEqual(
      JSON.parse(JSON.stringify(reply), comparedValue),
    );
  }
});

/** The contract reads amounts as exact decimals in text, and a flag in text as a boolean; here their values count. */
function comparedValue(name: string, value: unknown): unknown {
  if (name === 'isAlimtalkEnabled') return String(value);
  return name === 'amount' || name === 'paidPrice' ? Number(value) : value;
}
