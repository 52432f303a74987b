import { describe, expect, it } from 'vitest';
import { authorityRemedy } from '../../src/base/tls-failure.ts';
import { TransportError, type WireReply } from '../../src/contract/wire.ts';
import { apiOver, failureOf, productBody } from './call.ts';
import { lost, refused, replyOf, scriptedTransport } from './scripted-transport.ts';

async function failureFor(answer: WireReply | Error) {
  const api = apiOver(scriptedTransport(answer).transport);
  return {
    ofPost: await failureOf(api.call('createProduct', productBody)),
    ofGet: await failureOf(api.call('listProducts', {})),
  };
}

const statuses = [
  [
    401,
    'not-authenticated',
    4,
    'the service does not accept the credential',
    'to see where the credential comes from, and how to replace it: reviewctl doctor',
  ],
  [
    403,
    'not-allowed',
    4,
    'the credential does not allow this',
    'ask the operator of the service which operations it may call',
  ],
  [
    404,
    'not-found',
    6,
    'not found',
    'check the id; if no call succeeds, check the setting base-url with: reviewctl doctor',
  ],
  ...[400, 409, 422].map(
    (status) =>
      [
        status,
        'refused',
        6,
        'the service refused the request',
        'correct what the message names and run the command again',
      ] as const,
  ),
  ...[429, 503].map(
    (status) =>
      [
        status,
        'overloaded',
        5,
        'the service asks to slow down',
        'run the same command again later, or with a lower rate or concurrency: -c rate=5',
      ] as const,
  ),
  ...[408, 500, 502].map(
    (status) =>
      [
        status,
        'unreachable',
        5,
        'the service failed',
        'run the same command again later; completed writes are not repeated',
      ] as const,
  ),
  [
    301,
    'config',
    2,
    'the service redirects to another address',
    'redirects are not followed; set base-url to the final address',
  ],
] as const;

describe('each status has a kind, an exit code, words and a remedy', () => {
  it.each(statuses)('%i is %s', async (status, kind, exitCode, what, hint) => {
    const { ofPost } = await failureFor(replyOf(status, ''));
    expect(ofPost).toMatchObject({
      kind,
      exitCode,
      message: `createProduct: ${what} (${status})`,
      hint,
      reason: `${what} (${status})`,
      place: { operation: 'createProduct', status },
    });
  });
});

it('an operation that is not found is looked for in its setting, if it has one', async () => {
  const api = apiOver(scriptedTransport(replyOf(404)).transport, { createOrders: 'POST /orders' });
  const { hint } = await failureOf(api.call('createOrders', { body: [] }));
  expect(hint).toBe('check the setting create-orders, and the id if there is one');
});

describe('whether a POST may have had its effect', () => {
  it.each([
    ['unknown after a lost answer', lost, true],
    ['unknown after 500', replyOf(500), true],
    ['unknown after 503', replyOf(503), true],
    ['unknown after 408', replyOf(408), true],
    ['unknown after 301', replyOf(301), true],
    ['unknown after 302', replyOf(302), true],
    ['unknown after 303', replyOf(303), true],
    ['known after a refused connection', refused, false],
    ['unknown after 300', replyOf(300), true],
    ['known after 307', replyOf(307), false],
    ['known after 308', replyOf(308), false],
    ['known after 400', replyOf(400), false],
    ['known after 401', replyOf(401), false],
    ['known after 422', replyOf(422), false],
    ['known after 429', replyOf(429), false],
  ])('is %s', async (_, answer, isOutcomeUnknown) => {
    const { ofPost, ofGet } = await failureFor(answer);
    expect({ ofPost: ofPost.isOutcomeUnknown, ofGet: ofGet.isOutcomeUnknown }).toEqual({
      ofPost: isOutcomeUnknown,
      ofGet: false,
    });
  });
});

describe('what the service says', () => {
  const issue = (loc: readonly (string | number)[], msg = 'field required') => ({
    loc,
    msg,
    type: 'missing',
  });

  it.each([
    [
      'names the entry of a bulk request as people count',
      { detail: [issue(['body', 37, 'originId'])] },
      'body entry 38 originId: field required',
    ],
    [
      'is cut after three values',
      { detail: ['a', 'b', 'c', 'd', 'e'].map((name) => issue(['body', name])) },
      'body a: field required; body b: field required; body c: field required; and 2 more',
    ],
    ['may be one text', { detail: 'groupId does not exist' }, 'groupId does not exist'],
    ['may be nothing', '', 'the service refused the request (422)'],
  ])('%s', async (_, body, reason) => {
    const { ofPost } = await failureFor(replyOf(422, body));
    expect(ofPost.reason).toBe(reason);
    expect(ofPost.message).toBe(
      `createProduct: the service refused the request (422)${body === '' ? '' : `: ${reason}`}`,
    );
  });

  it('is kept value by value, as it came', async () => {
    const detail = [issue(['body', 37, 'originId']), issue(['query', 'first'], 'too large')];
    const { ofPost } = await failureFor(replyOf(422, { detail }));
    expect(ofPost.issues).toEqual(detail);
  });

  it('names the pause that was too long to wait', async () => {
    const { ofGet } = await failureFor(replyOf(429, '', { 'retry-after': '3600' }));
    expect(ofGet.message).toBe('listProducts: the service asks to slow down, Retry-After: 3600 (429)');
  });
});

describe('a refused list', () => {
  it('that is not found names the address, which is all it can be', async () => {
    const { ofGet } = await failureFor(replyOf(404, ''));
    expect(ofGet).toMatchObject({
      kind: 'config',
      exitCode: 2,
      message: 'listProducts: nothing is served at this address (404)',
      hint: 'check the setting base-url, which is the address before /admin/v2: reviewctl doctor',
    });
  });

  it.each([
    [422, 'correct the flag the message names'],
    [414, 'the request is too long: pass fewer values, in several calls'],
    [431, 'the request is too long: pass fewer values, in several calls'],
  ])('is a matter of its flags: %s', async (status, hint) => {
    const { ofGet } = await failureFor(replyOf(status, ''));
    expect(ofGet).toMatchObject({ kind: 'usage', exitCode: 2, hint });
  });

  it('keeps the meaning of every other status', async () => {
    const { ofGet } = await failureFor(replyOf(403, ''));
    expect(ofGet).toMatchObject({ kind: 'not-allowed', exitCode: 4 });
  });
});

describe('a redirect', () => {
  it.each([
    ['https://other.example/login', 'https://other.example/login'],
    ['https://user:canary@other.example/a@b?token=canary#canary', 'https://other.example/a@b'],
    ['//user:canary@other.example/x', '//other.example/x'],
    ['/login?next=canary', '/login'],
    ['/admin/v2/product/?a=1', '/admin/v2/product/, the same path with a trailing slash'],
  ])('to %s is shown without possible secrets', async (location, shown) => {
    const { ofPost } = await failureFor(replyOf(302, '', { location }));
    expect(ofPost.message).toBe(`createProduct: the service redirects to ${shown} (302)`);
  });

  it.each([
    [
      300,
      'https://other.example/admin/v2/products',
      'redirects are not followed; set base-url to https://other.example',
    ],
    [
      307,
      'https://api.shop.example/v2/admin/v2/products?first=5',
      'redirects are not followed; set base-url to https://api.shop.example/v2',
    ],
    [
      307,
      '/api/admin/v2/products',
      'redirects are not followed; set base-url to the same host with the path /api',
    ],
    [308, '/admin/v2/products', 'redirects are not followed; set base-url to the same host with the path /'],
    [302, 'https://other.example/login', 'redirects are not followed; set base-url to the final address'],
    [
      307,
      '/admin/v2/products/',
      'no base-url changes this: the API document has no such slash; ask the operator of the service to answer ' +
        'without it',
    ],
  ])('with status %d to %s is a matter of settings: %s', async (status, location, hint) => {
    const { ofGet } = await failureFor(replyOf(status, '', { location }));
    expect(ofGet).toMatchObject({ kind: 'config', hint });
  });
});

describe('no answer at all', () => {
  it('says what happened and where to look', async () => {
    const { ofGet, ofPost } = await failureFor(lost);
    const again = 'check the address and the network with: reviewctl doctor; then run the same command again';
    expect(ofPost.hint).toBe(`${again}; completed writes are not repeated`);
    expect(ofGet).toMatchObject({
      kind: 'unreachable',
      exitCode: 5,
      message: 'listProducts: the server closed the connection',
      reason: 'the server closed the connection',
      hint: again,
      cause: lost,
    });
  });

  it('because the caller gave up has the reason of the caller', async () => {
    const reason = new Error('gone');
    const api = apiOver(scriptedTransport(reason).transport);
    await expect(api.call('listProducts', {})).rejects.toBe(reason);
  });
});

it('a service whose certificate leads to no known authority asks for that authority, whatever the call', async () => {
  const cause = Object.assign(new Error('no issuer'), { code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' });
  const { ofPost, ofGet } = await failureFor(new TransportError('no secure connection', false, cause));
  for (const failure of [ofPost, ofGet]) {
    expect(failure).toMatchObject({ kind: 'unreachable', hint: authorityRemedy, isOutcomeUnknown: false });
  }
});
