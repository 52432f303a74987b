import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { PostgresLedgerLocation } from '../../src/store/ledger/ledger-location.ts';
import type { Locks } from '../../src/store/locks/locks.ts';
import { ownerLocks } from '../../src/store/open-store.ts';
import { bundled } from '../output/bundled.ts';
import { locksSuite } from './locks-suite.ts';
import { freshLocation } from './postgres-place.ts';
import type { PostgresServer } from './postgres-server.ts';
import { withPostgres } from './with-postgres.ts';

const program = bundled(`
  import { createSessionLocks } from './src/store/locks/session-locks.ts';
  await createSessionLocks(JSON.parse(process.env.LOCATION)).acquire('elsewhere', 'rewards settle');
  process.stdout.write('held');
  setInterval(() => undefined, 1000);
`);

/** A process that holds the lock `elsewhere` until it is killed. */
async function holdElsewhere(location: PostgresLedgerLocation) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, LOCATION: JSON.stringify(location) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

function promiseLocks(server: PostgresServer): void {
  const sessionsOf = (what: string) =>
    server.ask(`SELECT ${what} FROM pg_stat_activity WHERE application_name LIKE 'reviewctl%'`);
  const becomes = (isHeld: boolean, locks: Locks, name: string) =>
    expect.poll(() => locks.isHeld(name), { timeout: 10_000 }).toBe(isHeld);

  locksSuite(() => ownerLocks(freshLocation(server)));

  test('locks of one name in two schemas have nothing to do with each other', async () => {
    const lock = await ownerLocks(freshLocation(server)).acquire('A', 'rewards settle');
    expect(await ownerLocks(freshLocation(server)).isHeld('A')).toBe(false);
    await lock.release();
  });

  test('another machine sees that a process lives, and that it is dead as soon as it is killed', async () => {
    const location = freshLocation(server);
    const child = await holdElsewhere(location);
    expect(await ownerLocks(location).isHeld('elsewhere')).toBe(true);
    await expect(ownerLocks(location).acquire('elsewhere', 'rewards settle')).rejects.toMatchObject({
      kind: 'locked',
      message: expect.stringContaining('another run of reviewctl rewards settle holds the lock elsewhere'),
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await becomes(false, ownerLocks(location), 'elsewhere');
  });

  test('a session that the server ends is opened again, and holds the lock again', async () => {
    const location = freshLocation(server);
    const lock = await ownerLocks(location).acquire('A', 'rewards settle');
    await sessionsOf('pg_terminate_backend(pid)');
    await becomes(false, ownerLocks(location), 'A');
    await becomes(true, ownerLocks(location), 'A');
    await lock.release();
    await becomes(false, ownerLocks(location), 'A');
  });
}

await withPostgres('the suite of locks', promiseLocks);
