import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import { failureOf, productBody } from './call.ts';
import { serveHttp } from './loopback.ts';
import { serviceAt } from './service-at.ts';

/** A client without retries, for a service with unusual replies. */
async function against(answer: RequestListener, assumptions = {}) {
  const { url, seen } = await serveHttp(answer);
  const { api } = await serviceAt(url, {
    assumptions: { ...defaultAssumptions, ...assumptions },
    retries: 0,
  });
  return { api, asked: () => seen.map(({ method, url: path }) => `${method} ${path}`) };
}

const mug = { id: 'P1', originId: 'p-1', name: 'Mug', color: 'blue' };

/** Answers PATCH and PUT with `update`, and everything else with `record`. */
function updating(update: (outgoing: ServerResponse) => void, record: object = mug) {
  return (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.method === 'GET') outgoing.end(JSON.stringify(record));
    else update(outgoing);
  };
}

const bare: readonly (readonly [string, (outgoing: ServerResponse) => void])[] = [
  ['204', (outgoing) => outgoing.writeHead(204).end()],
  ['null', (outgoing) => outgoing.end('null')],
  ['an empty body', (outgoing) => outgoing.end()],
];

const productUpdate = { params: { productId: 'P1' }, body: { name: 'Mug' } };
const rewardUpdate = { params: { rewardId: 'R1' }, body: { status: 'SUCCESS' } } as const;

describe('an update that succeeds without showing the record', () => {
  it.each(bare)('(%s) is a success, and the record is looked up', async (_, update) => {
    const { api, asked } = await against(updating(update));
    const { value, sent } = await api.call('updateProduct', productUpdate);
    expect({ value, sent }).toEqual({ value: mug, sent: mug });
    expect(asked()).toEqual(['PATCH /admin/v2/product/P1', 'GET /admin/v2/product/P1']);
  });

  it('is known by its id alone where no operation reads it', async () => {
    const { api, asked } = await against(updating((outgoing) => outgoing.writeHead(204).end()));
    const { value } = await api.call('updateReward', rewardUpdate);
    expect(value).toEqual({ id: 'R1' });
    expect(asked()).toEqual(['PATCH /admin/v2/reward/R1']);
  });

  it('is looked up by an opt-in operation where its setting is given', async () => {
    const reward = { id: 'R1', status: 'SUCCESS' };
    const { api } = await against(
      updating((outgoing) => outgoing.writeHead(204).end(), reward),
      { getReward: 'GET /admin/v2/reward/{rewardId}' },
    );
    const { value } = await api.call('updateReward', rewardUpdate);
    expect(value).toEqual(reward);
  });

  it('and then cannot be looked up fails as the look does', async () => {
    const { api } = await against((incoming, outgoing) => {
      outgoing.writeHead(incoming.method === 'PATCH' ? 204 : 500).end();
    });
    const failure = await failureOf(api.call('updateProduct', productUpdate));
    expect(failure.message).toBe('getProduct: the service failed (500)');
  });
});

describe('a creation that succeeds without showing the record', () => {
  it.each(bare)('(%s) leaves it open what was made, and asks nothing more', async (_, answer) => {
    const { api, asked } = await against((__, outgoing) => answer(outgoing));
    const failure = await failureOf(api.call('createProduct', productBody));
    expect(failure.isOutcomeUnknown).toBe(true);
    expect(asked()).toEqual(['POST /admin/v2/product']);
  });
});

describe('a reply of 200,000 levels', () => {
  const deep = `${'{"a":['.repeat(100_000)}1${']}'.repeat(100_000)}`;
  it.each([
    ['as a whole', deep],
    ['in an unknown field', `{"totalCount":1,"data":[{"id":"1","x":${deep}}]}`],
  ])('%s is a failure in words', async (_, body) => {
    const { api } = await against((_incoming, outgoing) => outgoing.end(body));
    expect(await failureOf(api.call('listProducts', { query: {} }))).toMatchObject({
      kind: 'unreadable-reply',
      message: 'listProducts: the reply (200) cannot be read: it is nested more than 1000 levels deep',
    });
  });
});

describe('a reply that is JSON in another dress', () => {
  it('behind a byte-order mark is read', async () => {
    const { api } = await against((_, outgoing) => outgoing.end(`\uFEFF${JSON.stringify(mug)}`));
    expect((await api.call('getProduct', { params: { productId: 'P1' } })).value).toEqual(mug);
  });
});

describe('a list that is refused for its address', () => {
  it.each([405, 410, 426])('(%s) speaks of the address and the method', async (status) => {
    const { api } = await against((_, outgoing) => outgoing.writeHead(status).end());
    expect(await failureOf(api.call('listProducts', {}))).toMatchObject({
      kind: 'config',
      exitCode: 2,
      message: `listProducts: this address does not answer GET requests as documented (${status})`,
      hint: 'check the setting base-url, which is the address before /admin/v2: reviewctl doctor',
    });
  });
});
