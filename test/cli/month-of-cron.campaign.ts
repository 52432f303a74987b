import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { SkippingClock } from '../client/skipping-clock.ts';
import { copiedPayers } from '../payer/copied-payers.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';
import { environmentAt, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const days = 30;
const throttledDay = 7;
const failingDay = 15;
const dayMs = 86_400_000;

/** A shop whose sandbox also has UNAPPROVED rewards, and the machine with its nightly jobs. */
async function openMonth() {
  const folder = temporaryFolder();
  const options = { orders: 200, reviews: 24, seededRewards: 'every-status' } as const;
  const served = await serveSandbox({ port: 0, clock: new ManualClock(), ...options });
  onTestFinished(() => served.close());
  const pointsFile = join(folder, 'points.ndjson');
  const env = {
    ...environmentAt(folder, served),
    POINTS_FILE: pointsFile,
  };
  const clock = new SkippingClock();
  const run = async (line: string) => {
    const { exitCode, stdout, stderr } = await runInProcess(line, { env, cwd: folder, clock });
    return { exitCode, stderr, lines: stdout.split('\n').filter((text) => text !== '') };
  };
  return { folder, served, clock, run, pointsFile };
}

const payer = `--payer-command ${join(copiedPayers(), 'minimal.sh')} -c payer-env=POINTS_FILE`;

/** The nightly cron jobs, in this order. */
const nightly = {
  settle: `rewards settle ${payer} -o none`,
  push: 'products push catalog.csv -o ndjson',
  list: 'reviews list --since-last nightly -o ids',
};

test('a month of nightly jobs, one night with a failing service, pays each reward once and misses nothing', async () => {
  const { folder, served, clock, run, pointsFile } = await openMonth();
  expectEnd(await run('ledger init -c shop=month'), 0);
  const listed: string[] = [];
  const pushed: string[] = [];
  const catalog = ['originId,name'];
  const troubled: Record<number, unknown> = {};
  for (let day = 1; day <= days; day += 1) {
    await clock.sleep(dayMs);
    expectEnd(await run('sandbox advance 1d'), 0);
    expectEnd(await run('sandbox write-review'), 0);
    catalog.push(`D${day},Product of day ${day}`);
    writeFileSync(join(folder, 'catalog.csv'), `${catalog.join('\n')}\n`);
    if (day === throttledDay) await run('sandbox fault throttle=next:3');
    if (day === failingDay) await run('sandbox fault error=next:1000');
    const settled = await run(nightly.settle);
    const push = await run(nightly.push);
    const list = await run(nightly.list);
    if (day === failingDay) await run('sandbox fault none');
    pushed.push(...push.lines);
    listed.push(...list.lines);
    const nights = [settled, push, list];
    if (nights.every(({ exitCode }) => exitCode === 0)) continue;
    troubled[day] = nights.map(({ exitCode, stderr }) => [exitCode, stderr]);
  }

  expect(troubled).toEqual({
    [failingDay]: [
      [5, expect.stringContaining('listRewards: the service')],
      [5, expect.stringContaining('listProducts: the service')],
      [5, expect.stringContaining('listReviews: the service')],
    ],
  });

  const { rewards, reviews, orders, orderItems } = served.sandbox.state;
  const memberOf = (orderItemId: string) =>
    orders.get(orderItems.get(orderItemId)?.orderId ?? '')?.memberOriginId;
  const left = [...rewards.values()].filter(({ status }) => status === 'QUEUED' || status === 'UNAPPROVED');
  expect(left.filter(({ orderItemId }) => memberOf(orderItemId) !== null)).toEqual([]);

  const payments = readFileSync(pointsFile, 'utf8').trimEnd().split('\n');
  const paid = payments.map((line) => JSON.parse(line) as { readonly id: string; readonly amount: number });
  expect(new Set(paid.map(({ id }) => id)).size).toBe(paid.length);
  expect(paid.length).toBeGreaterThan(days);
  for (const { id, amount } of paid) expect(rewards.get(id)).toMatchObject({ status: 'SUCCESS', amount });
  const { lines } = await run('ledger list --payment paid -o ndjson');
  expect(lines.length).toBe(paid.length);

  expect(listed.toSorted()).toEqual([...reviews.values()].map(({ id }) => id).toSorted());
  const created = pushed.filter((line) => JSON.parse(line).outcome === 'created');
  expect(created.length).toBe(days);
});
