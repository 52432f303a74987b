import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stateLocks } from '../../src/store/open-store.ts';
import { stateLocation } from '../../src/store/state/state-location.ts';
import { openLedgerShop } from './ledger-shop.ts';
import { pushAfterKill, renameAndDie } from './rename-and-die.ts';
import { cleanEnvironment, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

/** A machine with these profiles, and some state of each. */
function machine(config: object, profiles: readonly string[]) {
  const folder = temporaryFolder();
  const env = cleanEnvironment(folder);
  mkdirSync(join(folder, 'config'), { mode: 0o700 });
  const path = join(folder, 'config', 'config.json');
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  const state = (profile: string) => join(folder, 'state', profile);
  for (const profile of profiles) {
    mkdirSync(join(state(profile), 'shop.example'), { recursive: true });
    writeFileSync(join(state(profile), 'shop.example', 'account'), 'abc\n');
  }
  const run = (...argv: readonly string[]) => runInProcess(argv, { env, cwd: folder });
  const kept = () => JSON.parse(readFileSync(path, 'utf8')) as unknown;
  return { state, run, kept };
}

const two = { current: 'mall', profiles: { mall: { rate: '7', token: 'canary' }, fair: { rate: '5' } } };

describe('profile delete', () => {
  it('asks, and without a terminal or --yes deletes nothing', async () => {
    const { run, kept } = machine(two, ['mall']);
    expect(await run('profile', 'delete', 'mall')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Delete profile mall with its settings and its credential?') as string,
    });
    expect(kept()).toEqual(two);
  });

  it('takes settings and credential away, and names the state that stays', async () => {
    const { run, kept, state } = machine(two, ['mall']);
    const { exitCode, stderr } = await run('profile', 'delete', 'mall', '--yes');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr:
        'profile mall was deleted from this machine; the service still accepts its credential\n' +
        `what its pushes sent stays on record in ${state('mall')}; to delete that, too: reviewctl profile delete mall --with-state\n` +
        'no profile is the default now; to choose one: reviewctl profile use fair\n',
    });
    expect(kept()).toEqual({ profiles: { fair: { rate: '5' } } });
    expect(existsSync(state('mall'))).toBe(true);
    expect((await run('profile', 'delete', 'mall', '--with-state', '--yes')).exitCode).toBe(0);
    expect(existsSync(state('mall'))).toBe(false);
    expect((await run('profile', 'delete', 'mall', '--yes')).exitCode).toBe(2);
  });

  it('deletes no state that a run uses', async () => {
    const { run, kept, state } = machine(two, ['mall']);
    const locks = stateLocks(stateLocation(join(state('mall'), 'shop.example')));
    const lock = await locks.acquire('push-orders', 'orders push');
    expect((await run('profile', 'delete', 'mall', '--with-state', '--yes')).exitCode).toBe(9);
    expect((await run('profile', 'rename', 'mall', 'shop')).exitCode).toBe(9);
    expect(kept()).toEqual(two);
    await lock.release();
    expect((await run('profile', 'rename', 'mall', 'shop')).exitCode).toBe(0);
  });

  it('never deletes a ledger', async () => {
    const { run, ledgerPath, settle } = await openLedgerShop();
    await run(['ledger', 'init']);
    await settle();
    expect(await run(['profile', 'delete', 'default', '--with-state', '--yes'])).toMatchObject({
      exitCode: 12,
      stderr: expect.stringMatching(
        /ledger\.db records payments, and no command deletes a ledger; nothing was deleted/,
      ) as string,
    });
    expect(await run(['profile', 'delete', 'default', '--yes'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`its ledger stays: ${ledgerPath}\n`) as string,
    });
    expect((await run(['ledger', 'status'])).exitCode).toBe(0);
  });
});

describe('profile rename', () => {
  it('moves settings, state, the default, and paths into that state', async () => {
    const { run, kept, state } = machine(two, ['mall']);
    const ledger = join(state('mall'), 'shop.example', 'ledger.db');
    await run('config', 'set', 'ledger', ledger, '--profile', 'fair');
    const { exitCode, stderr } = await run('profile', 'rename', 'mall', 'shop');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `profile mall is now shop\nwhat it sent is on record in ${state('shop')}\ncommands that name it, as in cron, need --profile shop\n`,
    });
    expect(kept()).toEqual({
      current: 'shop',
      profiles: {
        shop: two.profiles.mall,
        fair: { rate: '5', ledger: join(state('shop'), 'shop.example', 'ledger.db') },
      },
    });
    expect(existsSync(state('mall'))).toBe(false);
    expect(readFileSync(join(state('shop'), 'shop.example', 'account'), 'utf8')).toBe('abc\n');
  });

  it.each([
    ['a name that is taken', 'mall', 'fair', "there is a profile 'fair' already"],
    ['a name with state of its own', 'mall', 'old', "there is state of an earlier profile 'old'"],
    ['a profile that is not there', 'mal', 'shop', "there is no profile 'mal'"],
    ['what is no name', 'mall', '../x', "'../x' is no profile name"],
  ])('refuses %s, and nothing is changed', async (_, from, to, message) => {
    const { run, kept, state } = machine(two, ['mall', 'old']);
    const { exitCode, stderr } = await run('profile', 'rename', from, to);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) as string });
    expect(kept()).toEqual(two);
    expect(existsSync(state('mall'))).toBe(true);
  });

  it('takes the ledger with it, which pays each reward once from its new place', async () => {
    const { run, settle, paid, memberRewards, ledgerPath } = await openLedgerShop();
    await run(['ledger', 'init']);
    await settle(0, '--max-amount-per-run', '1');
    const moved = ledgerPath.replace('/default/', '/mall/');
    const { exitCode, stderr } = await run(['profile', 'rename', 'default', 'mall']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining(
        `its ledger moved with it: ${moved}, which stays the ledger of the shop 'default'\n`,
      ) as string,
    });
    const elsewhere = await settle(0, '--profile', 'default');
    expect(elsewhere).toMatchObject({ exitCode: 12, stderr: expect.stringContaining(moved) as string });
    expect((await settle(0)).exitCode).toBe(0);
    expect(paid().toSorted()).toEqual((await memberRewards()).toSorted());
  });

  it('makes no copy of a ledger the one in use', async () => {
    const { run, settle, ledgerPath, folder } = await openLedgerShop();
    await run(['ledger', 'init']);
    const copy = join(folder, 'copy.db');
    await run(['ledger', 'backup', copy]);
    await settle();
    // The log belongs to the ledger that is replaced.
    for (const rest of ['-wal', '-shm']) rmSync(ledgerPath + rest, { force: true });
    renameSync(copy, ledgerPath);
    expect((await run(['profile', 'rename', 'default', 'mall'])).exitCode).toBe(0);
    expect((await settle(0, '--profile', 'mall')).exitCode).toBe(12);
  });

  it('is finished by the next command where it was killed, so that no push sends again', async () => {
    expect(await pushAfterKill('before mall')).toBe('mall');
    expect(await pushAfterKill('after mall')).toBe('mall');
  });

  it('that was killed leaves a ledger that pays each reward once, from its new place only', async () => {
    const { env, run, settle, paid, memberRewards } = await openLedgerShop();
    await run(['ledger', 'init']);
    await settle(0, '--max-amount-per-run', '1');
    expect(await renameAndDie(env, 'default', 'after mall')).toBe(true);
    expect((await settle(0)).exitCode).toBe(0);
    expect((await settle(0, '--profile', 'default')).exitCode).toBe(12);
    expect((await run(['ledger', 'init', '--profile', 'default'])).exitCode).toBe(12);
    expect(paid().toSorted()).toEqual((await memberRewards()).toSorted());
  });
});

it('a renaming keeps the shop of a state in a database, which was found by the name of the profile', async () => {
  const state = 'postgres://db.example/l';
  const { run, kept } = machine({ profiles: { mall: { state }, fair: { state, shop: 'market' } } }, []);
  await run('profile', 'rename', 'mall', 'shop');
  await run('profile', 'rename', 'fair', 'bazaar');
  expect(kept()).toEqual({
    profiles: { shop: { shop: 'mall', state }, bazaar: { shop: 'market', state } },
  });
});
