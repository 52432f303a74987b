import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SkippingClock } from '../client/skipping-clock.ts';
import { unasked } from '../unasked.ts';
import { type LedgerShop, manualClock, openPayingShop, records } from './ledger-shop.ts';
import { recordsIn } from './open-place.ts';
import { restoreRecipe } from './restore-recipe.ts';
import { expectEnd, runShell } from './run-cli.ts';

/** Replaces the ledger with a copy. The copy is a new file, because this process keeps the lost one open. */
function restore({ ledgerPath }: LedgerShop, copy: string): void {
  for (const rest of ['', '-wal', '-shm']) rmSync(ledgerPath + rest, { force: true });
  copyFileSync(copy, ledgerPath);
}

/** The payer's statement by key: every call it received. */
function statementOf(shop: LedgerShop): string {
  const rows = callsOf(shop).map(({ key, amount }) => `${key},${amount}`);
  return shop.write('statement.csv', ['key,amount', ...rows, ''].join('\n'));
}

/** Makes the service forget that these rewards were paid and reported. */
function forget({ served }: LedgerShop, ids: readonly string[]): void {
  served.sandbox.transact(({ state }) => {
    for (const id of ids) {
      const reward = state.rewards.get(id);
      if (reward !== undefined) state.rewards.put({ ...reward, status: 'QUEUED' });
    }
  });
}

/**
 * A shop whose backup is older than two payments that were not reported. With `isSeen`, the backup contains their
 * rewards.
 */
async function openRestored({ isSeen }: { readonly isSeen: boolean }) {
  const shop = await openPayingShop({ reviews: 8 });
  if (isSeen) await shop.settle(75);
  const before = shop.paid().length;
  const copy = join(shop.folder, 'backup.db');
  await shop.run(`ledger backup ${copy}`);
  await shop.settle();
  const paid = shop.paid().slice(before);
  const untold = paid.slice(0, 2);
  forget(shop, untold);
  restore(shop, copy);
  const timesPaid = () => {
    const since = shop.paid().slice(before);
    return untold.map((id) => since.filter((one) => one === id).length);
  };
  return { ...shop, statement: statementOf(shop), paidSince: paid, untold, timesPaid };
}

/** Compares with an up-to-date statement. */
const whole = ['ledger', 'reconcile', '--statement-end', 'now', '--payer-statement'];

it.each([{ isSeen: true }, { isSeen: false }])(
  'what was paid after a backup is named by the statement and noted, and paid by no later run: %j',
  async (options) => {
    const shop = await openRestored(options);
    expectEnd(await shop.settle(), 12);
    const reconcile = [...whole, shop.statement];
    const { stdout } = expectEnd(await shop.run(reconcile), 6);
    const lacking = records(stdout).filter(({ kind }) => kind === 'paid-by-payer');
    for (const id of shop.untold) {
      expect(lacking).toContainEqual(
        expect.objectContaining({ rewardId: id, next: `reviewctl ledger resolve ${id} --paid --ref …` }),
      );
    }
    const ids = lacking.map(({ rewardId }) => String(rewardId));
    expect(ids.toSorted()).toEqual(shop.paidSince.toSorted());
    expectEnd(await shop.run(['ledger resolve', ...ids, '--paid --ref books --yes']), 0);
    const [entry] = recordsIn(await shop.run(['ledger show', shop.untold[0] ?? '']));
    expect(entry).toMatchObject({ payment: 'paid', amount: expect.any(Number), ref: 'books' });
    expect(entry?.['memberOriginId']).toEqual(expect.any(String));
    expectEnd(await shop.run('ledger accept --yes'), 0);
    expectEnd(await shop.settle(), 7);
    expect((await shop.run(reconcile)).stdout).not.toContain('paid-by-payer');
    expectEnd(await shop.run('ledger unfreeze'), 0);
    expectEnd(await shop.settle(), 0);
    expect(shop.timesPaid()).toEqual([1, 1]);
    expect(shop.untold.map((id) => shop.statuses().get(id))).toEqual(['SUCCESS', 'SUCCESS']);
  },
);

it('a restored ledger is not unfrozen while a statement names a payment it lacks, and says which', async () => {
  const shop = await openRestored({ isSeen: false });
  await shop.run('ledger accept --yes');
  await shop.run([...whole, shop.statement]);
  for (const more of [[], ['--without-statement']]) {
    const { stderr } = expectEnd(await shop.run(['ledger unfreeze', ...more]), 7);
    for (const id of shop.untold) expect(stderr).toContain(id);
    expect(stderr).toMatch(/\nhint: .*reviewctl ledger resolve .*--paid --ref/);
  }
  expectEnd(await shop.settle(), 7);
  expect(shop.timesPaid()).toEqual([1, 1]);
});

it('what a statement showed before the ledger was accepted keeps it frozen after', async () => {
  const shop = await openRestored({ isSeen: true });
  await shop.run([...whole, shop.statement]);
  await shop.run('ledger accept --yes');
  const { stderr } = expectEnd(await shop.run('ledger unfreeze'), 7);
  for (const id of shop.untold) expect(stderr).toContain(id);
});

it('a shorter statement hides nothing that an earlier one showed, until a person begins again', async () => {
  const shop = await openRestored({ isSeen: true });
  const [header = '', first = ''] = readFileSync(shop.statement, 'utf8').split('\n');
  const cut = [...whole, shop.write('cut.csv', `${header}\n${first}\n`)];
  await shop.run('ledger accept --yes');
  await shop.run([...whole, shop.statement]);
  expectEnd(await shop.run(cut), 6, 'warning: an earlier statement showed');
  expectEnd(await shop.run('ledger unfreeze'), 7, shop.untold[0] ?? '');
  expectEnd(await shop.run('ledger accept --yes'), 0);
  expectEnd(await shop.run('ledger unfreeze'), 7, 'its payments since the backup are unknown');
});

it('a restored ledger that no statement was compared with is unfrozen only by --without-statement in full', async () => {
  const shop = await openRestored({ isSeen: true });
  expectEnd(await shop.run('ledger unfreeze'), 12);
  expectEnd(await shop.run('ledger accept'), 2);
  const status = async () => recordsIn(await shop.run('ledger status'))[0];
  const notCompared = { comparedAt: null, at: expect.any(String) };
  expect(await status()).toMatchObject({
    standing: 'older',
    restoration: { ...notCompared, acceptedAt: null },
  });
  await shop.run('ledger accept --yes');
  expect(await status()).toMatchObject({
    standing: 'current',
    restoration: { ...notCompared, acceptedAt: expect.any(String) },
  });
  await shop.run('ledger reconcile');
  expectEnd(
    await shop.run('ledger unfreeze'),
    7,
    /\nhint: .*ledger reconcile --payer-statement FILE.*--without-statement/,
  );
  expectEnd(await shop.run('ledger unfreeze --without'), 2);
  expect((await shop.run('ledger unfreeze --yes')).exitCode).not.toBe(0);
  expectEnd(await shop.run('ledger unfreeze --without-statement'), 0);
  // Rewards paid and reported after the backup still wait in it.
  const settled = expectEnd(await shop.settle(), 6);
  expect(settled.stdout).toContain('the service no longer lists it: it says SUCCESS');
});

it('a payment of the statement that belongs to no reward keeps a restored ledger frozen, by its line', async () => {
  const shop = await openRestored({ isSeen: true });
  await shop.run('ledger accept --yes');
  const other = shop.write('other.csv', 'ref,amount\nT-4711,500\n');
  await shop.run([...whole, other]);
  expectEnd(await shop.run('ledger unfreeze'), 7, /ref T-4711/);
  expectEnd(await shop.run('ledger unfreeze --without-statement'), 0);
});

it('a comparison that was made before the clock was set back is made again', async () => {
  const shop = await openRestored({ isSeen: true });
  const clock = { ...manualClock, now: () => Date.now() + 86_400_000 };
  const [header = ''] = readFileSync(shop.statement, 'utf8').split('\n');
  const paid = shop.write('paid.csv', `${header}\nT-1,500\n`);
  await shop.run([...whole, paid], { clock });
  await shop.run('ledger accept --yes');
  expectEnd(await shop.run('ledger unfreeze'), 7, 'its payments since the backup are unknown');
});

it.each(['a header alone', 'no row that is paid'])(
  'a restored ledger stays frozen where its statement shows no payment: %s',
  async (as) => {
    const shop = await openRestored({ isSeen: true });
    await shop.run('ledger accept --yes');
    const rows = as === 'a header alone' ? [] : callsOf(shop).map(({ key, amount }) => `${key},${amount},`);
    const path = shop.write('empty.csv', ['key,amount,outcome', ...rows, ''].join('\n'));
    const { exitCode, stderr } = await shop.run(`ledger reconcile --payer-statement ${path}`);
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/(error|warning): .*\nhint: /);
    expectEnd(await shop.run('ledger unfreeze'), 7);
    await shop.settle();
    expect(shop.timesPaid()).toEqual([1, 1]);
  },
);

it.each([
  { period: ['--statement-end', '1h'], gap: 'ends before the ledger was restored' },
  { period: ['--statement-end', '9999-12-31'], gap: 'ends in the future' },
  { period: ['--statement-start', '2026-01-02'], gap: 'begins after the ledger was copied' },
])('a restored ledger stays frozen where its statement $gap', async ({ period, gap }) => {
  const shop = await openRestored({ isSeen: true });
  await shop.run('ledger accept --yes');
  const reconcile = [`ledger reconcile --payer-statement ${shop.statement}`, ...period];
  expectEnd(await shop.run(reconcile), 6, `the statement ${gap}`);
  expectEnd(await shop.run('ledger unfreeze'), 7, 'its payments since the backup are unknown');
});

/** The time at which the payments of `openWithThreeLost` are made; its backup is restored later. */
const backupMs = new SkippingClock().now();
const hoursLater = (hours: number) => ({
  clock: { ...manualClock, now: () => backupMs + hours * 3_600_000 },
});

const isoTime = (ms: number) => new Date(ms).toISOString();

/** The rows of statements for a shop with two payments before its backup and three after it. */
const shortStatements: readonly {
  readonly as: string;
  readonly gap: string;
  readonly write: (calls: readonly Call[]) => readonly string[];
}[] = [
  {
    as: 'names the payments before the backup alone, and no time',
    gap: 'does not say when it ends',
    write: (calls) => ['key,amount', ...calls.slice(0, 2).map(({ key, amount }) => `${key},${amount}`)],
  },
  {
    as: 'ends the day before the backup',
    gap: 'ends before the ledger was restored',
    write: (calls) => [
      'key,amount,paidAt',
      ...calls.slice(0, 2).map(({ key, amount }) => `${key},${amount},${isoTime(backupMs - 86_400_000)}`),
    ],
  },
  {
    as: 'was cut off after the first of them',
    gap: 'ends before the ledger was restored',
    write: (calls) => [
      'key,amount,지급일시',
      ...calls.slice(0, 2).map(({ key, amount }) => `${key},${amount},${isoTime(backupMs - 60_000)}`),
      ...calls.slice(2, 3).map(({ key, amount }) => `${key},${amount},${isoTime(backupMs + 1)}`),
    ],
  },
  {
    as: 'begins after the backup',
    gap: 'begins after the ledger was copied',
    write: (calls) => [
      'key,amount,paidAt',
      ...calls.slice(2).map(({ key, amount }) => `${key},${amount},${isoTime(backupMs + 3_600_000)}`),
    ],
  },
];

/**
 * A shop with two payments, a backup, and three more payments that were not reported; the backup is restored two hours
 * later.
 */
async function openWithThreeLost() {
  const shop = await openPayingShop({ reviews: 8 });
  await shop.settle(0, '--max-count 2');
  const copy = join(shop.folder, 'backup.db');
  await shop.run(`ledger backup ${copy}`);
  await shop.settle(0, '--max-count 3');
  const lost = shop.paid().slice(2);
  forget(shop, lost);
  restore(shop, copy);
  await shop.run('ledger accept --yes', hoursLater(2));
  const timesPaid = () => lost.map((id) => shop.paid().filter((one) => one === id).length);
  const run: LedgerShop['run'] = (argv) => shop.run(argv, hoursLater(3));
  return { ...shop, run, lost, timesPaid };
}

it.each(shortStatements)(
  'a statement that $as does not unfreeze a restored ledger',
  async ({ gap, write }) => {
    const shop = await openWithThreeLost();
    const path = shop.write('short.csv', `${write(callsOf(shop)).join('\n')}\n`);
    expectEnd(
      await shop.run(`ledger reconcile --payer-statement ${path}`),
      6,
      new RegExp(
        `the statement ${gap}.*\nhint: .*--payer-statement ${path}( --statement-start \\S+)? --statement-end now`,
      ),
    );
    expectEnd(await shop.run('ledger unfreeze'), 7);
    await shop.settle();
    expect(shop.timesPaid()).toEqual([1, 1, 1]);
  },
);

it('the command that a statement without payments before the backup gets compares it', async () => {
  const shop = await openWithThreeLost();
  const rows = callsOf(shop).slice(2);
  const dated = rows.map(({ key, amount }) => `${key},${amount},${isoTime(backupMs + 3_600_000)}`);
  const path = shop.write('late.csv', ['key,amount,paidAt', ...dated].join('\n'));
  const { stderr } = await shop.run(`ledger reconcile --payer-statement ${path} --statement-end now`);
  const [, named = ''] = /state its start and end: reviewctl (.*? now);/.exec(stderr) ?? [];
  expectEnd(await shop.run(named), 6, '; the statement shows 3 payments missing in the ledger');
});

it('accept, reconcile and unfreeze count what was lost, and what the statement shows of it', async () => {
  const shop = await openWithThreeLost();
  const [{ restoration, events } = {}] = recordsIn(await shop.run('ledger status'));
  expect(restoration).toMatchObject({ lostEvents: expect.any(Number) });
  const { lostEvents } = restoration as { readonly lostEvents: number };
  // Each lost payment has a claim, a payment and a report.
  expect(lostEvents).toBeGreaterThanOrEqual(6);
  expect(events).toEqual(expect.any(Number));
  const lost = `at least ${lostEvents} events were recorded after this backup`;
  const rows = callsOf(shop).map(({ key, amount }) => `${key},${amount}`);
  const cut = shop.write('cut.csv', ['key,amount', ...rows.slice(0, 2), ''].join('\n'));
  const compared = await shop.run([...whole, cut]);
  expect(compared.stderr).toContain(`${lost}; the statement shows 0 payments missing in the ledger`);
  expect(compared.stderr).toContain('make sure that the statement is complete');
  const full = shop.write('full.csv', ['key,amount', ...rows, ''].join('\n'));
  const again = await shop.run([...whole, full]);
  expect(again.stderr).toContain(`${lost}; the statement shows 3 payments missing in the ledger`);
  await shop.run(['ledger resolve', ...shop.lost, '--paid --ref books --yes']);
  expectEnd(
    await shop.run('ledger unfreeze'),
    0,
    `${lost}; the statement showed 3 payments missing in the ledger`,
  );
  expectEnd(await shop.settle(), 0);
  expect(shop.timesPaid()).toEqual([1, 1, 1]);
});

it('a date column that goes from the backup to after the restore covers that time', async () => {
  const shop = await openWithThreeLost();
  const rows = callsOf(shop).map(({ key, amount }, index) => {
    const atMs = index < 2 ? backupMs - 60_000 : backupMs + 1;
    return `${key},${amount},${isoTime(atMs)},`;
  });
  const later = `,700,${isoTime(backupMs + 2.5 * 3_600_000)},refused`;
  const path = shop.write(
    'dated.csv',
    ['key,amount,paidAt,outcome', ...rows.map((row) => `${row}paid`), later, ''].join('\n'),
  );
  const compared = await shop.run(`ledger reconcile --payer-statement ${path}`);
  expect(compared.stderr).toContain('the statement shows 3 payments missing in the ledger');
  const unreadable = shop.write(
    'unreadable.csv',
    `key,amount,paidAt\n${rows[0]?.split(',')[0]},500,24-Oct\n`,
  );
  expectEnd(await shop.run([...whole, unreadable]), 3, /unreadable\.csv:2: paidAt: '24-Oct': .*\nhint: /);
});

type Call = Readonly<Record<'key' | 'amount', string>>;

/** Every call that the payer received. */
function callsOf({ folder }: LedgerShop): readonly Call[] {
  return records(readFileSync(join(folder, 'calls.ndjson'), 'utf8')).map(({ key, amount }) => ({
    key: String(key),
    amount: String(amount),
  }));
}

it('a statement that writes payments below zero and deposits above shows what a restored ledger lacks', async () => {
  const shop = await openRestored({ isSeen: true });
  await shop.run('ledger accept --yes');
  const rows = callsOf(shop).map(({ key, amount }, index) => `P-${index},${key},-${amount}`);
  const path = shop.write('odd.csv', ['ref,key,amount', 'DEPOSIT-1,,100000', ...rows, ''].join('\n'));
  const { stdout } = await shop.run([...whole, path]);
  const named = records(stdout).filter(({ kind }) => kind === 'paid-by-payer');
  expect(named.map(({ rewardId }) => rewardId)).toEqual(expect.arrayContaining([...shop.untold]));
  expectEnd(await shop.run('ledger unfreeze --without-statement'), 7, 'the payer paid');
});

it('an id that a spreadsheet rewrote as a number is refused, since its payment would be missed', async () => {
  const shop = await openRestored({ isSeen: true });
  await shop.run('ledger accept --yes');
  const path = shop.write('rewritten.csv', 'rewardId,amount\n1.23457E+15,500\n');
  expectEnd(
    await shop.run(`ledger reconcile --payer-statement ${path}`),
    3,
    /rewritten\.csv:2: rewardId: .*1\.23457E\+15/,
  );
});

it('a reward the service does not show is not noted as paid in a ledger that never saw it', async () => {
  const shop = await openPayingShop();
  expectEnd(
    await shop.run('ledger resolve nope --paid --ref R --yes'),
    6,
    "neither the ledger nor the service has a reward 'nope'",
  );
  expect((await shop.run('ledger list -o count')).stdout).toBe('0\n');
});

it.each([{ isSeen: true }, { isSeen: false }])(
  'the restore recipe of the documentation, run word by word, pays nobody twice: %j',
  async (options) => {
    const shop = await openRestored(options);
    const folder = join(shop.ledgerPath, '..');
    copyFileSync(join(shop.folder, 'backup.db'), join(folder, 'backup.db'));
    copyFileSync(shop.statement, join(folder, 'statement.csv'));
    const recipe = restoreRecipe().replaceAll('/backup/ledger-2026-11-19.db', 'backup.db');
    expect(recipe).toMatch(/ledger unfreeze\n/);
    // The test cannot answer questions.
    expectEnd(await runShell(unasked(recipe), { cwd: folder, env: shop.env }), 0, 'no longer frozen');
    expectEnd(await shop.settle(), 0);
    expect(shop.timesPaid()).toEqual([1, 1]);
  },
);
