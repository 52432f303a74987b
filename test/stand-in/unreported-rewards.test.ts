import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { pageOf, recordsIn, standInShop } from './serve-stand-in.ts';

const reward = {
  id: '1',
  amount: 500,
  status: 'QUEUED',
  reviewCategory: 'TEXT',
  review: { id: '2', createdAt: '2026-11-20T00:00:00Z' },
  order: { id: '3', originId: 'O1', memberOriginId: 'm-1' },
  orderItem: { id: '4', originId: 'I1' },
};

/** A shop with one reward, to which updates apply `take`, and a payer that pays. */
async function settledBy(take: (sent: JsonObject) => JsonObject, amount = '500') {
  let shown: JsonObject = reward;
  const shop = await standInShop({
    'GET /admin/v2/rewards': ({ query }, outgoing) => {
      const status = query.get('status');
      const page = pageOf(status === null || status === shown['status'] ? [shown] : []);
      return outgoing.end(JSON.stringify(page).replace('"amount":500', `"amount":${amount}`));
    },
    'PATCH /admin/v2/reward/{}': ({ body }) => {
      const reply = take(isJsonObject(body) ? body : {});
      shown = { ...reply, id: '1' };
      return reply;
    },
  });
  const payer = join(shop.folder, 'pay.sh');
  writeFileSync(payer, `#!/bin/sh\necho paid >> '${shop.folder}/payments'\n`);
  chmodSync(payer, 0o755);
  expect((await shop.cli('ledger', 'init')).exitCode).toBe(0);
  const settle = () => shop.cli('rewards', 'settle', '--payer-command', payer);
  return { ...shop, settle };
}

test.each<readonly [string, (sent: JsonObject) => JsonObject, string]>([
  ['leaves it waiting', () => reward, 'but the service says QUEUED'],
  ['gives it another status', () => ({ ...reward, status: 'SENDING' }), 'but the service says SENDING'],
  [
    'shows another amount for it',
    (sent) => ({ ...reward, ...sent, amount: 5000 }),
    'the service now says SUCCESS for 5000',
  ],
])(
  'a paid reward whose report %s is a conflict, exit 6, and is never paid again',
  async (_, take, reason) => {
    const { settle, folder } = await settledBy(take);
    const result = await settle();
    expect(result.exitCode).toBe(6);
    expect(recordsIn(result)).toMatchObject([{ rewardId: '1', outcome: 'paid' }]);
    expect(result.stdout + result.stderr).toContain(reason);
    await settle();
    expect(readFileSync(join(folder, 'payments'), 'utf8')).toBe('paid\n');
  },
);

test('a paid reward whose report is taken is confirmed', async () => {
  const { settle } = await settledBy((sent) => ({ ...reward, ...sent }));
  expect(await settle()).toMatchObject({ exitCode: 0 });
});

test.each(['499.999999999999999999', '500.000000000000000001', '5.00000000000000000001e2'])(
  'a reward of %s is held, and not paid as the number that it would be rounded to',
  async (amount) => {
    const { settle, folder } = await settledBy((sent) => ({ ...reward, ...sent }), amount);
    const result = await settle();
    expect(recordsIn(result)).toMatchObject([{ rewardId: '1', outcome: 'held' }]);
    expect(existsSync(join(folder, 'payments'))).toBe(false);
  },
);
