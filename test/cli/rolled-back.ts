import { expect, it } from 'vitest';
import { SkippingClock } from '../client/skipping-clock.ts';
import type { LedgerShop } from './ledger-shop.ts';
import type { CliResult } from './run-cli.ts';
import { expectEnd } from './run-cli.ts';

/** A shop with database access to its ledger, as an administrator has. */
export interface AdministeredShop extends Pick<LedgerShop, 'served' | 'paid'> {
  /** Settles with an idempotent payer that ends each call with this exit code. */
  readonly settle: (exitCode: number, ...more: readonly string[]) => Promise<CliResult>;
  /** Runs SQL in the ledger; nothing in the database prevents it. */
  readonly administer: (sql: string) => Promise<void>;
  readonly verify: () => Promise<CliResult>;
}

const keep = 'CREATE TABLE kept AS SELECT * FROM reward';
const putBack = 'DELETE FROM reward; INSERT INTO reward SELECT * FROM kept; DROP TABLE kept';
const gone = 'DELETE FROM reward';
const capped = ['-c', 'max-amount-per-day=1'];

/** Returns a clock for each command, an hour after the previous one. */
export function hourlyClocks(): () => SkippingClock {
  let hours = 0;
  return () => {
    const clock = new SkippingClock();
    hours += 1;
    void clock.sleep(hours * 3_600_000);
    return clock;
  };
}

/** Makes the service queue every reward again, with its amount increased by `more`. */
function waitAgain({ served }: AdministeredShop, more = 0): void {
  served.sandbox.transact(({ state: { rewards } }) => {
    for (const reward of rewards.values())
      rewards.put({ ...reward, status: 'QUEUED', amount: reward.amount + more });
  });
}

const before = ['before its first call', [0, ...capped]] as const;
const inDoubt = ['when its outcome was unknown', [3, '-c', 'concurrency=1']] as const;
const released = ['when the payer postponed it', [75, '-c', 'concurrency=1']] as const;

/** Tests that a reward is never paid again after its row was restored or removed. */
export function describeRollBacks(open: () => Promise<AdministeredShop>): void {
  it.each([before, inDoubt, released])(
    'a row put back as it was %s is not paid again',
    async (_, [code, ...more]) => {
      const shop = await open();
      await shop.settle(code, ...more);
      await shop.administer(keep);
      await shop.settle(0);
      await expectDamage(shop, putBack);
    },
  );

  it('a row put back is not paid again where the service now shows another amount', async () => {
    const shop = await open();
    await shop.settle(0, ...capped);
    await shop.administer(keep);
    await shop.settle(0);
    await expectDamage(shop, putBack, 100);
  });

  it('a row that was removed is not paid again', async () => {
    const shop = await open();
    await shop.settle(0);
    await expectDamage(shop, gone);
  });
}

async function expectDamage(shop: AdministeredShop, sql: string, more = 0): Promise<void> {
  const paid = shop.paid();
  expect(paid.length).toBeGreaterThan(0);
  await shop.administer(sql);
  waitAgain(shop, more);
  expectEnd(
    await shop.settle(0),
    12,
    /error: the ledger is damaged: reward \S+ is not as its last event left it \(.*\): it is .*\nhint: run `reviewctl ledger verify/,
  );
  expect(shop.paid()).toEqual(paid);
  expectEnd(await shop.verify(), 12);
}
