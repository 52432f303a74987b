import { linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { HighWaterMark } from '../../src/store/ledger/high-water-mark.ts';
import { checkLinks } from '../../src/store/ledger/ledger-links.ts';
import { missingLedger } from '../../src/store/ledger/missing-ledger.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { folderWithMark, markedOrigin as origin, wordsIn } from './one-mark.ts';

/** The failure for the ledger missing in a folder, with `mark` of another ledger. */
async function failureWith(mark: Partial<HighWaterMark>, account?: string) {
  const { folder, marksPath, path } = await folderWithMark(mark);
  const failure = await missingLedger(path, { marksPath, origin, account });
  expect(failure.kind).toBe('ledger');
  return wordsIn(folder, failure);
}

const none = {
  message: 'there is no ledger at ./ledger.db',
  hint: 'create one with `reviewctl ledger init`, or name the one you have with the setting ledger',
};
const twice = '; without it, rewards could be paid twice';
const known = (verb: string, path: string, at = origin) =>
  `there is no ledger at ./ledger.db, but there ${verb} one for the shop 'mall' of ${at} at ${path}, with 12 events`;

describe('of a ledger that is missing it is told', () => {
  it.each<[string, Partial<HighWaterMark>, string | undefined]>([
    ['another account has', {}, 'B'],
    ['another service has', { accounts: [], origin: 'https://other.example' }, 'A'],
    ['was retired', { isRetired: true }, 'A'],
  ])('how to create one, where the only other one %s', async (_, mark, account) => {
    expect(await failureWith(mark, account)).toEqual(none);
  });

  test('how to move it, where it is in a file and the setting state names a database', async () => {
    const { folder, marksPath } = await folderWithMark({ path: 'there.db' });
    const failure = await missingLedger('postgres://db/rv', { marksPath, origin });
    expect(wordsIn(folder, failure).hint).toBe(
      `it has not been moved to the database yet: reviewctl state move${twice}`,
    );
  });

  test('how to restore it, where it was here', async () => {
    expect(await failureWith({ path: 'ledger.db' }, 'A')).toEqual({
      message: known('was', './ledger.db'),
      hint:
        'put the newest backup in its place (rm -f ./ledger.db-wal ./ledger.db-shm && cp -p BACKUP ./ledger.db), ' +
        `then see \`reviewctl ledger verify\`${twice}`,
    });
  });

  test('that it is to be restored, where it was elsewhere', async () => {
    expect(await failureWith({}, undefined)).toEqual({
      message: known('was', './other.db'),
      hint: `restore it from a backup, there or at any other place, and name it with the setting ledger${twice}`,
    });
  });

  test('what it is called now', async () => {
    expect(await failureWith({ path: 'there.db' }, 'A')).toEqual({
      message: known('is', './there.db'),
      hint: `name it with -c ledger=./there.db${twice}`,
    });
    expect(await failureWith({ path: 'postgres://s/db' }, 'A')).toEqual({
      message: known('is', 'postgres://s/db'),
      hint: `name it with -c state=postgres://s/db${twice}`,
    });
  });

  test('how it learns another address of its service', async () => {
    expect(await failureWith({ path: 'there.db', origin: 'https://old.example' }, 'A')).toEqual({
      message: known('is', './there.db', 'https://old.example'),
      hint:
        `name it with -c ledger=./there.db; if ${origin} is its service under another name, add that address first: ` +
        `reviewctl ledger accept --complete -c ledger=./there.db -c base-url=${origin}${twice}`,
    });
  });
});

describe('a ledger with two names', () => {
  test('is refused, unless a process that was killed as it made it left one of them', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'ledger.db');
    writeFileSync(path, '');
    checkLinks(path);
    const second = join(folder, 'second.db');
    linkSync(path, second);
    expect(() => checkLinks(path)).toThrow(
      expect.objectContaining({
        kind: 'ledger',
        message: `the ledger ${path} has 2 names (hard links)`,
        hint:
          `find the others, for instance with find DIRECTORY -xdev -samefile ${path}, and remove them; link to it ` +
          'with ln -s',
      }),
    );
    expect(readdirSync(folder)).toHaveLength(2);
    const [left, ofAnother] = [`${path}.0123456789ab`, join(folder, 'other.db.0123456789ab')];
    linkSync(path, left);
    writeFileSync(`${path}.0123456789ac`, '');
    linkSync(path, ofAnother);
    expect(() => checkLinks(path)).toThrow('has 3 names');
    expect(readdirSync(folder).toSorted()).toEqual(
      [path, `${path}.0123456789ac`, ofAnother, second].map((file) => basename(file)).toSorted(),
    );
  });

  test('is no folder, however many names that has', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'below'));
    checkLinks(folder);
  });
});
