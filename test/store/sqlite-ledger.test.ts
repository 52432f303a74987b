import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { loadSqlite, openDatabase } from '../../src/base/sqlite.ts';
import { paymentKey } from '../../src/settle/rules/payment-key.ts';
import { claim } from '../../src/settle/rules/transitions.ts';
import { backupLedger } from '../../src/store/ledger/backup-ledger.ts';
import type { Ledger, Step } from '../../src/store/ledger/ledger.ts';
import { fileHome, openLedgerFile, openSqliteLedger } from '../../src/store/ledger/ledger-file.ts';
import { untouched } from '../../src/store/ledger/ledger-invariants.ts';
import { eventValues } from '../../src/store/ledger/ledger-rows.ts';
import { insertSql, ledgerFormat } from '../../src/store/ledger/ledger-tables.ts';
import { openLedgerIn } from '../../src/store/ledger/open-ledger.ts';
import { bundled } from '../output/bundled.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { claimOptions, identity } from '../settle/entries.ts';
import { all } from './all-pages.ts';
import { by, claimIn, seeIn, uncapped } from './ledger-steps.ts';
import { describeLedger, wrongIn } from './ledger-suite.ts';
import { makeLedger, openUntilEnd, stillClock } from './open-ledger-place.ts';

describeLedger('the ledger in a SQLite file', async () => {
  const { path } = await makeLedger();
  return () => openUntilEnd(path);
});

/** A separate process that settles rewards under a cap, one after the other, and fails as the program would. */
const settler = bundled(`
  import { systemClock } from './src/base/clock.ts';
  import { openSqliteLedger } from './src/store/ledger/ledger-file.ts';
  import { answered, recordReport } from './src/settle/rules/transitions.ts';
  import { claimIn, seeIn } from './test/store/ledger-steps.ts';
  import { nowMs, plainPayer } from './test/settle/entries.ts';
  process.on('uncaughtException', (error) => {
    console.error(error.kind + ': ' + error.message);
    process.exit(error.exitCode ?? 1);
  });
  const { LEDGER, REWARDS } = process.env;
  const ledger = await openSqliteLedger(LEDGER, { clock: { ...systemClock, now: () => nowMs } });
  const caps = [{ scope: 'day', amount: 25n * 5_000_000n, count: null }];
  for (let reward = 1; reward <= Number(REWARDS); reward += 1) {
    const id = 'R' + reward;
    await seeIn(ledger, id);
    const claimed = await claimIn(ledger, id, { caps });
    if (claimed.kind === 'kept') continue;
    await ledger.change(id, answered(claimed.entry.attempt, { kind: 'paid', ref: 'T' }, plainPayer), { by: 'run' });
    await ledger.change(id, recordReport({ kind: 'confirmed', status: 'SUCCESS' }), { by: 'run' });
    console.log(id);
  }
`);

/** Settles that many rewards with the ledger at `path`; `prelude` is shell code that runs first. */
async function settle(path: string, rewards: number, { env = {}, prelude = '' } = {}) {
  const node = [process.execPath, '--input-type=module', '-e', settler];
  const child = spawn('sh', ['-c', `${prelude} exec "$@"`, 'sh', ...node], {
    env: { ...process.env, LEDGER: path, REWARDS: String(rewards), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exitCode, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { settled: stdout.split('\n').slice(0, -1), stderr, exitCode, signal };
}

const confirmedIn = async (ledger: Ledger) =>
  (await all(ledger.entries({ report: ['confirmed'] }))).map(({ rewardId }) => rewardId);

/** Writes to a ledger bypassing the program, like a meddler. */
async function meddle(path: string, sql: string): Promise<void> {
  const other = await openDatabase(path, { durability: 'power' });
  other.exec(sql);
  other.close();
}

test('four processes on the same rewards pay each once, hit the cap exactly, and leave no gap in the history', async () => {
  const { path } = await makeLedger();
  const runs = await Promise.all(Array.from({ length: 4 }, () => settle(path, 40)));
  expect(runs.map(({ stderr }) => stderr).join('')).toBe('');
  const paid = runs.flatMap(({ settled }) => settled);
  expect(paid).toHaveLength(25);
  expect(new Set(paid).size).toBe(25);
  const ledger = await openUntilEnd(path);
  expect(await ledger.budgets('day')).toMatchObject([{ reservedAmount: 0n, spentAmount: 25n * 5_000_000n }]);
  const seqs = (await all(ledger.events())).map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect(await wrongIn(ledger)).toEqual([]);
});

/** More commits than the settler makes for two rewards. */
const stepsMost = 40;

test('killed before or after any commit, a ledger opens and nothing in it is wrong or forgotten', async () => {
  const hook = join(import.meta.dirname, '../bench/sqlite-hook.cjs');
  const standIn = join(import.meta.dirname, '../campaign/killing-sqlite.cjs');
  let killAt = 1;
  for (; killAt < stepsMost; killAt += 1) {
    const { path } = await makeLedger();
    const env = { NODE_OPTIONS: `--require=${hook}`, SQLITE_STAND_IN: standIn, KILL_AT: String(killAt) };
    const { signal, settled, stderr } = await settle(path, 2, { env });
    const ledger = await openSqliteLedger(path, { clock: stillClock });
    expect(await wrongIn(ledger), `killed at ${killAt}`).toEqual([]);
    expect(await confirmedIn(ledger), `killed at ${killAt}`).toEqual(expect.arrayContaining(settled));
    await ledger.close();
    if (signal !== 'SIGKILL') {
      expect(stderr).toBe('');
      break;
    }
  }
  // Two rewards take four commits each; the kill hits before and after each.
  expect(killAt).toBeGreaterThan(16);
  expect(killAt).toBeLessThan(stepsMost);
}, 120_000);

test('a new ledger is for its owner alone, and so are the files beside it', async () => {
  const { path } = await makeLedger();
  const ledger = await openUntilEnd(path);
  await seeIn(ledger, 'R1');
  for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('every commit waits for the disk, before others can see it', async () => {
  const { path } = await makeLedger();
  const sql = await openLedgerFile(path, stillClock);
  const settings = await sql.write(async ({ query }) => [
    ...(await query('PRAGMA synchronous')),
    ...(await query('PRAGMA journal_mode')),
  ]);
  expect(settings).toEqual([{ synchronous: 2n }, { journal_mode: 'wal' }]);
  await sql.close();
});

test('a ledger that others keep busy is tried again with growing pauses of chance, then given up; nothing was written', async () => {
  const { path } = await makeLedger();
  const pauses: number[] = [];
  const clock = {
    ...stillClock,
    sleep: async (ms: number) => {
      pauses.push(ms);
    },
  };
  const ledger = await openSqliteLedger(path, { clock });
  const other = await openDatabase(path, { durability: 'power' });
  other.exec('BEGIN IMMEDIATE');
  await expect(seeIn(ledger, 'R1')).rejects.toMatchObject({
    kind: 'locked',
    exitCode: 9,
    message: expect.stringContaining(path),
  });
  expect(pauses[0]).toBeLessThanOrEqual(1);
  expect(Math.max(...pauses)).toBeGreaterThan(20);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(50);
  other.exec('ROLLBACK');
  expect(await ledger.find('R1')).toBeUndefined();
  expect(await seeIn(ledger, 'R1')).toMatchObject({ seq: 1 });
  other.close();
  await ledger.close();
});

test('a write that the disk refuses is not tried again: every later one fails with the same words', async () => {
  const { path } = await makeLedger();
  const sql = await openLedgerFile(path, stillClock);
  const [{ page_count: pages } = { page_count: 0n }] = await sql.read<{ readonly page_count: bigint }>(
    'PRAGMA page_count',
  );
  await sql.write(({ exec }) => exec(`PRAGMA max_page_count = ${pages + 2n}`));
  const ledger = await openLedgerIn(sql, fileHome(path), stillClock);
  await ledger.addAccount('a');
  const full = {
    kind: 'unwritable-path',
    exitCode: 2,
    message: `the ledger ${path} cannot be used: database or disk is full`,
    hint: expect.stringContaining('free space'),
  };
  const large = ledger.addAccount('x'.repeat(100_000));
  const small = ledger.addAccount('b');
  await expect(large).rejects.toMatchObject(full);
  await expect(small).rejects.toMatchObject(full);
  await expect(ledger.addAccount('c')).rejects.toMatchObject(full);
  await ledger.close();
  const again = await openUntilEnd(path);
  expect((await again.meta()).accounts).toEqual(['a']);
});

test('where the file may not grow any further nothing more is paid, and what was written stands', async () => {
  const { path } = await makeLedger();
  // A size in blocks of 512 bytes. The signal would end the process before SQLite could report the error.
  const { exitCode, settled, stderr } = await settle(path, 1_000, {
    prelude: "trap '' XFSZ; ulimit -f 600;",
  });
  expect(settled.length).toBeGreaterThan(0);
  expect(stderr).toMatch(/^unwritable-path: the ledger .* cannot be used: /);
  expect(exitCode).toBe(2);
  const ledger = await openUntilEnd(path);
  expect(await wrongIn(ledger)).toEqual([]);
  expect(await confirmedIn(ledger)).toEqual(expect.arrayContaining(settled));
});

test('a row that changed on the disk is noticed before money moves by it', async () => {
  const { path } = await makeLedger();
  const ledger = await openUntilEnd(path);
  await seeIn(ledger, 'R1');
  await meddle(path, 'UPDATE reward SET seen_amount = seen_amount + 1');
  await expect(claimIn(ledger, 'R1')).rejects.toMatchObject({
    kind: 'ledger',
    message: 'the ledger is damaged: its reward R1 was changed after it was written',
  });
});

test('a budget keeps its cap, and a claim that another budget refuses leaves it alone', async () => {
  const { path } = await makeLedger();
  const ledger = await openUntilEnd(path);
  for (const rewardId of ['R1', 'R2']) await seeIn(ledger, rewardId);
  const caps = [
    { scope: 'day', amount: 10_000_000n, count: null },
    { scope: 'run', amount: null, count: 1 },
  ];
  await claimIn(ledger, 'R1', { caps });
  const heedless: Step<unknown> = (facts) => claim(claimOptions({ caps }))({ ...facts, budget: untouched });
  const claimed = ledger.change('R2', heedless, { by, scopes: ['day', 'run'] });
  await expect(claimed).rejects.toThrow('it breaks the cap of run');
  const other = await openDatabase(path, { durability: 'power' });
  expect(other.prepare('SELECT * FROM budget ORDER BY scope').all()).toMatchObject([
    { cap_amount: 10_000_000, cap_count: null, reserved_count: 1 },
    { cap_amount: null, cap_count: 1, reserved_count: 1 },
  ]);
  other.close();
});

test('a problem is told before the rest is read, and a check that is given up lets go of its instant', async () => {
  const { path } = await makeLedger();
  const ledger = await openUntilEnd(path);
  await seeIn(ledger, 'R1');
  await seeIn(ledger, 'R2');
  const other = await openDatabase(path, { durability: 'power' });
  other.exec('DROP TRIGGER event_no_DELETE; DELETE FROM event WHERE seq = 1');
  const checked: number[] = [];
  for await (const wrong of ledger.verify((events) => checked.push(events))) {
    expect(wrong).toBe('the events: there are 1, numbered 2 to 2');
    break;
  }
  expect(checked).toEqual([]);
  await ledger.freeze('to write');
  // A reader of an older snapshot would keep the log from being written back.
  expect(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0, log: 0 });
  other.close();
});

test('a wait for the disk that fails is a failure of the ledger', async () => {
  const lost = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' });
  expect(fileHome('/ledger.db').failureOf(lost)).toMatchObject({
    kind: 'unwritable-path',
    message: 'the ledger /ledger.db cannot be used: EIO: i/o error, fdatasync',
    cause: lost,
  });
});

/** Changes by a meddler to a ledger with one claimed reward, and the problems reported. */
const meddlings = [
  ['DROP TRIGGER reward_no_DELETE; DELETE FROM reward', 'reward R1: it is missing, but has events'],
  [
    'DROP TRIGGER event_no_DELETE; DELETE FROM event WHERE seq = 1',
    'the events: there are 1, numbered 2 to 2',
  ],
  ['DROP TRIGGER event_no_DELETE; DELETE FROM event', 'reward R1: it has no event'],
  [
    "DROP TRIGGER event_no_UPDATE; UPDATE event SET kind = 'paid' WHERE seq = 2",
    'event 2: it was changed after it was written',
  ],
  ['UPDATE budget SET reserved_amount = 0', 'budget day: it differs from the sum of the events'],
  ['DELETE FROM budget', 'budget day: it differs from the sum of the events'],
  ['UPDATE budget SET cap_amount = 7000000', 'budget day: it was changed after it was written'],
  [
    'PRAGMA ignore_check_constraints = 1; UPDATE budget SET cap_amount = 1',
    'the file: CHECK constraint failed in budget',
  ],
  [
    "INSERT INTO reward SELECT 'R2', payment, report, seen_at_ms, seen_run, seen_status, seen_amount, seen_member, seen_document, key_generation, key, amount, member, document, payer, attempt, first_call_at_ms, last_call_at_ms, is_in_doubt, owner, lease_until_ms, scopes, ref, reason, seal FROM reward",
    'reward R2: it has no event',
  ],
] as const;

test.each(meddlings)('is found by verify: %s', async (sql, words) => {
  const { path } = await makeLedger();
  const ledger = await openUntilEnd(path);
  await seeIn(ledger, 'R1');
  await claimIn(ledger, 'R1', { caps: uncapped('day') });
  expect(await wrongIn(ledger)).toEqual([]);
  await meddle(path, sql);
  expect(await wrongIn(ledger)).toContain(words);
});

/** Changes by a meddler to the plan of a claimed reward, so that it could be executed again. */
const planMeddlings = [
  ['UPDATE plan SET ended_at_ms = NULL', 'plan plan-1: it was changed after it was written'],
  [
    'DROP TRIGGER plan_no_DELETE; DELETE FROM plan',
    'plan plan-1: it is missing, but payments were made by it',
  ],
] as const;

test.each(planMeddlings)('a plan that was carried out is not forgotten: %s', async (sql, words) => {
  const { path } = await makeLedger();
  const ledger = await openUntilEnd(path);
  await ledger.plans.begin({ plan: 'plan-1', sha256: 'a', run: 'run', beganAtMs: 1 });
  await seeIn(ledger, 'R1');
  const key = paymentKey(identity, 'R1', 0);
  const payment = { rewardId: 'R1', amount: 5_000_000n, memberOriginId: 'M1', order: {}, key, attempt: 0 };
  await claimIn(ledger, 'R1', { plan: { id: 'plan-1', payment } });
  await ledger.plans.end('plan-1', 2);
  expect(await wrongIn(ledger)).toEqual([]);
  await meddle(path, sql);
  expect(await wrongIn(ledger)).toEqual([words]);
});

test('a plan that changed on the disk is not taken for one that may go on', async () => {
  const { path } = await makeLedger();
  const ledger = await openUntilEnd(path);
  await ledger.plans.begin({ plan: 'plan-1', sha256: 'a', run: 'run', beganAtMs: 1 });
  await ledger.plans.end('plan-1', 2);
  await meddle(path, 'UPDATE plan SET ended_at_ms = NULL');
  await expect(ledger.plans.find('plan-1')).rejects.toMatchObject({
    kind: 'ledger',
    message: 'the ledger is damaged: its plan plan-1 was changed after it was written',
  });
});

test('an invalid event is found by verify, though it is as it was written', async () => {
  const { path } = await makeLedger();
  const ledger = await openUntilEnd(path);
  await seeIn(ledger, 'R1');
  const { entry } = await claimIn(ledger, 'R1');
  if (entry === undefined) throw new Error('not claimed');
  const other = await openDatabase(path, { durability: 'power' });
  const forged = eventValues(
    entry,
    { kind: 'paid', detail: {} },
    { seq: 3, atMs: 0, by: 'x', posted: undefined },
  );
  other.prepare(insertSql('event').replaceAll('$', '?')).run(...forged);
  expect(await wrongIn(ledger)).toEqual(["event 3 of reward R1: 'paid' leads from paying to paying"]);
  other.close();
});

test.each([
  [6, 'move the file away, and begin a new one'],
  [99, 'or a later one'],
])('a ledger of format %i is refused with the way on, and left as it was', async (format, way) => {
  const { path } = await makeLedger();
  await meddle(path, `PRAGMA user_version = ${format}`);
  await expect(openSqliteLedger(path, { clock: stillClock })).rejects.toMatchObject({
    kind: 'ledger',
    message: `the ledger ${path} has format ${format}; this version reads only format ${ledgerFormat}`,
    hint: expect.stringContaining(way),
  });
});

test('a backup of an interrupted import is still one, whatever it is frozen for', async () => {
  const { path, folder } = await makeLedger({ unfinishedImport: { list: 'list', reason: 'an import' } });
  const backup = join(folder, 'backup.db');
  await backupLedger(path, backup, { clock: stillClock });
  const ledger = await openUntilEnd(backup);
  await ledger.freeze('a person looks');
  expect((await ledger.meta()).unfinishedImport).toBe('list');
});

test('a database of something else is refused before anything of it changes', async () => {
  const path = join(temporaryFolder(), 'other.db');
  const { DatabaseSync } = await loadSqlite();
  const other = new DatabaseSync(path);
  other.exec('CREATE TABLE t (v)');
  await expect(openSqliteLedger(path, { clock: stillClock })).rejects.toMatchObject({
    kind: 'ledger',
    message: `${path} is not a ledger`,
  });
  expect(other.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
  other.close();
});
