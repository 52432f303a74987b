import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openPayingShop, records } from './ledger-shop.ts';
import { expectEnd } from './run-cli.ts';

/**
 * A shop with four due rewards, and a payer program that returns the receipt in the file `receipt` for every payment.
 */
async function openOwing() {
  const shop = await openPayingShop({ reviews: 4 });
  shop.served.sandbox.transact(({ state: { orders } }) => {
    for (const order of orders.values()) orders.put({ ...order, memberOriginId: 'M1' });
  });
  const program = shop.write(
    'say-receipt.sh',
    `#!/bin/sh
cd "\${0%/*}"
read -r call
read -r receipt < receipt
read -r code < exit-code
[ "$code" = 0 ] && echo "$receipt"
exit "$code"
`,
  );
  chmodSync(program, 0o700);
  const settle = (receipt: string, code: number, ...more: readonly string[]) => {
    shop.write('receipt', `${receipt}\n`);
    shop.write('exit-code', `${code}\n`);
    const payer = `--payer-command ${program} -c concurrency=1`;
    return shop.run([`rewards settle ${payer}`, ...more]);
  };
  const ids = (await shop.memberRewards()).toSorted();
  return { ...shop, settle, program, ids };
}

const saying = (ref: string) => JSON.stringify({ outcome: 'paid', ref });
const warning = /warning: .* the receipt of an earlier payment/;

it('a run ends with one warning about all receipts that an earlier payment has', async () => {
  const { settle, ids } = await openOwing();
  const [c0 = '', c1 = ''] = ids;
  const { stdout, stderr } = expectEnd(
    await settle(saying('R1'), 0),
    0,
    `warning: 3 rewards have the receipt of an earlier payment; the first: reward ${c1} has R1, like reward ` +
      `${c0}\nhint: reviewctl ledger show ${c1}\n`,
  );
  expect(records(stdout).map(({ outcome }) => outcome)).toEqual(ids.map(() => 'paid'));
  expect(stderr.match(/warning:/g)).toHaveLength(1);
  expect((await settle(saying('R1'), 0)).stderr).not.toMatch(warning);
});

it('a receipt that a payment of an earlier run has is named with that payment', async () => {
  const { settle, ids } = await openOwing();
  const [c0 = '', c1 = ''] = ids;
  const alone = await settle(saying('R1'), 0, '--max-count 1');
  expect([alone.exitCode, alone.stderr]).toEqual([7, expect.not.stringMatching(warning)]);
  expect((await settle(saying('R1'), 0, '--max-count 1')).stderr).toContain(
    `warning: 1 reward has the receipt of an earlier payment; reward ${c1} has R1, like reward ${c0}\n`,
  );
  expect((await settle(saying('R2'), 0, '--max-count 1')).stderr).not.toMatch(warning);
  expect((await settle('', 0)).stderr).not.toMatch(warning);
});

it('a receipt that was found by a lookup is compared, too', async () => {
  const shop = await openOwing();
  const [c0 = '', c1 = ''] = shop.ids;
  await shop.settle(saying('R1'), 0, '--max-count 1');
  await shop.settle('', 3, '--max-count 1');
  const lookUp = shop.write('look-up.sh', `#!/bin/sh\necho '${saying('R1')}'\n`);
  chmodSync(lookUp, 0o700);
  const { stderr } = await shop.settle(saying('R2'), 0, '-c', `payer-lookup-command=${join(lookUp)}`);
  expect(stderr).toContain(`reward ${c1} has R1, like reward ${c0}\n`);
});

it('a person may give many payments one receipt, and the payer the same once more', async () => {
  const shop = await openOwing();
  const [c0 = '', c1 = '', c2 = ''] = shop.ids;
  await shop.run(`ledger resolve ${c0} ${c1} --paid --ref november.csv --yes`);
  const { stderr } = await shop.settle(saying('november.csv'), 0, '--max-count 1');
  const [, later, earlier] =
    /warning: 1 reward has .*; reward (\d+) has november\.csv, like reward (\d+)\n/.exec(stderr) ?? [];
  expect([later, [c0, c1]]).toEqual([c2, expect.arrayContaining([earlier])]);
});
