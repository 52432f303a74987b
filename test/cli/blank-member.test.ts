import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { deadAddress } from '../client/loopback.ts';
import { type LedgerShop, openPayingShop, records, relay } from './ledger-shop.ts';
import { recordsIn } from './open-place.ts';
import { expectEnd } from './run-cli.ts';

/** A shop whose orders all have the same member. */
async function openShopOf(memberOriginId: string): Promise<LedgerShop> {
  const shop = await openPayingShop({ reviews: 3 });
  shop.served.sandbox.transact(({ state }) => {
    for (const order of [...state.orders.values()]) state.orders.put({ ...order, memberOriginId });
  });
  return shop;
}

const reason = 'the order names no member: a guest order earns no reward';

it.each([
  ['one blank', ' '],
  ['blanks and line breaks', ' \t\r\n'],
  ['a no-break and an ideographic blank', '\u00a0\u3000'],
])('a reward whose member is %s is held, as one without a member', async (_, member) => {
  const shop = await openShopOf(member);
  for (const more of [['--dry-run'], []]) {
    const { stdout } = expectEnd(await shop.settle(0, ...more), 0);
    const held = { outcome: 'held', report: 'pending', key: null, reason };
    expect(records(stdout)).toMatchObject([held, held, held]);
  }
  expectEnd(await shop.settle(0, '-c fail-on-held=true'), 6);
  const exported = await shop.run(['rewards export', join(shop.folder, 'batch.csv')]);
  expect(exported.stderr).toContain('nothing to export');
  expect({ paid: shop.paid(), statuses: new Set(shop.statuses().values()) }).toEqual({
    paid: [],
    statuses: new Set(['QUEUED']),
  });
});

it('a reward whose member id is a number of too many digits is held, but not as a guest order', async () => {
  const { settle } = await openPayingShop({ reviews: 3 }, (address) =>
    relay(address, (text) => text.replaceAll(/("memberOriginId":)"[^"]*"/g, '$112345678901234567890')),
  );
  const reasons = records(expectEnd(await settle(), 0).stdout).map((record) => record['reason']);
  expect(reasons).toContain(
    'the id of its member cannot be read exactly: have the service send it as plain text',
  );
});

it('a webhook call for a reward whose member is a blank pays nothing', async () => {
  const shop = await openShopOf(' ');
  shop.write('exit-code', '0');
  const secretFile = shop.write('path-secret', 'path-secret-of-listen\n');
  chmodSync(secretFile, 0o600);
  const host = await deadAddress();
  const { port } = new URL(`http://${host}`);
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const listening = shop.run(
    `rewards listen -c port=${port} -c path-secret-file=${secretFile} -c allow-ip=127.0.0.1 ${shop.payer}`,
    { stopping: stopping.signal, clock: systemClock },
  );
  const answers = async (path: string, init?: RequestInit) => {
    const reply = await fetch(`http://${host}${path}`, init);
    return `${reply.status} ${await reply.text()}`;
  };
  await expect.poll(() => answers('/healthz').catch(String)).toBe('200 {"message":"ok"}');
  const [reward] = recordsIn(await shop.run('rewards list -o ndjson'));
  const call = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(reward),
  };
  expect(await answers('/rewards/path-secret-of-listen', call)).toBe(
    `503 {"message":"held: ${reason}; not paid"}`,
  );
  stopping.abort();
  await listening;
  expect(shop.paid()).toEqual([]);
});
