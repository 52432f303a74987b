import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { loadSqlite } from '../../src/base/sqlite.ts';
import {
  type LedgerShop,
  openLedgerShop,
  openPayingShop,
  records,
  relay,
  runBeforeReply,
} from './ledger-shop.ts';
import { recordsIn } from './open-place.ts';
import { expectEnd, programPath } from './run-cli.ts';

const { DatabaseSync } = await loadSqlite();

/** A shop in which the payer's answers to `lost` payments were lost; three in a row end a run. */
async function openLost({ reviews = 12 } = {}) {
  const shop = await openPayingShop({ reviews });
  expectEnd(await shop.settle(3, '-c concurrency=1'), 11);
  return { ...shop, lost: shop.paid() };
}

const statusOf = async ({ run }: LedgerShop) => recordsIn(await run('ledger status'))[0] ?? {};

it('the status gives sums, the oldest unknown, what is reserved today, and needs no service', async () => {
  const shop = await openLost();
  await shop.served.close();
  const { stdout } = expectEnd(await shop.run('ledger status -c max-amount-per-day=5000'), 0);
  const [status = {}] = records(stdout);
  expect(status).toMatchObject({
    ledger: shop.ledgerPath,
    shop: 'default',
    frozen: null,
    oldestUnknown: { rewardId: shop.lost[0] },
    unpaidNotQueued: { count: 0 },
    today: { reserved: { count: 3 }, spent: { count: 0 }, cap: 5000 },
  });
  const table = await shop.run('ledger status -o table');
  expect(table.stdout).toMatch(/^ledger {4}.*ledger\.db, .* events\nshop {6}default at http/);
  expect(table.stdout).toMatch(/\nunknown {3}3 rewards \([\d,.]+\), the oldest \d+, unknown for .*\n/);
  expect(table.stdout).toMatch(/\nintended {2}\d+ rewards? \([\d,.]+\): not paid yet, or held by policy\n/);
  expect(table.stdout).toMatch(/\nnext {6}reviewctl ledger list --payment unknown\n$/);
});

it('the list shows what to ask the payer of an unknown payment', async () => {
  const shop = await openLost();
  const { stdout, stderr } = await shop.run('ledger list --payment unknown');
  const entries = records(stdout);
  expect(entries.map(({ rewardId }) => rewardId)).toEqual(shop.lost.toSorted());
  expect(entries[0]).toMatchObject({
    payment: 'unknown',
    report: 'pending',
    attempt: 1,
    keyGeneration: 0,
    isInDoubt: true,
    owner: null,
    key: expect.stringMatching(/^rv1-[a-z2-7]{40}$/),
    payer: expect.stringMatching(/^exec .*pay\.sh$/),
    reason: 'the payer ended with exit code 3',
  });
  expect(stderr).toMatch(/^3 of 3 rewards\nask the payer of each key .*ledger resolve ID --paid --ref R/);
  const table = await shop.run('ledger list --payment unknown -o table');
  expect(table.stdout).toContain(String(entries[0]?.['key']));
  expect((await shop.run('ledger list --limit 1 -o count')).stdout).toBe('1\n');
});

it('one reward is shown with its whole history', async () => {
  const shop = await openLost();
  const [first = ''] = shop.lost;
  const [shown] = recordsIn(await shop.run(`ledger show ${first}`));
  const events = shown?.['events'] as readonly { readonly kind: string }[];
  expect(events.map(({ kind }) => kind)).toEqual(['seen', 'claimed', 'unknown']);
  expectEnd(
    await shop.run('ledger show nope'),
    6,
    /^error: the ledger does not contain the reward 'nope'\nhint: .*ledger list -o ids/,
  );
});

it('a payment that a person found is told to the service and never made again', async () => {
  const shop = await openLost();
  const [first = ''] = shop.lost;
  expectEnd(await shop.run(`ledger resolve ${first} --paid --ref R9`), 2);
  const { stdout } = expectEnd(await shop.run(`ledger resolve ${first} --paid --ref R9 --yes`), 0);
  expect(records(stdout)).toMatchObject([
    { rewardId: first, resolution: 'resolved', payment: 'paid', next: expect.stringContaining('SUCCESS') },
  ]);
  await shop.settle(0);
  expect(shop.statuses().get(first)).toBe('SUCCESS');
  expect(shop.paid().filter((id) => id === first)).toHaveLength(1);
});

it('what a person found not to be paid is paid again: under a new key, or the same where the payer honours keys', async () => {
  const shop = await openLost();
  const [first = '', second = ''] = shop.lost;
  const keyOf = async (id: string) => recordsIn(await shop.run(`ledger show ${id}`))[0]?.['key'];
  const before = [await keyOf(first), await keyOf(second)];
  const resolve = (id: string, ...more: readonly string[]) =>
    shop.run([`ledger resolve ${id} --not-paid --reason 'not in the books' --yes`, ...more]);
  const warned = await resolve(first);
  expect(warned.stderr).toMatch(
    /^warning: the last call for reward \d+ was 20\d\d-\d\d-\d\d \d\d:\d\d \+09:00: the payer's records may lag\nhint: wait/,
  );
  await resolve(second, '-c payer-idempotent=24h -c payer-lookup-delay=0s');
  await shop.settle(0);
  const after = [await keyOf(first), await keyOf(second)];
  expect(after[0]).not.toBe(before[0]);
  expect(after[1]).toBe(before[1]);
  expect([first, second].map((id) => shop.statuses().get(id))).toEqual(['SUCCESS', 'SUCCESS']);
});

it('many are resolved at once from standard input, and what cannot be is told with its reason', async () => {
  const shop = await openLost();
  const [first = '', second = ''] = shop.lost;
  await shop.run(`ledger resolve ${first} --paid --ref R1 --yes`);
  const stdin = (await shop.run('ledger list -o ndjson')).stdout;
  const refused = "ledger resolve - --refused --reason 'no such member' --yes";
  const { stdout } = expectEnd(await shop.run(refused, { stdin }), 6);
  const told = new Map(records(stdout).map((record) => [record['rewardId'], record]));
  expect(told.get(first)).toMatchObject({ resolution: 'kept', next: 'it is paid already' });
  expect(told.get(second)).toMatchObject({ resolution: 'resolved', payment: 'refused' });
});

/** Settles in a new process with a payer that waits until the test lets it continue. */
async function settleSlowly(shop: LedgerShop) {
  const lines =
    'cd "$(dirname "$0")"\necho $$ > pid\nread line < go\necho \'{"outcome":"paid","ref":"R7"}\'\n';
  const slow = shop.write('slow.sh', `#!/bin/sh\n${lines}`);
  chmodSync(slow, 0o700);
  execFileSync('sh', ['-c', 'mkfifo go'], { cwd: shop.folder });
  const words = `rewards settle -c concurrency=1 --payer-command ${slow}`.split(' ');
  const settling = spawn(process.execPath, [programPath, ...words], { env: shop.env, stdio: 'ignore' });
  const pid = await vi.waitUntil(
    () => readFileSync(join(shop.folder, 'pid'), { encoding: 'utf8', flag: 'a+' }).trim(),
    { timeout: 20_000 },
  );
  return {
    slow,
    pid,
    running: `still running (process ${pid}, for `,
    kill: async () => {
      settling.kill('SIGKILL');
      await once(settling, 'exit');
    },
    let: async () => {
      writeFileSync(join(shop.folder, 'go'), 'go\n');
      await vi.waitUntil(() => !existsSync(`/proc/${pid}`), { timeout: 20_000 });
    },
  };
}

it('no finding is taken while process or payer are at work; what the payer left behind outranks it', async () => {
  const shop = await openPayingShop({ reviews: 4 });
  const payer = await settleSlowly(shop);
  const resolve = async () => {
    const { stdout } = await shop.run('ledger list --payment paying -o ids');
    const [id = ''] = stdout.split('\n');
    const { exitCode, stdout: told } = await shop.run(
      `ledger resolve ${id} --not-paid --reason 'not in the books' --yes`,
    );
    return { exitCode, told: records(told)[0] };
  };
  const atWork = {
    exitCode: 6,
    told: {
      resolution: 'kept',
      payment: 'paying',
      next: expect.stringMatching(/another process is paying it|still running \(process \d+/),
    },
  };
  expect(await resolve()).toMatchObject(atWork);
  await payer.kill();
  expect(await resolve()).toMatchObject(atWork);
  const [listed] = recordsIn(await shop.run('ledger list --payment unknown'));
  expect(listed).toMatchObject({
    payment: 'paying',
    isOwnerAlive: false,
    payerPid: Number(payer.pid),
    payerSeconds: expect.any(Number),
  });
  const inDoubt = { about: 'payments', status: 'person', message: '1 payment may or may not be made' };
  expect(recordsIn(await shop.run('status'))).toContainEqual(expect.objectContaining(inDoubt));
  const shown = await shop.run(`ledger show ${listed.rewardId}`);
  for (const words of [payer.running, `kill -KILL -- -${payer.pid}`]) expect(shown.stderr).toContain(words);
  const again = await shop.run(`rewards settle --payer-command ${payer.slow} -c max-amount-per-day=1`);
  expect(again.stderr).toContain(payer.running);
  await payer.let();
  expect(await resolve()).toMatchObject({ exitCode: 6, told: { resolution: 'kept', payment: 'paid' } });
});

it.each([
  ['another program', ({ payer }: LedgerShop) => payer],
  ['a service', () => '--payer-url http://127.0.0.1:9/pay'],
])(
  'a program that was called before %s took its place is still named, and its word found',
  async (_what, flags) => {
    const shop = await openPayingShop({ reviews: 4 });
    const payer = await settleSlowly(shop);
    shop.write('exit-code', '0');
    // The payer may start before the id of its process is recorded.
    const isRecorded = () =>
      readdirSync(shop.folder, { recursive: true, encoding: 'utf8' }).some((name) => /\/1\.pid$/.test(name));
    await vi.waitUntil(isRecorded, { timeout: 20_000 });
    await payer.kill();
    const without = `rewards settle --max-count 1 -c max-amount-per-day=1 ${flags(shop)}`;
    expect((await shop.run(without)).stderr).toContain(payer.running);
    await payer.let();
    await shop.run(without);
    expect(recordsIn(await shop.run('ledger list --payment paid'))).toMatchObject([{ ref: 'R7' }]);
  },
);

it('a finding is refused without what it rests on, or of a reward the ledger does not know', async () => {
  const shop = await openLost();
  const [first = ''] = shop.lost;
  for (const [words, code] of [
    ['', 2],
    ['--paid', 2],
    ['--paid --refused --ref R', 2],
    ['--not-paid', 2],
    ['nope --not-paid --reason R', 6],
  ] as const) {
    expectEnd(await shop.run(`ledger resolve ${first} ${words} --yes`), code);
  }
  expect(recordsIn(await shop.run('ledger list --payment unknown'))).toHaveLength(3);
});

it('ledger, service and payer that agree have no differences; every other has its kind and its next command', async () => {
  const shop = await openLost();
  const [first = '', second = '', third = ''] = shop.lost;
  const reconcile = async (...more: readonly string[]) => {
    const { exitCode, stdout } = await shop.run(['ledger reconcile', ...more]);
    const found = records(stdout).map(({ kind, rewardId }) => `${String(kind)} ${String(rewardId)}`);
    return { exitCode, found: found.toSorted() };
  };
  expect(await reconcile()).toEqual({
    exitCode: 11,
    found: [first, second, third].map((id) => `unknown ${id}`).toSorted(),
  });
  await shop.run(`ledger resolve ${first} ${second} ${third} --paid --ref R --yes`);
  await shop.settle(0);
  expect(await reconcile()).toEqual({ exitCode: 0, found: [] });

  const paid = recordsIn(await shop.run('ledger list --payment paid'));
  const row = (index: number, amount?: string) =>
    `${String(paid[index]?.['key'])},${amount ?? String(paid[index]?.['amount'])}`;
  const rows = paid.map((_, index) => row(index));
  const statement = (lines: readonly string[]) =>
    shop.write('statement.csv', ['key,amount', ...lines, ''].join('\n'));
  expect(await reconcile('--payer-statement', statement(rows))).toEqual({ exitCode: 0, found: [] });
  const wrong = [row(0), row(0), row(1, '1'), ...rows.slice(3), 'rv1-other,5'];
  const [twice, other, absent] = paid.map(({ rewardId }) => String(rewardId));
  expect(await reconcile('--payer-statement', statement(wrong))).toEqual({
    exitCode: 6,
    found: [
      `amount-differs ${other}`,
      'not-in-ledger null',
      `not-in-statement ${absent}`,
      `paid-twice ${twice}`,
    ].toSorted(),
  });
  const korean = shop.write('korean.csv', ['날짜,금액,결제키', ...paid.map(koreanRow), ''].join('\n'));
  expect(await reconcile('--payer-statement', korean)).toEqual({ exitCode: 0, found: [] });
  const dayFirst = paid.map((one) => koreanRow(one).replace('2026-11-20', '20.11.2026'));
  const dotted = [
    '--payer-statement',
    shop.write('dotted.csv', ['paidAt,금액,결제키', ...dayFirst, ''].join('\n')),
  ];
  expectEnd(await shop.run(['ledger reconcile', ...dotted]), 3, '-c date-order=dmy');
  expect(await reconcile(...dotted, '-c', 'date-order=dmy')).toEqual({ exitCode: 0, found: [] });
  const none = ['--payer-statement', statement(rows.slice(1)), '--statement-end', '2020-01-01'];
  expect(await reconcile(...none)).toEqual({ exitCode: 0, found: [] });
});

function koreanRow({ key, amount }: Readonly<Record<string, unknown>>): string {
  return `2026-11-20,${String(amount)},${String(key)}`;
}

it.each([
  ['날짜,입금,메모', [], 'column missing: amount, key or rewardId or ref'],
  ['날짜,입금,메모', ['--map amount=입금'], 'column missing: key or rewardId or ref'],
  ['날짜,key,amount', ['--map ref=메모'], 'column missing: 메모'],
  ['금액,적립금,key', [], 'the column of amount may be 금액 or 적립금'],
])(
  'a statement with the columns %s and %j is refused with what it has and what it needs',
  async (header, map, reason) => {
    const shop = await openPayingShop();
    const file = shop.write('statement.csv', `${header}\n1,2,3\n`);
    expectEnd(
      await shop.run([`ledger reconcile --payer-statement ${file}`, ...map]),
      3,
      `statement.csv:1: ${reason}\n`,
      reason.includes('may be')
        ? "hint: choose: --map 'amount=금액' or --map 'amount=적립금'\n"
        : `hint: needed: amount and one of key, rewardId, ref; its columns: ${header.replaceAll(',', ', ')}; to name one: --map `,
    );
  },
);

it('a reward that differs in several ways is one id of -o ids', async () => {
  const shop = await openLost();
  const [first = ''] = shop.lost;
  await shop.run(`rewards update ${first} --status SUCCESS --yes`);
  const statement = shop.write('statement.csv', `rewardId,amount\n${first},1\n${first},1\nother,5\n`);
  const reconcile = `ledger reconcile --payer-statement ${statement}`;
  const kinds = recordsIn(await shop.run(reconcile)).filter(({ rewardId }) => rewardId === first);
  expect(kinds.length).toBeGreaterThan(1);
  const { stdout, stderr } = await shop.run(`${reconcile} -o ids`);
  expect(stdout.trim().split('\n').toSorted()).toEqual(shop.lost.toSorted());
  expect(stderr).toMatch(/^6 differences\n/);
});

it('the next command of a difference is about the profile that was named', async () => {
  const shop = await openLedgerShop();
  await shop.run(`login --profile mall --base-url ${shop.served.baseUrl}`, {
    stdin: shop.served.token,
  });
  await shop.run('ledger init --profile mall');
  const createdAt = new Date(Date.now() + 60_000).toISOString();
  shop.served.sandbox.transact(({ state }) => {
    const [reward] = [...state.rewards.values()];
    if (reward) state.rewards.put({ ...reward, id: '7000', status: 'SUCCESS', createdAt });
  });
  const { stdout } = await shop.run('ledger reconcile --profile mall');
  expect(records(stdout)).toMatchObject([{ next: 'reviewctl rewards get --profile mall 7000' }]);
});

it('columns of a statement are taken by the names that --map gives, and by no others', async () => {
  const shop = await openPayingShop();
  const file = shop.write('statement.csv', '입금,메모\n5,rv1-other\n');
  const reconcile = (...map: readonly string[]) =>
    shop.run([`ledger reconcile --payer-statement ${file}`, ...map.flatMap((text) => ['--map', text])]);
  const { stdout } = await reconcile('amount=입금', 'key=메모');
  expect(records(stdout)).toMatchObject([{ kind: 'not-in-ledger', otherAmount: 5, line: 2 }]);
  expectEnd(
    await reconcile('amout=입금'),
    2,
    'write NAME=COLUMN with one of: key, rewardId, ref, amount, outcome',
  );
});

it('a frozen ledger pays nothing until it is unfrozen', async () => {
  const shop = await openPayingShop();
  expectEnd(await shop.run('ledger freeze'), 2);
  expectEnd(await shop.run("ledger freeze --reason 'an audit'"), 0);
  expect(await statusOf(shop)).toMatchObject({ frozen: 'an audit' });
  expectEnd(await shop.settle(), 7);
  expect(shop.paid()).toEqual([]);
  const [paid, ...others] = await shop.memberRewards();
  const resolved = await shop.run(`ledger resolve ${paid} --paid --ref R1 --yes`);
  expectEnd(resolved, 0, 'reviewctl ledger unfreeze; then reviewctl rewards settle');
  expect((await shop.run('ledger unfreeze')).stderr).toMatch(/^no longer frozen; it was: an audit\n/);
  await shop.settle();
  expect(shop.paid()).toEqual(expect.arrayContaining(others));
});

it('what was paid before, and forgotten when the ledger was made, is noted as paid before any run sees it', async () => {
  const shop = await openPayingShop();
  const ids = (await shop.run('rewards list --status QUEUED -o ids')).stdout.trim().split('\n');
  const [first = ''] = ids;
  expectEnd(
    await shop.run(`ledger resolve ${first} --paid --ref 'by hand' --yes`),
    0,
    `the ledger does not contain 1 reward yet: ${first}`,
  );
  await shop.settle();
  expect(shop.paid()).not.toContain(first);
  expect((await shop.run(`rewards get ${first}`)).stdout).toContain('"status":"SUCCESS"');
});

it('a reward that a run sees while it is looked up for its finding is noted as paid all the same', async () => {
  const next: Parameters<typeof runBeforeReply>[0] = {};
  const shop = await openPayingShop({}, (address) => relay(address, runBeforeReply(next)));
  const [first = ''] = await shop.memberRewards();
  next.work = async () => expectEnd(await shop.settle(0, '-c max-per-reward=1'), 0);
  const found = expectEnd(await shop.run(`ledger resolve ${first} --paid --ref R9 --yes`), 0);
  expect(records(found.stdout)).toMatchObject([{ rewardId: first, resolution: 'resolved', payment: 'paid' }]);
  const [{ events } = {}] = recordsIn(await shop.run(`ledger show ${first}`));
  expect((events as readonly { readonly kind: string }[]).map(({ kind }) => kind)).toEqual(['seen', 'paid']);
});

it('a sound ledger is said to be so; a changed one is exit 12 with every problem', async () => {
  const shop = await openLost();
  expect((await shop.run('ledger verify')).stderr).toMatch(/ is intact: \d+ events\n$/);
  const database = new DatabaseSync(shop.ledgerPath);
  database.exec("UPDATE reward SET payment = 'paid' WHERE payment = 'unknown'");
  database.close();
  const { stdout, stderr } = expectEnd(await shop.run('ledger verify'), 12);
  expect(records(stdout)).toHaveLength(3);
  expect(stderr).toMatch(/has 3 problems; pay nothing from it\nhint: reviewctl ledger freeze/);
});

it.each([
  'status',
  'list',
  'show 1',
  'resolve 1 --paid --ref R',
  'reconcile',
  'verify',
  'freeze --reason x',
  'accept',
  'accept --complete',
  'unfreeze',
  'backup x',
])('ledger %s says how to make one where there is none', async (words) => {
  const { run, ledgerPath } = await openLedgerShop({ reviews: 1 });
  expectEnd(await run(`ledger ${words}`), 12, /^error: there is no ledger at .*\nhint: .*ledger init/);
  expect(existsSync(ledgerPath)).toBe(false);
});
