import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createOwnerLocks } from '../../src/store/locks/file-locks.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { locksSuite } from './locks-suite.ts';

const freshFolder = () => join(temporaryFolder(), 'ledger.db.owners');

locksSuite(() => createOwnerLocks(freshFolder()));

test('the folder of locks is for its user alone, and an owner leaves nothing in it behind', async () => {
  const folder = freshFolder();
  const lock = await createOwnerLocks(folder).acquire('A', 'rewards settle');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  await lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('two owners of one name are a mistake, and any name is a name of a file', async () => {
  const folder = freshFolder();
  const lock = await createOwnerLocks(folder).acquire('../a b:1', 'rewards settle');
  await expect(createOwnerLocks(folder).acquire('../a b:1', 'rewards settle')).rejects.toMatchObject({
    kind: 'locked',
    exitCode: 9,
    message: `the lock ${join(folder, '..%2Fa%20b%3A1.lock')} is held by another process`,
    hint: 'wait until it has ended and run the same command again',
  });
  expect(await createOwnerLocks(folder).names()).toEqual(['../a b:1']);
  expect(readdirSync(folder)).toEqual(['..%2Fa%20b%3A1.lock']);
  await lock.release();
});

test('a folder that cannot be made is named', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  await expect(createOwnerLocks(join(file, 'owners')).acquire('A', 'rewards settle')).rejects.toMatchObject({
    kind: 'unwritable-path',
    exitCode: 2,
    message: expect.stringContaining(`the lock ${join(file, 'owners', 'A.lock')} cannot be created: `),
    hint: expect.stringContaining('check that you may write to the folder of the ledger'),
    cause: expect.any(Error),
  });
  rmSync(file);
});

/** A folder of locks whose owners are dead. */
function folderOfEnded(names: readonly string[]): string {
  const folder = freshFolder();
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, `${name}.lock`), '');
  return folder;
}

test('a lock that an ended owner left is not held, and is gone when somebody asks', async () => {
  const folder = folderOfEnded(['dead', 'other']);
  expect(await createOwnerLocks(folder).isHeld('dead')).toBe(false);
  expect(readdirSync(folder)).toEqual(['other.lock']);
});

test('an owner removes the locks of ended ones, at most 100 at once, and neither odd files nor its own', async () => {
  const folder = folderOfEnded(Array.from({ length: 130 }, (_, index) => `dead-${index}`));
  writeFileSync(join(folder, 'a.lock'), 'no lock of ours '.repeat(100));
  writeFileSync(join(folder, 'notes.txt'), '');
  const one = await createOwnerLocks(folder).acquire('mine', 'rewards settle');
  const left = readdirSync(folder).filter((name) => name.startsWith('dead-')).length;
  expect(left).toBeGreaterThanOrEqual(30);
  expect(left).toBeLessThan(35);
  const other = await createOwnerLocks(folder).acquire('yours', 'rewards settle');
  expect(readdirSync(folder).toSorted()).toEqual(['a.lock', 'mine.lock', 'notes.txt', 'yours.lock']);
  await one.release();
  await other.release();
  expect(readdirSync(folder).toSorted()).toEqual(['a.lock', 'notes.txt']);
});
