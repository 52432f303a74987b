import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createOwnerLocks } from '../../src/store/locks/file-locks.ts';
import { bundled } from '../output/bundled.ts';
import { temporaryFolder } from '../push/open-push.ts';

const program = bundled(`
  import { createOwnerLocks } from './src/store/locks/file-locks.ts';
  await createOwnerLocks(process.env.FOLDER).acquire(process.env.OWNER);
  process.stdout.write('held');
  setInterval(() => undefined, 1000);
`);

/** A process that acquires and releases many times; any failure ends it. */
const coming = bundled(`
  import { createOwnerLocks } from './src/store/locks/file-locks.ts';
  for (let life = 0; life < 100; life += 1) {
    await (await createOwnerLocks(process.env.FOLDER).acquire(process.env.OWNER + '-' + life)).release();
  }
`);

/** A process that lives as `owner` until it is killed. */
async function liveElsewhere(folder: string, owner: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, FOLDER: folder, OWNER: owner },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

const freshFolder = () => join(temporaryFolder(), 'ledger.db.owners');

test('a process is seen to live from another one, and to be dead as soon as it is killed', async () => {
  const folder = freshFolder();
  const child = await liveElsewhere(folder, 'run-1');
  expect(await createOwnerLocks(folder).isHeld('run-1')).toBe(true);
  expect(await createOwnerLocks(folder).isHeld('run-1')).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await createOwnerLocks(folder).isHeld('run-1')).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

test('owners that come and go at once never take each other for dead', async () => {
  const folder = freshFolder();
  const live = async (owner: string) => {
    const lock = await createOwnerLocks(folder).acquire(owner, 'rewards settle');
    const isSeen = await createOwnerLocks(folder).isHeld(owner);
    await lock.release();
    return isSeen;
  };
  const names = Array.from({ length: 60 }, (_, index) => `owner-${index}`);
  expect(await Promise.all(names.map(live))).toEqual(names.map(() => true));
  expect(readdirSync(folder)).toEqual([]);
});

test('processes that start and end at once, each clearing up after the others, all get their locks', async () => {
  const folder = freshFolder();
  const lives = Array.from({ length: 6 }, (_, index) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', coming], {
      env: { ...process.env, FOLDER: folder, OWNER: `owner-${index}` },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return once(child, 'exit');
  });
  expect(await Promise.all(lives)).toEqual(lives.map(() => [0, null]));
  expect(readdirSync(folder)).toEqual([]);
});
