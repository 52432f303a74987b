import { expect, test } from 'vitest';
import * as z from 'zod';
import { outcomeView } from '../../src/output/views.ts';
import { cleanEnvironment, runCli, temporaryFolder } from './run-cli.ts';

const env = cleanEnvironment(temporaryFolder());

const examples = {
  products: {
    originId: 'P-1',
    name: 'Cup',
    categories: [{ originId: 'C-1', isPrimary: true }],
    isReviewDisabled: false,
  },
  categories: { originId: 'C-1', name: 'Cups', position: 2 },
  orders: {
    orderOriginId: 'O-1',
    originId: 'I-1',
    productOriginId: 'P-1',
    buyer: { phone: '010-1234-5678' },
    alimtalkTemplateCode: null,
  },
  'order-items': {
    originId: 'I-1',
    status: 'DELIVERED',
    shipment: { deliveredAt: '2026-11-20T09:00:00+09:00' },
  },
  product: { id: '1', originId: 'P-1', image: { url: null }, extra: 'kept' },
  category: { id: '1' },
  'product-group': { id: '1', productCount: 3 },
  order: { id: '1', items: [{ originId: 'I-1' }] },
  'order-item': { id: '1', paidPrice: '6300' },
  review: { id: '1', rating: 5, images: [{ urls: { large: 'https://example.com/1.jpg' } }] },
  reward: { id: '1', amount: '500', status: 'QUEUED' },
  job: { jobId: '1', status: 'PENDING' },
  outcome: { file: 'a.csv', line: 2, originId: 'P-1', outcome: 'created', id: '7' },
  'review-outcome': { id: '7', outcome: 'rejected', error: 'not found', hint: 'reviewctl reviews list' },
  request: { method: 'PATCH', path: '/admin/v2/review/7', body: { isVisible: false } },
  error: { error: { code: 'input', message: 'not a number', file: 'a.csv', line: 2 } },
};

test('every kind of record has a schema, and the list names them all', async () => {
  const { stdout } = await runCli(['schema'], { env });
  expect(stdout.trimEnd().split('\n').sort()).toEqual(Object.keys(examples).sort());
});

test.each(Object.entries(examples))(
  'the schema of %s takes what it describes and refuses something else',
  async (name, example) => {
    const { exitCode, stdout } = await runCli(['schema', name], { env });
    expect(exitCode).toBe(0);
    const schema = z.fromJSONSchema(JSON.parse(stdout));
    expect(schema.safeParse(example).error).toBeUndefined();
    expect(schema.safeParse([example]).success).toBe(false);
    const [field = ''] = Object.keys(example);
    expect(schema.safeParse({ ...example, [field]: 7 }).success).toBe(false);
  },
);

test('the schema of an outcome names every field that pushes print, in their order', async () => {
  const { stdout } = await runCli(['schema', 'outcome'], { env });
  expect(Object.keys(JSON.parse(stdout).properties)).toEqual(outcomeView('product').csvColumns);
});

test('an unknown name is exit 2 with the names there are', async () => {
  const { exitCode, stderr } = await runCli(['schema', 'reviws'], { env });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('schemas: products,');
});
