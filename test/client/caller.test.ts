import { describe, expect, it } from 'vitest';
import { JsonBody } from '../../src/client/caller.ts';
import { type OperationName, operations } from '../../src/contract/operations.ts';
import { apiOver, callLoosely, failureOf, productBody } from './call.ts';
import { replyOf, scriptedTransport } from './scripted-transport.ts';

const half = 'a\ud800b';

const notAllowed: readonly (readonly [string, OperationName, Readonly<Record<string, unknown>>, string])[] = [
  [
    'a missing body',
    'createProduct',
    {},
    'createProduct: Invalid input: expected object, received undefined',
  ],
  [
    'a missing field',
    'createProduct',
    { body: { originId: 'a' } },
    'createProduct: name: Invalid input: expected string, received undefined',
  ],
  [
    'an unknown field',
    'createProduct',
    { body: { ...productBody.body, url: '/' } },
    'createProduct: Unrecognized key: "url"',
  ],
  [
    '101 bulk entries',
    'bulkCreateOrderItems',
    {
      body: Array.from({ length: 101 }, () => ({
        orderOriginId: 'o',
        originId: 'i',
        productOriginId: 'p',
      })),
    },
    'bulkCreateOrderItems: Too big: expected array to have <=100 items',
  ],
  [
    'a bulk entry with an unknown field',
    'bulkCreateCategories',
    {
      body: [
        { originId: 'a', name: 'b' },
        { originId: 'c', name: 'd', position: 1 },
      ],
    },
    'bulkCreateCategories: 1: Unrecognized key: "position"',
  ],
  [
    'a field of a bulk entry of another type',
    'bulkCreateCategories',
    { body: [{ originId: 'a', name: 5 }] },
    'bulkCreateCategories: 0.name: Invalid input: expected string, received number',
  ],
  [
    'a body for an operation without one',
    'addProductToGroup',
    { params: { productGroupId: '1', productId: '2' }, body: {} },
    'addProductToGroup: takes no body',
  ],
  [
    'an unknown query parameter',
    'listProducts',
    { query: { colour: 'red' } },
    'listProducts: Unrecognized key: "colour"',
  ],
  [
    'a query for an operation without one',
    'getProduct',
    { params: { productId: '1' }, query: { first: 1 } },
    'getProduct: Unrecognized key: "first"',
  ],
  [
    'a page that is too large',
    'listReviews',
    { query: { first: 101 } },
    'listReviews: first: expected 1 to 100',
  ],
  [
    'a time that is none',
    'listRewards',
    { query: { createdAtStart: 'yesterday' } },
    'listRewards: createdAtStart: expected an ISO-8601 date-time',
  ],
  [
    'an empty path parameter',
    'getProduct',
    { params: { productId: '' } },
    "getProduct: productId must be an id, not ''",
  ],
  [
    'a path parameter of two dots',
    'getOrder',
    { params: { orderId: '..' } },
    "getOrder: orderId must be an id, not '..'",
  ],
  [
    'an unknown path parameter',
    'getProduct',
    { params: { productId: '1', id: '2' } },
    "getProduct: has no path parameter 'id'",
  ],
  [
    'a path of its own',
    'getProduct',
    { params: { productId: '../admin' } },
    "getProduct: productId must be an id, not '../admin'",
  ],
  [
    'half a character in a path',
    'getProduct',
    { params: { productId: half } },
    `getProduct: productId must be an id, not '${half}'`,
  ],
  [
    'half a character in a query',
    'listProducts',
    { query: { originIds: [half] } },
    'listProducts: a value contains half of a character, which cannot be sent',
  ],
];

describe('input the document does not allow is refused before anything is sent', () => {
  it.each(notAllowed)('%s', async (_, name, input, message) => {
    const { transport, sent } = scriptedTransport(replyOf(200));
    await expect(callLoosely(apiOver(transport), name, input)).rejects.toMatchObject({
      kind: 'usage',
      message,
    });
    expect(sent).toEqual([]);
  });
});

describe('path parameters', () => {
  it.each([
    ['a/b', 'a%2Fb'],
    ['%2e%2e', '%252e%252e'],
    ['a?b#c', 'a%3Fb%23c'],
    ['사과', '%EC%82%AC%EA%B3%BC'],
    ['0012', '0012'],
  ])('of %s stay one segment', async (productId, segment) => {
    const { transport, sent } = scriptedTransport(replyOf(200, { id: '1' }));
    await apiOver(transport).call('getProduct', { params: { productId } });
    expect(sent.map(({ path }) => path)).toEqual([`/admin/v2/product/${segment}`]);
  });
});

describe('opt-in operations', () => {
  const input = { params: { jobId: 'j/1' } };

  it('without their setting are refused with the setting to give, and are not supported', async () => {
    const { transport, sent } = scriptedTransport(replyOf(200));
    const api = apiOver(transport);
    await expect(api.call('getJob', input)).rejects.toMatchObject({
      kind: 'config',
      message: `the API document shows no operation to ${operations.getJob.purpose}`,
      hint: "if your service has one, set it: -c 'get-job=GET /admin/v2/job/{jobId}'",
    });
    expect({ sent, supports: api.supports('getJob') }).toEqual({ sent: [], supports: false });
  });

  it('go where their setting says', async () => {
    const { transport, sent } = scriptedTransport(replyOf(200, { jobId: 'j/1' }));
    const api = apiOver(transport, { getJob: 'POST /admin/v2/jobs/{jobId}/state' });
    await api.call('getJob', input);
    expect(api.supports('getJob')).toBe(true);
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /admin/v2/jobs/j%2F1/state']);
  });
});

describe('a reply', () => {
  it('is handed over as read and as sent, unknown fields and all', async () => {
    const sent = { id: 7, name: '사과', reviewCount: '3', isAlimtalkEnabled: 'true', shelf: { row: 2 } };
    const { transport } = scriptedTransport(replyOf(201, sent));
    const received = await apiOver(transport).call('createProduct', productBody);
    expect(received).toEqual({
      value: { ...sent, id: '7', reviewCount: 3, isAlimtalkEnabled: true },
      sent,
    });
  });

  it.each([
    ['a web page', '<html><title>Sign in</title></html>', 'it is a web page, not JSON'],
    ['nothing', '', 'it is empty'],
    ['half of a document', '{"id":"1"', 'it is not complete JSON'],
    ['another shape', '[1,2]', 'Invalid input: expected object, received array'],
    ['a record without id', '{"name":"a"}', 'id: expected an id'],
    [
      'an id that is another one when read',
      '{"id":9007199254740993}',
      'id: the number 9007199254740992 is too large to be read exactly; rounding may turn it into another id',
    ],
  ])('of 2xx with %s leaves it open whether a POST had its effect', async (_, body, why) => {
    const { transport } = scriptedTransport(replyOf(200, body));
    const failure = await failureOf(apiOver(transport).call('createProduct', productBody));
    expect(failure).toMatchObject({
      kind: 'unreadable-reply',
      exitCode: 5,
      message: `createProduct: the reply (200) cannot be read: ${why}`,
      reason: `the reply (200) cannot be read: ${why}`,
      hint: 'check that the setting base-url names the service itself and not a proxy or a web page: reviewctl doctor',
      isOutcomeUnknown: true,
      place: { operation: 'createProduct', status: 200 },
    });
  });

  it('that is compressed is reported as such', async () => {
    const { transport } = scriptedTransport(replyOf(200, '\u001f\ufffd', { 'content-encoding': 'gzip' }));
    const failure = await failureOf(apiOver(transport).call('listProducts', {}));
    expect(failure.message).toBe(
      'listProducts: the reply (200) cannot be read: it is compressed (gzip), incomplete, or too large',
    );
  });

  it('that cannot be read leaves nothing open where the call may be repeated', async () => {
    const { transport } = scriptedTransport(replyOf(200, ''));
    const failure = await failureOf(apiOver(transport).call('listProducts', {}));
    expect(failure.isOutcomeUnknown).toBe(false);
  });
});

describe('a page requested as lines', () => {
  const page = { totalCount: 1, data: [{ id: '1' }] };

  it('is a failure where it comes with a status of one', async () => {
    const reply = { ...replyOf(500, page), bytes: Buffer.from(JSON.stringify(page)) };
    const api = apiOver(scriptedTransport(reply).transport);
    for (let call = 1; call <= 6; call += 1) {
      await expect(api.callForLines('listProducts', {})).rejects.toThrow('the service failed (500)');
    }
  });
});

it('a body composed of texts is sent as these are', async () => {
  const { transport, sent } = scriptedTransport(replyOf(200, []));
  const text = '[ {"originId": "c", "name": "\\u0063"} ]';
  await apiOver(transport).call('bulkCreateCategories', { body: new JsonBody(text) });
  expect(sent.map(({ body }) => body)).toEqual([text]);
});
