import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SkippingClock } from '../client/skipping-clock.ts';
import { type LedgerShop, openLedgerShop, openPayingShop, records, relay } from './ledger-shop.ts';
import { expectEnd } from './run-cli.ts';

const hourMs = 3_600_000;

/** A clock this many hours ahead of all other commands. */
function later(hours: number): SkippingClock {
  const clock = new SkippingClock();
  void clock.sleep(hours * hourMs);
  return clock;
}

function settleAt(shop: LedgerShop, hours: number, ...more: readonly string[]) {
  return shop.run([`rewards settle ${shop.payer}`, ...more], { clock: later(hours) });
}

/** An address that forwards reads to the shop's service and answers writes with `answer`. */
async function addressWithout(shop: LedgerShop, answer: RequestListener): Promise<readonly string[]> {
  return ['-c', `base-url=${await relay(shop.served.baseUrl, String, answer)}`];
}

/** A shop whose first three payments were lost, and whose payer pays again. */
async function openLost() {
  const shop = await openPayingShop();
  expectEnd(await shop.settle(3, '-c concurrency=1'), 11);
  shop.write('exit-code', '0');
  return shop;
}

it('a run with a batch that is out says in words how many rewards are in it, and -c fail-on-held=true makes that 6', async () => {
  const shop = await openPayingShop();
  const exported = await shop.run(['rewards export', join(shop.folder, 'batch.csv'), '--batch november']);
  const [, count, amount] = /(\d+) payments \(([\d,]+)\) in/.exec(exported.stderr) ?? [];
  const words =
    `warning: ${count} rewards (${amount}) out in november, a file whose outcomes are not imported yet\n` +
    'hint: once they are filled in: reviewctl rewards import FILE\n';
  for (const more of [[], ['--dry-run']]) {
    const lenient = expectEnd(await shop.settle(0, ...more), 0, words);
    expectEnd(await shop.settle(0, '-c fail-on-held=true', ...more), 6, words);
    const reasons = records(lenient.stdout).map(({ reason }) => reason);
    expect(reasons).toContain('handed over in november; its outcome must be imported');
  }
  expect(shop.paid()).toEqual([]);
});

it('unknown payments end a run with 11 only from the age on that was set, counted from the call; before, they are listed', async () => {
  const shop = await openLost();
  const tolerant = '-c fail-on-unknown-older=24h';
  const young = expectEnd(await settleAt(shop, 23, tolerant), 0);
  expect(records(young.stdout).filter(({ outcome }) => outcome === 'unknown')).toHaveLength(3);
  expect(young.stderr).toMatch(
    /warning: 3 rewards may or may not be paid, the oldest for 23 h 0 min; the first: /,
  );
  expectEnd(await settleAt(shop, 23), 11);
  expectEnd(await settleAt(shop, 25, tolerant), 11, /, the oldest for 1 d 1 h; /);
});

it('with -c fail-on-held=true a run says how many rewards are held, and why, whatever it prints', async () => {
  const shop = await openPayingShop();
  const heldBy = ['-c max-per-reward=1', '-o none'];
  expect((await shop.settle(0, ...heldBy)).stderr).not.toContain('warning');
  expectEnd(
    await shop.settle(0, ...heldBy, '-c fail-on-held=true'),
    6,
    /^warning: \d+ rewards held, which fail-on-held counts as a failure; the first: .+\nhint: to see each: reviewctl rewards settle .*--dry-run\n$/m,
  );
});

it('a clock set back makes no unknown payment young', async () => {
  const shop = await openLost();
  expectEnd(
    await settleAt(shop, -48, '-c fail-on-unknown-older=24h'),
    11,
    /, the oldest for an unknown time, because the clock was set back; /,
  );
});

it('a payer that loses every call ends the run with 11, whatever age is tolerated', async () => {
  const shop = await openPayingShop();
  expectEnd(await shop.settle(3, '-c fail-on-unknown-older=24h'), 11);
});

it('a run after which the service may not know of a payment says so, and why, with its exit code 5', async () => {
  const shop = await openLedgerShop({ reviews: 4 });
  const toDeaf = await addressWithout(shop, ({ socket }) => void socket.destroy());
  await shop.run(['ledger init', ...toDeaf]);
  expectEnd(
    await shop.settle(0, ...toDeaf, '-c retries=0'),
    5,
    /warning: \d+ rewards? whose outcome the service may not know yet; .+\nhint: the next run reports it\n/,
  );
  expect(shop.paid().toSorted()).toEqual((await shop.memberRewards()).toSorted());
});

it('a run whose report the service does not accept prints all that it paid, with the totals, and exits with 4', async () => {
  const shop = await openLedgerShop({ reviews: 12 });
  const toRefusing = await addressWithout(shop, (_, outgoing) => void outgoing.writeHead(401).end('{}'));
  await shop.run(['ledger init', ...toRefusing]);
  const { stdout, stderr } = expectEnd(await shop.settle(0, ...toRefusing), 4);
  const printed = records(stdout).filter(({ outcome }) => outcome === 'paid');
  expect(printed.length).toBeGreaterThan(1);
  expect(printed.map(({ rewardId }) => String(rewardId)).toSorted()).toEqual(shop.paid().toSorted());
  expect(stderr).toMatch(new RegExp(`^\\d+ rewards: ${printed.length} paid \\(`, 'm'));
  expect(stderr).toMatch(/^warning: \d+ rewards whose outcome the service may not know yet; the first: /m);
  expect(stderr).toMatch(/^error: updateReward: the service does not accept the credential \(401\)/m);
});

it('a reward that was triggered and paid is printed although the service does not accept the report', async () => {
  const shop = await openLedgerShop({ reviews: 4 });
  const toRefusing = await addressWithout(shop, (_, outgoing) => void outgoing.writeHead(401).end('{}'));
  await shop.run(['ledger init', ...toRefusing]);
  shop.write('exit-code', '0');
  const [rewardId = ''] = await shop.memberRewards();
  const { stdout } = expectEnd(
    await shop.run([`rewards settle ${rewardId} ${shop.payer}`, ...toRefusing]),
    4,
  );
  expect(records(stdout)).toMatchObject([{ rewardId, outcome: 'paid', report: 'pending' }]);
});

it('a run whose list of QUEUED rewards shows another status pays none of them, says so, and exits with 6', async () => {
  const shop = await openLedgerShop({ reviews: 4 }, (address) =>
    relay(address, (text) => text.toLowerCase()),
  );
  await shop.run('ledger init');
  for (const more of [[], ['--dry-run']]) {
    expectEnd(
      await shop.settle(0, ...more),
      6,
      /warning: 4 rewards waiting here, but not QUEUED at the service; the first: \S+ \(the service says queued\)\n/,
    );
  }
  expect(shop.paid()).toEqual([]);
});
