import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRunLocks } from '../../src/store/locks/file-locks.ts';
import { bundled } from '../output/bundled.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { locksSuite } from './locks-suite.ts';

locksSuite(() => createRunLocks(temporaryFolder()));

/** A process that holds the lock until it is killed. */
async function holdElsewhere(folder: string): Promise<ChildProcess> {
  const program = bundled(`
    import { createRunLocks } from './src/store/locks/file-locks.ts';
    await createRunLocks(${JSON.stringify(folder)}).acquire('orders', 'push orders');
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
  const locks = createRunLocks(temporaryFolder());
  const lock = await locks.acquire('orders', 'push orders');
  await expect(locks.acquire('orders', 'push orders')).rejects.toMatchObject({
    kind: 'locked',
    exitCode: 9,
    message: 'another run of reviewctl push orders is under way for this profile',
    hint: 'wait until it has ended, then run the same command again; it continues from there',
  });
  await lock.release();
});

test('a holder in another process is respected, and kill -9 frees its lock', async () => {
  const folder = temporaryFolder();
  const locks = createRunLocks(folder);
  const holder = await holdElsewhere(folder);
  await expect(locks.acquire('orders', 'push orders')).rejects.toMatchObject({ exitCode: 9 });
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await (await locks.acquire('orders', 'push orders')).release();
});

test('a path that cannot hold a lock is named', async () => {
  await expect(
    createRunLocks(join(temporaryFolder(), 'no', 'such')).acquire('orders', 'push orders'),
  ).rejects.toMatchObject({ kind: 'unreadable-path' });
});

test('a damaged lock file is named as one that may be removed, by those who only ask, too', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'orders.lock');
  writeFileSync(path, 'no database '.repeat(100));
  await expect(createRunLocks(folder).acquire('orders', 'orders push')).rejects.toMatchObject({
    message: `the lock file ${path} is damaged`,
    hint: 'if no other run of reviewctl orders push is under way, remove it: it contains no data',
  });
  await expect(createRunLocks(folder).isHeld('orders')).rejects.toThrow(`the lock file ${path} is damaged`);
});
