import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { formatMoney, type JsonMoney, moneyOfJson } from '../../src/base/money.ts';
import { balanceOf } from './booking-balance.ts';
import { type LedgerShop, manualClock, openLedgerShop, records } from './ledger-shop.ts';
import { recordsIn } from './open-place.ts';
import { expectEnd, expectNothing } from './run-cli.ts';

/** A shop with imported, paid, refused, held, unknown and resolved rewards. */
async function openBooks(): Promise<LedgerShop> {
  const shop = await openLedgerShop({ reviews: 24 });
  const [earlier = '', other = ''] = await shop.memberRewards();
  const paid = shop.write('paid.txt', `${earlier}\n${other}\n`);
  expectEnd(await shop.run(`ledger init --already-paid ${paid} --yes`), 0);
  await shop.settle(0, '--max-count 4');
  await shop.settle(10, '--max-count 2');
  await shop.settle(3, '--max-count 3 -c concurrency=1');
  const unknown = recordsIn(await shop.run('ledger list --payment unknown'));
  expect(unknown).toHaveLength(3);
  const [first, second] = unknown.map(({ rewardId }) => String(rewardId));
  const resolve = (...argv: readonly string[]) =>
    shop.run(['ledger resolve', ...argv, '--yes'], { clock: february });
  expect((await resolve(first ?? '', '--paid --ref', '=cmd|calc, [2026-02-30] ; date:1')).exitCode).toBe(0);
  expectEnd(await resolve(second ?? '', '--not-paid --reason', 'not in the books'), 0);
  return shop;
}

async function exported({ run }: LedgerShop, ...flags: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run(['ledger export', ...flags]);
  expect(stderr).not.toContain('error');
  expect(exitCode).toBe(0);
  return stdout;
}

/** The amounts of the ledger by state, as `ledger status` prints them. */
async function statusSums({ run }: LedgerShop): Promise<(payment: string) => string> {
  const [status] = recordsIn(await run('ledger status'));
  const states = status?.['states'] as readonly { readonly payment: string; readonly amount: JsonMoney }[];
  return (payment) =>
    formatMoney(
      states
        .filter((state) => state.payment === payment)
        .reduce((sum, { amount }) => sum + moneyOfJson(amount), 0n),
    );
}

/** After midnight of 1 February in Korea, while it is still January in UTC. */
const february: Clock = { ...manualClock, now: () => Date.parse('2026-01-31T15:00:00Z') };

it('bookings add up to what the status shows as paid and unknown', async () => {
  const shop = await openBooks();
  const balance = balanceOf(await exported(shop, '--to 2026-02-28'));
  const sum = await statusSums(shop);
  const [paid = '0', imported = '0'] = [
    balance['expenses:rewards:paid'],
    balance['expenses:rewards:imported'],
  ];
  expect(formatMoney(moneyOfJson(paid) + moneyOfJson(imported))).toBe(sum('paid'));
  expect(balance['assets:rewards:unknown']).toBe(sum('unknown'));
  expect(Object.keys(balance)).toHaveLength(5);
});

it('the CSV has a row for each booking', async () => {
  const shop = await openBooks();
  const rows: Record<string, string>[] = parse(await exported(shop), { columns: true });
  const kinds = rows.map(({ booking }) => booking);
  expect(
    Object.fromEntries(
      ['imported', 'paid', 'unknown', 'found-paid', 'found-unpaid'].map((kind) => [
        kind,
        kinds.filter((one) => one === kind).length,
      ]),
    ),
  ).toEqual({ imported: 2, paid: 4, unknown: 3, 'found-paid': 1, 'found-unpaid': 1 });
});

it('no cell runs a formula or holds a member, whose ids are added on request', async () => {
  const shop = await openBooks();
  const { stdout } = await shop.run('ledger list -o ndjson --payment paid');
  const members = records(stdout).map(({ memberOriginId }) => String(memberOriginId));
  expect(members.length).toBeGreaterThan(0);
  const plain = await exported(shop);
  expect(members.filter((member) => plain.includes(member))).toEqual([]);
  const whole = await exported(shop, '--with-ids');
  expect(members.filter((member) => !whole.includes(member))).toEqual([]);
  expect(plain).toContain(`"'=cmd|calc, [2026-02-30] ; date:1"`);
});

it('a period selects by Korean days, both included, and months add up to the whole', async () => {
  const shop = await openBooks();
  const bookings = async (...period: readonly string[]) =>
    (await exported(shop, ...period)).trimEnd().split('\n').slice(1);
  const whole = await bookings();
  const [january, other] = [await bookings('--month', '2026-01'), await bookings('--month', '2026-02')];
  expect([january.length, other.length]).toEqual([9, 2]);
  expect([...january, ...other]).toEqual(whole);
  expect(await bookings('--from', '2026-02-01', '--to', '2026-02-01')).toEqual(other);
  expect(await bookings('--to', '2026-01-31')).toEqual(january);
  expect(await bookings('--month', '2025-12')).toEqual([]);
});

it('stderr has the sums of the period, and says what a later export may change', async () => {
  const shop = await openBooks();
  await shop.run('rewards export batch.csv --max-count 1');
  const { stderr } = await shop.run('ledger export --month 2026-01');
  expect(stderr).toMatch(/^9 bookings, paid [\d,]+, imported [\d,]+, unknown [\d,]+$/m);
  expect(stderr).toContain('the period ends on 2026-01-31 and is not over: export it again afterwards');
  expect(stderr).toContain('in progress or in a batch: 1 payment; to list them: reviewctl ledger list');
  const later = await shop.run('ledger export --month 2026-01', { clock: february });
  expect(later.stderr).not.toContain('not over');
});

it.each([
  [['--month 2026-13'], "--month: expected a month such as 2026-11, not '2026-13'"],
  [['--month 2026-11 --from 2026-11-01'], '--month excludes --from and --to'],
  [['--from 2026-02-30'], "--from: '2026-02-30' is not a day of the calendar"],
  [['--from 2026-11-02 --to 2026-11-01'], '--to 2026-11-01 is before --from 2026-11-02'],
])('%j is refused before the ledger is opened', async (flags, message) => {
  const shop = await openLedgerShop({ reviews: 1 });
  expectNothing(await shop.run(['ledger export', ...flags]), 2, message);
});

it('what a person recorded as paid before any run saw it is booked as paid, with the receipt and without a key', async () => {
  const shop = await openLedgerShop();
  const [first = ''] = await shop.memberRewards();
  await shop.run('ledger init');
  expectEnd(await shop.run(`ledger resolve ${first} --paid --ref statement.csv --yes`), 0);
  const rows = parse(await exported(shop), { columns: true }) as Record<string, string>[];
  expect(rows).toMatchObject([
    { rewardId: first, booking: 'paid', credit: 'assets:payer', key: '', ref: 'statement.csv' },
  ]);
});
