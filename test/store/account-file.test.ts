import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accountFile, checkAccount } from '../../src/store/state/account-note.ts';
import { temporaryFolder } from '../push/open-push.ts';

test('the account of a folder is the line of a file, which is written only where it changes', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'account');
  const note = accountFile(folder);
  expect(await note.read()).toBeUndefined();
  await note.keep('one');
  expect(readFileSync(path, 'utf8')).toBe('one\n');
  const { ino } = statSync(path);
  await note.keep('one');
  expect(statSync(path).ino).toBe(ino);
  await note.keep('two');
  expect(await note.read()).toBe('two');
});

test('an empty file names no account', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'account'), '\n');
  expect(await accountFile(folder).read()).toBeUndefined();
});

test('an account that cannot be read is a failure with what to do', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'account'));
  await expect(accountFile(folder).read()).rejects.toMatchObject({
    kind: 'config',
    message: `${join(folder, 'account')}, which records the account of this folder, cannot be read: it is a folder, not a file`,
    hint: 'check that it is a file that you may read, then run the same command again',
  });
});

test('an account that cannot be written is a failure with what to do', async () => {
  const folder = join(temporaryFolder(), 'gone');
  await expect(accountFile(folder).keep('one')).rejects.toMatchObject({
    kind: 'unwritable-path',
    message: expect.stringMatching(
      `^${join(folder, 'account')}, which records the account of this folder, cannot be written: ENOENT`,
    ),
    hint: 'check that its disk has free space and that you may write to its folder, then run the same command again',
  });
  expect(existsSync(folder)).toBe(false);
});

test.each([
  ['of no account', undefined],
  ['of this account', 'one'],
])('a state %s is used', async (_, kept) => {
  const note = accountFile(temporaryFolder());
  if (kept !== undefined) await note.keep(kept);
  await checkAccount(note, 'one');
});

test('a state of another account is refused, with what to do for the same shop and for another', async () => {
  const note = accountFile(temporaryFolder());
  await note.keep('two');
  await expect(checkAccount(note, 'one')).rejects.toMatchObject({
    kind: 'config',
    message: 'records were sent to this service from here with the credential of another account',
    hint:
      'for a new credential of the same shop: reviewctl login --same-shop; for another shop (or a sandbox ' +
      'started anew) use a profile of its own: reviewctl login --profile NAME. A new profile has an empty ' +
      'journal: used for the same shop, it would send every record again',
  });
});
