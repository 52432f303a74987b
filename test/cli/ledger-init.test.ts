import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { diskKind } from '../../src/base/disk-kind.ts';
import { unfinishedImport } from '../../src/settle/manual/import-paid.ts';
import { changeMeta, createLedger } from '../store/open-ledger-place.ts';
import { manualClock, openLedgerShop, records, relay, runBeforeReply } from './ledger-shop.ts';
import { expectEnd, expectNothing } from './run-cli.ts';
import { runOnTerminal } from './run-on-terminal.ts';

it('a new ledger is of the profile, and says how much waits and what comes next', async () => {
  const { run, statuses } = await openLedgerShop();
  const { stdout, stderr } = expectEnd(await run('ledger init'), 0);
  expect(records(stdout)).toMatchObject([
    { shop: 'default', queued: { count: statuses().size }, imported: { count: 0 } },
  ]);
  expect(stderr).toMatch(
    /^created the ledger of the shop 'default'; QUEUED now: 12 rewards \([\d,]+\)\nnext, .*--payer-command .* --dry-run.*\n$/,
  );
});

it('a reward that the service lists twice is counted once', async () => {
  const listTwice = (text: string) => {
    const { data, ...rest } = JSON.parse(text) as { readonly data: readonly unknown[] };
    return JSON.stringify({ ...rest, data: [...data, ...data.slice(0, 1)] });
  };
  const { run } = await openLedgerShop({}, (address) => relay(address, listTwice));
  expectEnd(await run('ledger init'), 0, '; QUEUED now: 12 rewards (');
});

it('a person reads of a new ledger in words', async () => {
  const { run, ledgerPath } = await openLedgerShop();
  const { stdout } = await run('ledger init -o table');
  expect(stdout).toMatch(
    new RegExp(
      `^ledger    ${ledgerPath}\nshop      default at http://.*\nqueued    12 rewards \\([\\d,]+\\)\n$`,
    ),
  );
});

it('there is one ledger: a second init changes nothing and is exit 12', async () => {
  const { run } = await openLedgerShop();
  await run('ledger init');
  expectNothing(
    await run('ledger init'),
    12,
    /^error: a ledger already exists at .*ledger\.db; nothing was changed\nhint: .*ledger status/,
  );
});

it('a ledger that another process makes while the service is read stays as it is', async () => {
  const next: Parameters<typeof runBeforeReply>[0] = {};
  const { run, write, memberRewards } = await openLedgerShop({}, (address) =>
    relay(address, runBeforeReply(next)),
  );
  const paid = write('paid.txt', (await memberRewards()).join('\n'));
  next.work = async () => expectEnd(await run(`ledger init --already-paid ${paid}`), 0);
  expectNothing(await run('ledger init'), 12, /^error: a ledger already exists at .*; nothing was changed\n/);
});

it('on a disk that may be gone after a restart, a ledger is made and paid from where a person says so', async () => {
  const { folder, run, ledgerPath, settle, env } = await openLedgerShop();
  const isRefused = diskKind(folder) !== undefined;
  const strict = { env: { ...env, REVIEWCTL_LEDGER_ANYWHERE: '' } };
  const { stderr } = expectEnd(await run('ledger init', strict), isRefused ? 12 : 0);
  expect(existsSync(ledgerPath)).toEqual(!isRefused);
  expect(stderr.includes('to accept it there, add -c ledger-anywhere=true')).toBe(isRefused);
  if (isRefused) await run('ledger init -c ledger-anywhere=true', strict);
  expectEnd(await settle(), 0);
});

it('a wrong credential makes no ledger', async () => {
  const { run, ledgerPath, write } = await openLedgerShop();
  const token = write('token', 'another');
  chmodSync(token, 0o600);
  expectEnd(await run(`ledger init -c token-file=${token}`), 4);
  expect(existsSync(ledgerPath)).toBe(false);
});

it('rewards that were paid before are told to the service and never paid again', async () => {
  const { run, settle, paid, statuses, memberRewards } = await openLedgerShop();
  const [first = '', second = '', ...others] = await memberRewards();
  const stdin = `\ufeff${first}\r\n{"id":"${second}"}\n\n${first}\n`;
  const { stdout } = expectEnd(await run('ledger init --already-paid -', { stdin }), 0);
  expect(records(stdout)).toMatchObject([{ imported: { count: 2 } }]);
  await settle();
  expect(paid().toSorted()).toEqual(others.toSorted());
  expect([first, second].map((id) => statuses().get(id))).toEqual(['SUCCESS', 'SUCCESS']);
});

it('an id the service does not show makes no ledger, and is named', async () => {
  const { run, ledgerPath, memberRewards, write } = await openLedgerShop();
  const [first = ''] = await memberRewards();
  const file = write('paid.txt', `${first}\nnope\n`);
  expectEnd(
    await run(`ledger init --already-paid ${file}`),
    3,
    /^error: .*paid\.txt: the service shows no reward nope; no ledger was created\nhint: /,
  );
  expect(existsSync(ledgerPath)).toBe(false);
});

it.each([
  'rewardId,outcome\n1,PAID\n2,\n',
  '{"rewardId":"1","outcome":"paid"}\n{"rewardId":"2","outcome":"refused"}',
  'rewardId,payment\n1,paid\n2,unknown\n',
])('a list with a reward that was not paid makes no ledger: %j', async (stdin) => {
  const { run, ledgerPath } = await openLedgerShop();
  const said =
    /^error: -:[23]: the outcome (?:is blank|'(?:refused|unknown)' is not 'paid'); no ledger was created\nhint: /;
  expectEnd(await run('ledger init --already-paid -', { stdin }), 3, said);
  expect(existsSync(ledgerPath)).toBe(false);
});

it('a ledger that was begun pays nothing, cannot be frozen over or unfrozen, and goes on with the same list alone', async () => {
  const { run, settle, paid, folder, ledgerPath, memberRewards, served, write } = await openLedgerShop();
  const [first = '', second = ''] = await memberRewards();
  const origin = `${new URL(served.baseUrl).origin}/`;
  await run(['ledger init -c', `ledger=${join(folder, 'elsewhere.db')}`]);
  mkdirSync(dirname(ledgerPath), { recursive: true });
  const marksPath = join(folder, 'state', 'high-water-marks.db');
  await createLedger(ledgerPath, {
    ...{ origin, shop: 'default', marksPath, clock: manualClock, isReplacement: true },
    unfinishedImport: unfinishedImport([first, second]),
  });
  expectEnd(await settle(), 7);
  expectEnd(
    await run('ledger unfreeze'),
    12,
    /finish it with reviewctl ledger init and the same --already-paid/,
  );
  expectEnd(await run("ledger freeze --reason 'an audit'"), 12);
  for (const list of ['', first])
    expectEnd(
      await run('ledger init --already-paid -', { stdin: list }),
      12,
      /was started with another list of paid rewards/,
    );
  expect(paid()).toEqual([]);

  const file = write('paid.txt', `${second}\n${first}\n`);
  expectEnd(await run(`ledger init --already-paid ${file}`), 0);
  await settle();
  expect(paid()).not.toContain(first);
  expect(paid()).not.toContain(second);
});

it('a reward that the webhook brought into a ledger that was begun is imported all the same', async () => {
  const { run, settle, paid, memberRewards, ledgerPath } = await openLedgerShop();
  const [first = ''] = await memberRewards();
  await run('ledger init');
  await settle(75);
  const before = paid().length;
  const { list, reason } = unfinishedImport([first]);
  await changeMeta(ledgerPath, { frozen: reason, unfinishedImport: list });
  expectEnd(await run('ledger init --already-paid -', { stdin: first }), 0);
  await settle();
  expect(paid().slice(before)).not.toContain(first);
});

it('a ledger is not made in a state that was moved while a person was asked', async () => {
  const { run, ledgerPath, env, folder } = await openLedgerShop();
  await run('ledger init');
  for (const rest of ['', '-wal', '-shm']) rmSync(ledgerPath + rest, { force: true });
  const moved = {
    ...{ move: 'm', to: 'postgres://localhost/x', shop: 'default', atMs: 0 },
    ...{ hasLedger: false, isFinished: true },
  };
  const { exitCode, shown } = await runOnTerminal(['ledger', 'init', '--replace-lost'], {
    env,
    cwd: folder,
    onShown: (text, type) => {
      const path = join(dirname(ledgerPath), 'moved.json');
      if (!text.includes('[y/N]') || existsSync(path)) return;
      writeFileSync(path, JSON.stringify(moved));
      type('y\r');
    },
  });
  expect(shown).toContain('postgres://localhost/x');
  expect({ exitCode, isMade: existsSync(ledgerPath) }).toEqual({ exitCode: 2, isMade: false });
});

it('a ledger in a database is not used before a killed move to it is finished', async () => {
  const { run, ledgerPath } = await openLedgerShop();
  await run('ledger init');
  const moved = { move: 'm', to: 'postgres://localhost:1/x', shop: 'default', atMs: 0, hasLedger: true };
  writeFileSync(join(dirname(ledgerPath), 'moved.json'), JSON.stringify({ ...moved, isFinished: false }));
  expectEnd(await run(`ledger accept --complete -c state=${moved.to}`), 2, /finish it: reviewctl state move/);
});

it('a lost ledger is replaced only by a person who says so', async () => {
  const { run, ledgerPath } = await openLedgerShop();
  await run('ledger init');
  for (const rest of ['', '-wal', '-shm']) {
    if (existsSync(ledgerPath + rest)) renameSync(ledgerPath + rest, `${ledgerPath}.lost${rest}`);
  }
  expectEnd(await run('ledger init'), 12, /this account had a ledger .*--replace-lost/s);
  const unasked = await run('ledger init --replace-lost');
  expect({ exitCode: unasked.exitCode, isMade: existsSync(ledgerPath) }).toEqual({
    exitCode: 2,
    isMade: false,
  });
  expect(unasked.stderr).toMatch(
    /^warning: rewards that are still QUEUED.*lost ledger will be paid again\nhint: .*--already-paid/,
  );
  expectEnd(await run('ledger init --replace-lost --yes'), 0);
});
