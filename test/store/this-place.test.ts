import { linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isSameInode, placeOf } from '../../src/store/ledger/this-place.ts';
import { temporaryFolder } from '../cli/run-cli.ts';

const bornAt = (path: string) => statSync(path, { bigint: true }).birthtimeNs;

/** Maximum number of writes until the clock of the file system advances. */
const writesMaximum = 100_000;

/** Writes to the file until its last change is later than its creation. */
function change(path: string): void {
  for (let write = 0; write < writesMaximum; write += 1) {
    writeFileSync(path, 'changed');
    if (statSync(path, { bigint: true }).ctimeNs !== bornAt(path)) return;
  }
}

/**
 * Replaces the file at `path` by a new one, as a restore does. It is created later, if its file system records that
 * time.
 */
function restore(path: string): void {
  const before = bornAt(path);
  for (let write = 0; write < writesMaximum && bornAt(path) === before; write += 1) {
    rmSync(path);
    writeFileSync(path, 'restored');
  }
  change(path);
}

test('a file that takes the place of another is not that file, also where it is given its inode', () => {
  const path = join(temporaryFolder(), 'ledger.db');
  writeFileSync(path, 'made');
  change(path);
  const { inode } = placeOf(path);
  restore(path);
  const restored = placeOf(path).inode;
  // On a file system that records no creation time and reuses inodes, they cannot be distinguished.
  expect(isSameInode(inode, restored)).toBe(inode === restored && !inode.includes('.'));
});

test('a file is the same under another name, and however often it is changed', () => {
  const folder = temporaryFolder();
  const [path, linked, renamed] = ['ledger.db', 'linked.db', 'renamed.db'].map((name) => join(folder, name));
  if (path === undefined || linked === undefined || renamed === undefined) throw new Error('three paths');
  writeFileSync(path, 'made');
  const made = placeOf(path).inode;
  change(path);
  const { inode } = placeOf(path);
  linkSync(path, linked);
  renameSync(path, renamed);
  for (const name of [linked, renamed]) {
    change(name);
    expect(isSameInode(inode, placeOf(name).inode)).toBe(true);
    expect(isSameInode(made, placeOf(name).inode)).toBe(true);
  }
});

test.each([
  ['7.1', '7.1', true],
  ['7.1', '7.2', false],
  ['7', '7.2', true],
  ['7.1', '7', true],
  ['7', '8', false],
  ['7.1', '71', false],
])('%s and %s: of one file is %s', (one, other, isSame) => {
  expect(isSameInode(one, other)).toBe(isSame);
});
