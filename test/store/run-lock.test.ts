import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRunLockHeld, pushLockPath, takeRunLock } from '../../src/store/locks/run-lock.ts';
import { bundled } from '../output/bundled.ts';
import { temporaryFolder } from '../push/open-push.ts';

/** A process that holds the lock until it is ended. */
async function holdElsewhere(path: string): Promise<ChildProcess> {
  const program = bundled(`
    import { takeRunLock } from './src/store/locks/run-lock.ts';
    await takeRunLock(${JSON.stringify(path)}, 'push orders');
    process.stdout.write('held');
    setInterval(() => undefined, 1000);
  `);
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

test('a second holder fails in no time with exit 9 and says what is busy', async () => {
  const path = join(temporaryFolder(), 'push.lock');
  const lock = await takeRunLock(path, 'push orders');
  await expect(takeRunLock(path, 'push orders')).rejects.toMatchObject({
    kind: 'locked',
    exitCode: 9,
    message: expect.stringContaining('push orders'),
  });
  lock.release();
  (await takeRunLock(path, 'push orders')).release();
});

test('a holder in another process is respected, and kill -9 frees its lock', async () => {
  const path = join(temporaryFolder(), 'push.lock');
  const holder = await holdElsewhere(path);
  await expect(takeRunLock(path, 'push orders')).rejects.toMatchObject({ exitCode: 9 });
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  (await takeRunLock(path, 'push orders')).release();
});

test('locks on two files do not meet', async () => {
  const folder = temporaryFolder();
  const orders = await takeRunLock(join(folder, 'orders.lock'), 'push orders');
  const products = await takeRunLock(join(folder, 'products.lock'), 'push products');
  orders.release();
  products.release();
});

test('a path that cannot hold a lock is named', async () => {
  await expect(
    takeRunLock(join(temporaryFolder(), 'no', 'such', 'push.lock'), 'push orders'),
  ).rejects.toMatchObject({ kind: 'unreadable-path' });
});

test('whether a lock is held can be asked without being in the way of who takes it', async () => {
  const path = pushLockPath(temporaryFolder(), 'orders');
  expect(await isRunLockHeld(path)).toBe(false);
  const lock = await takeRunLock(path, 'push orders');
  expect(await isRunLockHeld(path)).toBe(true);
  lock.release();
  expect(await isRunLockHeld(path)).toBe(false);
  (await takeRunLock(path, 'push orders')).release();
});

test('a damaged lock file is named as one that may be removed', async () => {
  const path = pushLockPath(temporaryFolder(), 'orders');
  writeFileSync(path, 'no database '.repeat(100));
  await expect(takeRunLock(path, 'orders push')).rejects.toMatchObject({
    message: `the lock file ${path} is damaged`,
    hint: 'remove it, if no other run of reviewctl orders push is under way: nothing is kept in it',
  });
});
