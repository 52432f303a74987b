import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { fencedBlocks } from '../markdown.ts';
import { makePostgres } from '../store/postgres-server.ts';
import { withPostgres } from '../store/with-postgres.ts';
import { unasked } from '../unasked.ts';
import { asProcesses, type LedgerShop, openLedgerShop, records } from './ledger-shop.ts';
import { expectEnd, programPath, runShell } from './run-cli.ts';

/** A shop whose machines m0, m1, … have marks of their own, and share a ledger on a server of its own. */
async function openShop(bin: string) {
  const server = await makePostgres(bin);
  onTestFinished(() => server.remove());
  const shop = asProcesses(await openLedgerShop({ reviews: 14 }));
  const machine = (name: string) => ({
    ...shop.env,
    REVIEWCTL_STATE: server.url('&schema=shop'),
    REVIEWCTL_STATE_DIR: join(shop.folder, name),
    REVIEWCTL_PAYER_COMMAND: join(shop.folder, 'pay.sh'),
    REVIEWCTL_PAYER_IDEMPOTENT: '24h',
  });
  const on = (name: string, ...argv: readonly string[]) => shop.runBuilt(argv, { env: machine(name) });
  const settle = (name: string, ...more: readonly string[]) => on(name, 'rewards settle', ...more);
  shop.write('exit-code', '0');
  expectEnd(await on('m0', 'ledger init'), 0);
  return { ...shop, server, machine, on, settle };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Copies the whole server at one instant; `putBack` restores the copy. */
async function copyServer({ server }: Shop) {
  // The files must keep their owner, or the server does not start.
  const copyAs = (to: string, from: string) => execFileSync('cp', ['-a', from, to]);
  const copy = `${server.data}.${randomUUID()}`;
  await server.stop();
  copyAs(copy, server.data);
  await server.start();
  return async (prepare: (data: string) => void = () => undefined) => {
    await server.stop('immediate');
    rmSync(server.data, { recursive: true });
    copyAs(server.data, copy);
    prepare(server.data);
    await server.start();
  };
}

/** Makes the service forget that these rewards were paid and reported. */
function forget({ served }: Pick<LedgerShop, 'served'>, ids: readonly string[]): void {
  served.sandbox.transact(({ state }) => {
    for (const id of ids) {
      const reward = state.rewards.get(id);
      if (reward !== undefined) state.rewards.put({ ...reward, status: 'QUEUED' });
    }
  });
}

/** Payments by m0 and m1 after the copy of the server are lost with it; m2 has not seen them. */
async function openRolledBack(bin: string, prepare?: (data: string) => void) {
  const shop = await openShop(bin);
  await shop.settle('m0', '--max-count 2');
  await shop.settle('m2', '--max-count 1');
  const putBack = await copyServer(shop);
  await shop.settle('m0', '--max-count 3');
  await shop.settle('m1', '--max-count 1');
  const lost = shop.paid().slice(3);
  expect(lost).toHaveLength(4);
  forget(shop, lost);
  await putBack(prepare);
  const timesPaid = () => lost.map((id) => shop.paid().filter((one) => one === id).length);
  return { ...shop, lost, timesPaid };
}

/** The commands in the docs that restore a ledger in a database. */
function failoverRecipe(): string {
  const page = readFileSync(join(import.meta.dirname, '../../docs/postgresql.md'), 'utf8');
  return fencedBlocks(page, 'sh').find((block) => block.includes('ledger unfreeze')) ?? '';
}

/** Runs the commands of the docs on one machine, with a statement of all payments by the payer. */
async function recover(shop: Shop, name: string) {
  const calls = records(readFileSync(join(shop.folder, 'calls.ndjson'), 'utf8'));
  const rows = calls.map(({ key, amount }) => `${String(key)},${String(amount)}\n`);
  shop.write('statement.csv', `key,amount\n${rows.join('')}`);
  const recipe = failoverRecipe();
  expect(recipe).toMatch(/^reviewctl ledger accept [\s\S]*\nreviewctl ledger unfreeze/m);
  // The test cannot answer questions.
  return runShell(unasked(recipe), { env: shop.machine(name), cwd: shop.folder });
}

/** Starts `rewards listen` on a machine and waits until it is ready. */
async function listen(shop: Shop, name: string) {
  const secret = shop.write('path-secret', 'path-secret-of-listen');
  chmodSync(secret, 0o600);
  const child = spawn(
    process.execPath,
    [
      programPath,
      ...[
        'rewards',
        'listen',
        '-c',
        'port=0',
        '-c',
        `path-secret-file=${secret}`,
        '-c',
        'allow-ip=127.0.0.1',
      ],
    ],
    { env: shop.machine(name), cwd: shop.folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const words: string[] = [];
  child.stderr.on('data', (chunk) => words.push(String(chunk)));
  const ready = once(createInterface({ input: child.stdout }), 'line').then(([line]) => String(line));
  const first = await Promise.race([ready, ended.then(([code]) => `ended with ${code}: ${words.join('')}`)]);
  return {
    first,
    call: (reward: unknown) =>
      fetch(String(JSON.parse(first).url).replace('[redacted]', 'path-secret-of-listen'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(reward),
      }),
  };
}

function promiseRestores(bin: string): void {
  test('what one machine knows of a database that was put back stops every machine', async () => {
    const shop = await openRolledBack(bin);
    expectEnd(await shop.settle('m0'), 12, 'it is frozen for every machine');
    for (const name of ['m2', 'm3']) {
      expectEnd(
        await shop.settle(name),
        12,
        /was put back to an earlier state: .*\nhint: .*ledger accept -c '?state=/,
      );
      expectEnd(await shop.on(name, 'ledger unfreeze'), 12);
    }
    expect((await listen(shop, 'm2')).first).toMatch(/^ended with 12: .*was put back to an earlier state/);
    expect(shop.timesPaid()).toEqual([1, 1, 1, 1]);
  });

  test('after the recipe of the page on one machine, all machines and listen pay on', async () => {
    const shop = await openRolledBack(bin);
    expectEnd(await shop.settle('m0'), 12);
    expectEnd(await recover(shop, 'm0'), 0, 'no longer frozen');
    const [waiting] = records((await shop.on('m1', 'rewards list --status QUEUED -o ndjson')).stdout).filter(
      ({ id }) => !shop.paid().includes(String(id)),
    );
    const receiver = await listen(shop, 'm1');
    expect((await receiver.call(waiting)).status).toBe(200);
    expect(shop.paid()).toContain(waiting?.['id']);
    for (const name of ['m1', 'm2', 'm0']) expectEnd(await shop.settle(name), 0);
    expect(shop.paid().toSorted()).toEqual((await shop.memberRewards()).toSorted());
    expect(shop.timesPaid()).toEqual([1, 1, 1, 1]);
  });

  test('a machine that adopted a restored ledger notices the next rollback', async () => {
    const shop = await openRolledBack(bin);
    await shop.settle('m0');
    await recover(shop, 'm0');
    const putBack = await copyServer(shop);
    await shop.settle('m1', '--max-count 1');
    const [lost = ''] = shop.paid().slice(-1);
    forget(shop, [lost]);
    await putBack();
    expectEnd(await shop.settle('m1'), 12);
    expectEnd(await shop.settle('m0'), 12);
    expect(shop.paid().filter((id) => id === lost)).toHaveLength(1);
  });

  test('a failover to a replica that lags is a restore, and the same recipe ends it', async () => {
    const shop = await openRolledBack(bin, (data) => writeFileSync(join(data, 'standby.signal'), ''));
    await shop.server.ask('SELECT pg_promote()');
    expectEnd(await shop.settle('m0'), 12);
    // To a machine that has not seen the lost payments, this is a failover without a loss.
    expectEnd(await shop.on('m2', 'ledger accept --complete --yes'), 12);
    expectEnd(await recover(shop, 'm0'), 0);
    for (const name of ['m1', 'm2', 'm0']) expectEnd(await shop.settle(name), 0);
    expect(shop.paid().toSorted()).toEqual((await shop.memberRewards()).toSorted());
  });
}

/** Settles on a machine with a payer that waits for permission, and kills the machine meanwhile. */
async function loseMachineWhilePaying(shop: Shop, name: string) {
  const slow = shop.write(
    'slow.sh',
    [
      '#!/bin/sh',
      `cd '${shop.folder}'`,
      'read -r call',
      'echo "$$" > begun',
      'read -r go < gate',
      'echo "$call" >> calls.ndjson',
      '',
    ].join('\n'),
  );
  chmodSync(slow, 0o700);
  execFileSync('bash', ['-c', 'mkfifo gate'], { cwd: shop.folder });
  const child = spawn(
    process.execPath,
    [programPath, 'rewards', 'settle', '--max-count', '1', '-c', 'payer-timeout=1s', '-c', 'claim-lease=1s'],
    { env: { ...shop.machine(name), REVIEWCTL_PAYER_COMMAND: slow }, cwd: shop.folder, stdio: 'ignore' },
  );
  const ended = once(child, 'close');
  const begun = join(shop.folder, 'begun');
  await expect.poll(() => existsSync(begun) && readFileSync(begun, 'utf8')).toMatch(/^\d+\n$/);
  child.kill('SIGKILL');
  await ended;
  /** Lets the payer pay, and waits for its end. */
  return async () => {
    writeFileSync(join(shop.folder, 'gate'), 'go\n');
    const pid = Number(readFileSync(begun, 'utf8'));
    await expect.poll(() => existsSync(`/proc/${pid}/exe`)).toBe(false);
  };
}

function promiseMissingSchemas(bin: string): void {
  test('a schema that is gone is missed by machines that knew it, and by new ones', async () => {
    const shop = await openShop(bin);
    await shop.settle('m0', '--max-count 3');
    forget(shop, shop.paid());
    await shop.server.ask('DROP SCHEMA shop CASCADE');
    for (const name of ['m0', 'new'])
      for (const argv of [
        ['rewards', 'settle'],
        ['ledger', 'init'],
        ['ledger', 'status'],
      ]) {
        const refused = await shop.on(name, ...argv);
        expect({ name, argv, ...refused }).toMatchObject({ name, argv, exitCode: 12 });
        expect(refused.stderr).toMatch(/had a ledger|but there was one|had one there/);
        expect(refused.stderr).toMatch(/\nhint: .*restore/);
        expect(refused.stderr).not.toMatch(/create one|use that one/);
      }
    expect(shop.paid()).toHaveLength(3);
    const replaced = [
      'ledger init --replace-lost --already-paid',
      shop.write('paid.txt', shop.paid().join('\n')),
    ];
    expectEnd(await shop.on('new', ...replaced, '--yes'), 0);
    expectEnd(await shop.settle('new'), 0);
    expect(shop.paid().toSorted()).toEqual((await shop.memberRewards()).toSorted());
  });

  test('a new machine that names another shop gets no second ledger of the account', async () => {
    const shop = await openShop(bin);
    await shop.settle('m0', '--max-count 3');
    const state = shop.server.url('&schema=typo');
    for (const argv of ['ledger init', 'rewards settle']) {
      expectEnd(
        await shop.on('new', `${argv} -c state=${state}`),
        12,
        /this account has one in the schema shop .*\nhint: .*schema=shop/,
      );
    }
  });
}

function promiseLeases(bin: string): void {
  test('a person cannot resolve as not paid what the payer of a lost machine may pay', async () => {
    const shop = await openShop(bin);
    const pay = await loseMachineWhilePaying(shop, 'm0');
    const [{ rewardId } = {}] = records((await shop.on('m1', 'ledger list --payment unknown')).stdout);
    const resolve = (finding: string) =>
      shop.on('m1', 'ledger resolve', String(rewardId), finding, '--reason asked --yes');
    for (const finding of ['--not-paid', '--refused']) {
      const kept = expectEnd(await resolve(finding), 6);
      expect(records(kept.stdout)).toMatchObject([
        {
          resolution: 'kept',
          next: expect.stringMatching(/may still pay it until \d{4}-\S+Z: run the same command/),
        },
      ]);
    }
    await pay();
    // The time in which it may pay is over, or ends soon.
    await expect.poll(async () => (await resolve('--not-paid')).exitCode, { timeout: 30_000 }).toBe(0);
  });
}

await withPostgres('restores of a ledger that machines share', (_, bin) => {
  promiseRestores(bin);
  promiseMissingSchemas(bin);
  promiseLeases(bin);
});
