import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import type { PostgresServer } from '../store/postgres-server.ts';
import { withPostgres } from '../store/with-postgres.ts';
import { asProcesses, type LedgerShop, openLedgerShop, records } from './ledger-shop.ts';
import { recordsIn } from './open-place.ts';
import { expectEnd, programPath } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const items = ['orderOriginId,originId,productOriginId', 'O-1,I-1,P-1', 'O-1,I-2,P-1', 'O-2,I-3,P-1', ''];
let made = 0;

/** A shop whose state has its own schema, and the machines that use it. */
async function openShop(server: PostgresServer) {
  made += 1;
  // Shops in one database have different credentials.
  const shop = asProcesses(await openLedgerShop({ reviews: 12, token: `token-${made}` }));
  const database = ['-c', `state=${server.url(`&schema=state_${made}`)}`];
  const file = shop.write('items.csv', items.join('\n'));
  const on = (name: string, ...argv: readonly string[]) =>
    shop.runBuilt(argv, { env: { ...shop.env, REVIEWCTL_STATE_DIR: join(shop.folder, name) } });
  const outcomes = ({ stdout }: { readonly stdout: string }) => records(stdout).map(({ outcome }) => outcome);
  const sent = () => shop.served.sandbox.transact(({ state }) => state.orderItems.size);
  shop.write('exit-code', '0');
  return { ...shop, database, file, on, outcomes, sent, push: ['orders', 'push', file] };
}

function promiseSharedState(server: PostgresServer): void {
  test('what one machine sent, another one does not send again, and shows', async () => {
    const { on, push, database, outcomes } = await openShop(server);
    const dry = await on('one', ...push, ...database, '--dry-run');
    expect(outcomes(dry)).toEqual(['queued', 'queued', 'queued']);
    expect(outcomes(await on('one', ...push, ...database))).toEqual(['queued', 'queued', 'queued']);
    expect(outcomes(await on('two', ...push, ...database))).toEqual(['skipped', 'skipped', 'skipped']);
    expect((await on('two', 'jobs list -o count', ...database)).stdout).toBe('3\n');
    const listed = recordsIn(await on('two', 'runs list', ...database));
    expect(listed.map(({ state, outcomes: tally }) => [state, tally])).toEqual([
      ['ended', { skipped: 3 }],
      ['ended', { queued: 3 }],
    ]);
    expect(readdirSync(join(dirname(push[2] ?? ''), 'one'), { recursive: true })).not.toContainEqual(
      expect.stringMatching(/pushes\.db|account$/),
    );
  });

  test('after login --same-shop, every machine goes on with the new credential', async () => {
    const shop = await openShop(server);
    const { on, push, database, outcomes, served, runBuilt, env, folder } = shop;
    await on('one', ...push, ...database);
    await on('one', 'ledger init', ...database);
    await served.close();
    const token = `${served.token}-renewed`;
    const { port } = new URL(served.baseUrl);
    const renewed = await serveSandbox({ port: Number(port), token, products: 5, orders: 17, reviews: 12 });
    onTestFinished(() => renewed.close());
    const run = (name: string, ...argv: readonly string[]) =>
      runBuilt([...argv, ...database], {
        env: { ...env, REVIEWCTL_TOKEN: token, REVIEWCTL_STATE_DIR: join(folder, name) },
      });
    const settle = settling(shop);
    expectEnd(await run('two', ...push), 2);
    expectEnd(await run('two', settle), 12);
    expectEnd(await run('two', 'login --same-shop'), 0);
    expect(outcomes(await run('one', ...push))).toEqual(['skipped', 'skipped', 'skipped']);
    expectEnd(await run('two', settle), 0);
  });

  test('what another machine replaced is not undone here, and said to be there', async () => {
    const { on, database, write } = await openShop(server);
    for (const name of ['Cup', 'Mug']) {
      const file = write('products.csv', `originId,name,isReviewDisabled\nP1,${name},N\n`);
      expectEnd(await on('one', 'products push', file, ...database), 0);
    }
    expectEnd(await on('two', 'runs undo last', ...database), 2, 'or it was pushed on another machine');
  });

  test('a list since the last run goes on on another machine', async () => {
    const { on, database } = await openShop(server);
    const list = (name: string) => on(name, 'reviews list --since-last nightly -o count', ...database);
    expect((await list('one')).stdout).toBe('12\n');
    expect((await list('two')).stdout).toBe('0\n');
  });

  test('a shard is sent from a disk that may be lost, since its state is not there', async () => {
    const { on, push, database, outcomes } = await openShop(server);
    const pushed = await on('one', ...push, '--shard 1/2', ...database);
    expect(pushed.stderr).not.toContain('sends its records twice');
    const first = outcomes(pushed);
    const second = outcomes(await on('two', ...push, '--shard 2/2', ...database));
    expect([...first, ...second]).toEqual(['queued', 'queued', 'queued']);
    expectEnd(await on('three', 'runs show last', ...database), 0, 'each has exactly one outcome');
  });

  test('a database that does not exist is named with the command that makes it', async () => {
    const { on } = await openShop(server);
    expectEnd(await on('one', 'runs list -c', `state=${server.url('', 'nowhere')}`), 2, 'createdb');
  });
}

const settling = ({ payer }: LedgerShop) => `rewards settle ${payer} -c payer-idempotent=24h`;

/** A shop after a push, a list and a settlement by machine `one`. */
async function openUsedShop(server: PostgresServer) {
  const shop = await openShop(server);
  const { on, push, folder } = shop;
  await on('one', ...push);
  await on('one', 'reviews list --since-last nightly');
  await on('one', 'ledger init');
  await on('one', `${settling(shop)} --max-count 3`);
  const move = ['state', 'move', ...shop.database];
  const profile = join(folder, 'one', 'default');
  const own = join(profile, readdirSync(profile)[0] ?? '');
  return { ...shop, move, moved: () => existsSync(join(own, 'moved.json')) };
}

type UsedShop = Awaited<ReturnType<typeof openUsedShop>>;

/** The environment of a move that is killed or stopped before one of its steps. */
const steppedEnvironment = ({ folder, env }: UsedShop, step: number) => ({
  ...env,
  REVIEWCTL_STATE_DIR: join(folder, 'one'),
  NODE_OPTIONS: `--require ${join(import.meta.dirname, 'kill-at-step.cjs')}`,
  KILL_STEP: String(step),
  STEPS_FILE: join(folder, 'steps'),
});

/** Moves the state of a shop, and kills the move before one of its steps. */
const moveStepwise = (shop: UsedShop, step: number) =>
  shop.runBuilt(shop.move, { env: steppedEnvironment(shop, step) });

async function countSteps(server: PostgresServer): Promise<number> {
  const shop = await openUsedShop(server);
  expectEnd(await moveStepwise(shop, 0), 0);
  return Number(readFileSync(join(shop.folder, 'steps'), 'utf8'));
}

function promiseMoves(server: PostgresServer): void {
  test('the state of a folder is refused beside a database until it is moved, and then goes on there', async () => {
    const shop = await openUsedShop(server);
    const { on, push, move, database, outcomes } = shop;
    expectEnd(
      await on('one', ...push, ...database),
      2,
      /with that state, they would be sent and listed again\nhint: .*state move -c 'state=/,
    );
    expectEnd(
      await on('one', ...move),
      0,
      /^moved 1 run .*, 1 position of lists and the ledger to postgres:/,
    );
    expect(outcomes(await on('two', ...push, ...database))).toEqual(['skipped', 'skipped', 'skipped']);
    const listed = await on('one', 'reviews list --since-last nightly -o count', ...database);
    expect(listed.stdout).toBe('0\n');
    for (const frozen of [
      push,
      ['runs', 'list'],
      ['ledger', 'status'],
      ['reviews', 'list', '--since-last', 'x'],
    ])
      expectEnd(
        await on('one', ...frozen),
        2,
        /the state in \S+ was moved to postgres:\S+ on .*\nhint: use it there: /,
      );
    expectEnd(await on('one', 'ledger verify', ...database), 0);
    await on('two', settling(shop), ...database);
    expect(shop.paid().toSorted()).toEqual((await shop.memberRewards()).toSorted());
    expectEnd(await on('one', ...move), 0);
  });
}

/** Moves the state of a shop, and stops the move before one of its steps until `go` continues it. */
async function stopMove(shop: UsedShop, step: number) {
  const steps = join(shop.folder, 'steps');
  const child = spawn(process.execPath, [programPath, ...shop.move], {
    cwd: shop.folder,
    env: { ...steppedEnvironment(shop, step), KILL_SIGNAL: 'SIGSTOP' },
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(() => existsSync(steps) && readFileSync(steps, 'utf8')).toBe(String(step - 1));
  return {
    go: () => {
      child.kill('SIGCONT');
      return ended;
    },
  };
}

function promiseReservations(server: PostgresServer): void {
  test('while a state is being moved, no machine uses it or its ledger at either place', async () => {
    const half = Math.round((await countSteps(server)) / 2);
    const shop = await openUsedShop(server);
    const { on, push, move, database } = shop;
    const settle = settling(shop);
    const secret = shop.write('path-secret', 'path-secret-of-listen');
    chmodSync(secret, 0o600);
    const receiver = `-c path-secret-file=${secret} -c allow-ip=127.0.0.1 -c port=0 -c payer-idempotent=24h`;
    const uses = [
      ['ledger init'],
      [settle],
      ['rewards listen', receiver, shop.payer],
      ['ledger accept --yes'],
      push,
    ];
    const { go } = await stopMove(shop, half);
    for (const argv of uses) {
      // A push waits for the lock of its kind; the mover holds it.
      expectEnd(await on('one', ...argv), 9, argv === push ? /under way/ : 'is being moved to a database');
      for (const name of ['one', 'two'])
        expectEnd(await on(name, ...argv, ...database), 9, /a state is being moved to postgres:/);
    }
    expectEnd(await on('two', 'runs list', ...database), 9, /a state is being moved to postgres:/);
    await go();
    // The server aborts a stopped session with its transaction, so nothing of the move remains.
    expectEnd(await on('one', ...move), 0);
    expectEnd(await on('two', settle, ...database), 0);
    expect(shop.paid().toSorted()).toEqual((await shop.memberRewards()).toSorted());
  });
}

function promiseInterruptedMoves(server: PostgresServer): void {
  test('a ledger that another machine made first is not replaced, and nobody is told to lose one', async () => {
    const shop = await openUsedShop(server);
    const { on, move, database } = shop;
    expectEnd(await on('two', 'ledger init', ...database), 0);
    expectEnd(
      await on('one', ...move),
      12,
      /two ledgers cannot be merged; nothing was moved\nhint: see which of them has paid what/,
    );
    expectEnd(await on('two', 'ledger status', ...database), 0);
    expectEnd(await on('one', 'ledger status'), 0);
  });

  test('killed at any step, one of the two is the state; nothing is sent, listed or paid twice', async () => {
    const steps = await countSteps(server);
    const shop = await openUsedShop(server);
    const { on, push, database, outcomes, folder, env, move, moved } = shop;
    const look = (name: string, place: readonly string[]) =>
      runInProcess(['runs list', ...place], {
        env: { ...env, REVIEWCTL_STATE_DIR: join(folder, name) },
        cwd: folder,
        clock: systemClock,
      });
    let kills = 0;
    const attempt = async (step: number) => {
      const { exitCode } = await moveStepwise(shop, step);
      if (exitCode === null) kills += 1;
      const [own, other] = [await look('one', []), await look('two', database)];
      expect(own.exitCode, own.stderr).toBe(moved() ? 2 : 0);
      // The mover's locks remain until the server notices that it is gone.
      expect([0, 9], other.stderr).toContain(other.exitCode);
    };
    for (const part of [1, 2, 3, 4]) await attempt(Math.round((steps * part) / 6));
    // A continued attempt takes fewer steps than the first; the last steps are around the commit.
    for (let step = Math.round(steps * 0.75); !moved(); step += 5) await attempt(step);
    // The steps after the commit.
    for (const step of [4, 12, 20, 28]) await attempt(step);
    expectEnd(await on('one', ...move), 0);
    console.log(`a move of ${steps} steps was killed ${kills} times`);
    expect(kills).toBeGreaterThan(5);
    expect(outcomes(await on('one', ...push, ...database))).toEqual(['skipped', 'skipped', 'skipped']);
    expectEnd(await on('one', 'ledger verify', ...database), 0);
    await on('one', settling(shop), ...database);
    expect(shop.paid().toSorted()).toEqual((await shop.memberRewards()).toSorted());
  }, 300_000);
}

await withPostgres('the commands of pushes', (server) => {
  promiseSharedState(server);
  promiseMoves(server);
  promiseReservations(server);
  promiseInterruptedMoves(server);
});
