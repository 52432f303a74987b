import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { type LedgerShop, openLedgerShop, openPayingShop } from './ledger-shop.ts';
import { expectEnd } from './run-cli.ts';

/** Deletes the ledger. The service and the payer keep their records. */
function lose(path: string): void {
  for (const rest of ['', '-wal', '-shm']) rmSync(path + rest, { force: true });
}

const queued = ({ statuses }: LedgerShop) =>
  [...statuses().values()].filter((one) => one === 'QUEUED').length;

/** Makes the service accept this credential instead, and queues its rewards again. */
async function renew({ served }: LedgerShop, token: string): Promise<void> {
  const rewards = served.sandbox.transact(({ state }) => [...state.rewards.values()]);
  await served.close();
  const port = Number(new URL(served.baseUrl).port);
  const renewed = await serveSandbox({ port, token, products: 5, orders: 17, reviews: 12 });
  onTestFinished(() => renewed.close());
  renewed.sandbox.transact(({ state }) => {
    for (const reward of rewards) state.rewards.put({ ...reward, status: 'QUEUED' });
  });
}

it('a lost ledger is missed by an init under another name of the shop', async () => {
  const shop = await openLedgerShop();
  await shop.run('ledger init -c shop=mall');
  await shop.settle();
  const paid = shop.paid();
  lose(shop.ledgerPath);
  expectEnd(await shop.run('ledger init'), 12, shop.ledgerPath, /\nhint: .*--replace-lost/s);
  expectEnd(await shop.settle(), 12);
  expect(shop.paid()).toEqual(paid);
});

it('a lost ledger is missed by every profile with the same credential', async () => {
  const shop = await openLedgerShop();
  for (const profile of ['p1', 'p2']) {
    const login = `login --profile ${profile} --base-url ${shop.served.baseUrl}`;
    await shop.run(login, { stdin: shop.served.token });
  }
  await shop.run('ledger init --profile p1');
  await shop.settle(0, '--profile p1');
  const paid = shop.paid();
  const path = shop.ledgerPath.replace('/default/', '/p1/');
  expect(existsSync(path)).toBe(true);
  lose(path);
  expectEnd(await shop.run('ledger init --profile p2'), 12, path);
  expect((await shop.settle(0, '--profile p2')).stderr).toContain(path);
  expect(shop.paid()).toEqual(paid);
});

it('the same service under another name has the same ledger, which learns that name by a move', async () => {
  const shop = await openPayingShop();
  await shop.settle(0, '--max-count 2');
  const spelled = ['-c', `base-url=${shop.served.baseUrl.replace('127.0.0.1', 'localhost')}`];
  const missed = expectEnd(await shop.settle(0, ...spelled), 12, `-c ledger=${shop.ledgerPath}`);
  expect(missed.stderr).not.toContain('ledger init');
  expectEnd(await shop.run(['ledger init', ...spelled]), 12);
  const named = [...spelled, `-c ledger=${shop.ledgerPath}`];
  expectEnd(await shop.settle(0, ...named), 12, /\nhint: .*reviewctl ledger accept --complete/);
  expectEnd(await shop.run(['ledger accept --complete', ...named]), 2);
  expectEnd(
    await shop.run(['ledger accept --complete', ...named, '--yes']),
    0,
    /the ledger contains 12 of 12 rewards/,
  );
  expectEnd(await shop.settle(0, ...named), 0);
  expectEnd(await shop.settle(), 0);
  expect(new Set(shop.paid()).size).toBe(shop.paid().length);
  expect(shop.paid().toSorted()).toEqual((await shop.memberRewards()).toSorted());
});

it('a ledger learns no name of a service whose rewards it does not know', async () => {
  const shop = await openPayingShop();
  await shop.settle();
  const other = await serveSandbox({
    port: 0,
    token: 'a-token',
    products: 9,
    orders: 40,
    reviews: 30,
    seed: 9,
  });
  onTestFinished(() => other.close());
  other.sandbox.transact(({ state }) => {
    for (const reward of [...state.rewards.values()]) {
      state.rewards.put({ ...reward, createdAt: reward.createdAt + 86_400_000 });
    }
  });
  const move = [
    `ledger accept --complete -c base-url=${other.baseUrl} -c ledger=${shop.ledgerPath}`,
    '--yes',
  ];
  expectEnd(await shop.run(move), 12, /the ledger contains none of the \d+ rewards/);
});

it('a new credential at a renamed service finds the ledger that knows its rewards', async () => {
  const shop = await openPayingShop();
  await shop.settle();
  const renewed = {
    REVIEWCTL_BASE_URL: shop.served.baseUrl.replace('127.0.0.1', 'localhost'),
    REVIEWCTL_TOKEN: 'another-token',
  };
  await renew(shop, 'another-token');
  const env = { ...shop.env, ...renewed };
  const { stderr } = expectEnd(
    await shop.run('ledger init', { env }),
    12,
    shop.ledgerPath,
    /contains 12 of .* from http:\/\/127\.0\.0\.1/,
  );
  const [, hinted = ''] = /\nhint: .*reviewctl (ledger accept --complete -c ledger=.*)\n/.exec(stderr) ?? [];
  const move = hinted.split(' ');
  expect((await shop.run(move, { env })).stderr).toContain(
    'and is its credential a new one of the same shop?',
  );
  expectEnd(await shop.run([...move, '--yes'], { env }), 0);
  const settle = `rewards settle ${shop.payer} -c ledger=${shop.ledgerPath}`;
  expectEnd(await shop.run(settle, { env }), 0);
  expect(new Set(shop.paid()).size).toBe(shop.paid().length);
});

it('with the state folder lost too, init says what it cannot know, unless a list names a reward', async () => {
  const shop = await openPayingShop();
  await shop.settle(0, '--max-count 2');
  renameSync(join(shop.folder, 'state'), join(shop.folder, 'lost'));
  const warned = new RegExp(
    `warning: the service shows rewards that are already SUCCESS.* ${queued(shop)} .*\\nhint: .*ledger resolve IDS --paid --ref R`,
  );
  expectEnd(await shop.run('ledger init'), 0, warned);
  renameSync(join(shop.folder, 'state'), join(shop.folder, 'lost2'));
  expectEnd(await shop.run('ledger init --already-paid -', { stdin: '' }), 0, warned);
  renameSync(join(shop.folder, 'state'), join(shop.folder, 'lost3'));
  const [first = ''] = shop.paid();
  const named = await shop.run('ledger init --already-paid -', { stdin: first });
  expect(named.stderr).not.toContain('warning');
});

it('a service that told SUCCESS of nothing gives a new ledger no warning', async () => {
  const shop = await openLedgerShop();
  expect((await shop.run('ledger init')).stderr).not.toContain('warning');
});

it('a new credential under another profile finds the ledger that knows the rewards of its shop', async () => {
  const { shop, run } = await openRenewedShop();
  const refused = expectEnd(
    await run('ledger init --profile second'),
    12,
    `the ledger at ${shop.ledgerPath} contains 12 of the first 12 rewards`,
  );
  const [, hinted = '', named = ''] =
    /hint: .*: reviewctl (login .*); then use that ledger with (.*)$/m.exec(refused.stderr) ?? [];
  expectEnd(await run(hinted), 0);
  expectEnd(await run(`rewards settle --profile second ${shop.payer} ${named}`), 0);
  expect(new Set(shop.paid()).size).toBe(shop.paid().length);
});

it('a lost ledger of another account of the same service is named to a profile that makes its first one', async () => {
  const { shop, run } = await openRenewedShop();
  lose(shop.ledgerPath);
  expectEnd(
    await run('ledger init --profile second'),
    0,
    `the ledger of another account of this service is missing: ${shop.ledgerPath}`,
  );
});

/** A shop with one recorded payment, whose service now accepts another credential, kept in the profile `second`. */
async function openRenewedShop() {
  const shop = await openPayingShop();
  await shop.settle(0, '--max-count 1');
  await renew(shop, 'b-token');
  const env = { ...shop.env, REVIEWCTL_TOKEN: 'b-token' };
  const run: LedgerShop['run'] = (argv) => shop.run(argv, { env, stdin: 'b-token' });
  await run(`login --profile second --base-url ${shop.served.baseUrl}`);
  return { shop, run };
}

it('a new credential of the shop that has another ledger in use leads on to one ledger for both', async () => {
  const { shop, run } = await openRenewedShop();
  const second = join(shop.folder, 'second.db');
  const inUse = [`-c ledger=${second} --profile second`];
  // As if the disk of the first one were not mounted.
  renameSync(shop.ledgerPath, `${shop.ledgerPath}.away`);
  expectEnd(await run(['ledger init', ...inUse]), 0);
  renameSync(`${shop.ledgerPath}.away`, shop.ledgerPath);
  const settling = `rewards settle ${shop.payer}`;
  const first = `-c ledger=${shop.ledgerPath}`;
  expectEnd(await run(`login --same-shop ${first}`), 0);
  expectEnd(await run([settling, ...inUse]), 12);
  const refused = expectEnd(await run([settling, first]), 12);
  const [, hinted = ''] = /takes its place: reviewctl (ledger accept .*)$/m.exec(refused.stderr) ?? [];
  expectEnd(await run([...hinted.split(' '), '--yes']), 0);
  expectEnd(await run([settling, first]), 7);
  expectEnd(await run([settling, ...inUse]), 12);
  expect(shop.paid()).toHaveLength(1);
});
