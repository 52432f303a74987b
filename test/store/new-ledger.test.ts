import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { Failure } from '../../src/base/failure.ts';
import type { HighWaterMark } from '../../src/store/ledger/high-water-mark.ts';
import { openHighWaterMarks, readHighWaterMarks } from '../../src/store/ledger/high-water-marks.ts';
import { checkNoneInUse } from '../../src/store/ledger/missing-ledger.ts';
import { placeOf } from '../../src/store/ledger/this-place.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { folderWithMark, mark, markedOrigin as origin, wordsIn } from './one-mark.ts';
import { createLedger, openUntilEnd, stillClock } from './open-ledger-place.ts';

const start = { origin, shop: 'mall', clock: stillClock };
const thrownBy = (work: Promise<void>): Promise<Failure> =>
  work.then(
    () => Promise.reject(new Error('it is created')),
    (error: Failure) => error,
  );

describe('no ledger is created beside one in use', () => {
  const again = '; a new one would pay again every reward that only the old one records as paid.';
  const trial =
    ' For a trial service, set REVIEWCTL_STATE_DIR to a separate folder, which has no record of what was sent or paid ' +
    'here';
  const lost =
    ' If it is lost for good, add --replace-lost, and list the rewards that it paid with --already-paid FILE.';

  it.each<[Partial<HighWaterMark>, string, string]>([
    [
      {},
      "had a ledger for the shop 'mall' of https://api.example at ./other.db",
      `restore it from a backup${again}${lost}`,
    ],
    [
      { path: 'there.db' },
      "has a ledger for the shop 'mall' of https://api.example at ./there.db",
      `use that one with -c ledger=./there.db${again}`,
    ],
    [
      { path: 'postgres://s/db' },
      "has a ledger for the shop 'mall' of https://api.example at postgres://s/db",
      `use that one with -c state=postgres://s/db${again}`,
    ],
    [
      { path: 'there.db', origin: 'https://old.example' },
      "has a ledger for the shop 'mall' of https://old.example at ./there.db",
      'use that one with -c ledger=./there.db, after reviewctl ledger accept --complete -c ledger=./there.db -c ' +
        `base-url=https://api.example${again}`,
    ],
  ])('where its mark has %j', async (changes, words, way) => {
    const { folder, marksPath } = await folderWithMark(changes);
    const failure = await thrownBy(
      checkNoneInUse(join(folder, 'ledger.db'), marksPath, { origin, accounts: ['A'] }),
    );
    expect(failure.kind).toBe('ledger');
    expect(wordsIn(folder, failure)).toEqual({
      message: `this account ${words}, with 12 events; no ledger was created`,
      hint: way + trial,
    });
  });

  test('but beside one of another account, or one that was retired', async () => {
    for (const changes of [{ accounts: ['B'] }, { isRetired: true }]) {
      const { marksPath } = await folderWithMark(changes);
      await checkNoneInUse('/l/ledger.db', marksPath, { origin, accounts: ['A'] });
    }
  });
});

describe('a new ledger', () => {
  it.each([
    [
      'ledger.db',
      'inspect it with `reviewctl ledger status -c ledger=./ledger.db`, or name another one: -c ledger=FILE',
    ],
    [
      'ledger.db-wal',
      'it belongs to a ledger that is gone: restore that ledger; if it is lost for good, rm ./ledger.db-wal',
    ],
  ])('takes the place of nothing: neither of %s', async (name, hint) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), 'kept');
    const marksPath = join(folder, 'marks.db');
    const failure = await thrownBy(createLedger(join(folder, 'ledger.db'), { ...start, marksPath }));
    expect(failure.kind).toBe('ledger');
    expect(wordsIn(folder, failure)).toEqual({
      message: `./${name} exists already; nothing was changed`,
      hint,
    });
    expect(readFileSync(join(folder, name), 'utf8')).toBe('kept');
    expect(existsSync(marksPath)).toBe(false);
  });

  it.each<[string, (folder: string) => { path: string; ownFolder?: string }]>([
    ['nowhere', (folder: string) => ({ path: join(folder, 'no', 'ledger.db') })],
    [
      'below a file',
      (folder: string) => ({ path: join(folder, 'file', 'ledger.db'), ownFolder: join(folder, 'file') }),
    ],
  ])('cannot be made %s', async (_, placeIn) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const { path, ...own } = placeIn(folder);
    const marksPath = join(folder, 'marks.db');
    expect(await thrownBy(createLedger(path, { ...start, ...own, marksPath }))).toMatchObject({
      kind: 'unwritable-path',
      message: expect.stringContaining(`the ledger ${path} cannot be created: `),
      hint: 'name a file in a folder you may write to, on a disk of this machine, with the setting ledger',
    });
    expect(await readHighWaterMarks(marksPath)).toEqual([]);
  });

  test('has a mark at its beginning once it is made', async () => {
    const folder = temporaryFolder();
    const [path, marksPath] = [join(folder, 'own', 'ledger.db'), join(folder, 'marks.db')];
    await createLedger(path, { ...start, account: 'A', ownFolder: join(folder, 'own'), marksPath });
    expect(await readHighWaterMarks(marksPath)).toEqual([
      {
        ledgerId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        origin,
        shop: 'mall',
        accounts: ['A'],
        path,
        inode: expect.any(String),
        seq: 0,
        seal: '',
        epoch: 0,
        movedAtMs: stillClock.now(),
        isRetired: false,
      },
    ]);
  });
});

test('a new ledger takes the place of one in use only where that is said', async () => {
  const { marksPath, path } = await folderWithMark();
  const asked = { ...start, account: 'A', marksPath };
  expect((await thrownBy(createLedger(path, asked))).message).toMatch(/^this account had a ledger/);
  expect(existsSync(path)).toBe(false);
  await createLedger(path, { ...asked, isReplacement: true });
  const marks = await readHighWaterMarks(marksPath);
  expect(new Map(marks.map((each) => [each.path === path, each.isRetired]))).toEqual(
    new Map([
      [false, true],
      [true, false],
    ]),
  );
  const ledger = await openUntilEnd(path);
  expect((await ledger.meta()).accounts).toEqual(['A']);
  expect((await ledger.meta()).place).toEqual(placeOf(path));
});

describe('the marks of ledgers', () => {
  const to = { ...mark, seq: 13, seal: 't', epoch: 1, path: '/l/new.db', inode: '7', movedAtMs: 2 };

  test('are read in the order of their ledgers, and each by its own', async () => {
    const marks = await openHighWaterMarks(join(temporaryFolder(), 'a', 'marks.db'));
    const second = { ...mark, ledgerId: 'L2', accounts: ['C', 'B'], isRetired: true, inode: '9' };
    marks.add(second);
    marks.add(mark);
    expect(marks.all()).toEqual([mark, { ...second, accounts: ['B', 'C'] }]);
    expect([marks.find('L1'), marks.find('L3')]).toEqual([mark, undefined]);
    marks.add({ ...mark, seq: 99, accounts: ['D'] });
    expect(marks.find('L1')).toEqual({ ...mark, accounts: ['A', 'D'] });
    marks.close();
  });

  test('move on from where they are, and from nowhere else', async () => {
    const marks = await openHighWaterMarks(join(temporaryFolder(), 'marks.db'));
    marks.add(mark);
    for (const from of [{ seq: 11 }, { seal: 'x' }, { epoch: 1 }, { inode: '1' }, { ledgerId: 'L2' }])
      expect(marks.move({ ...mark, ...from }, to)).toBe(false);
    expect(marks.move(mark, to)).toBe(true);
    expect(marks.find('L1')).toEqual(to);
    marks.close();
  });

  test('of one account retire where another ledger takes its place, and move no more', async () => {
    const marks = await openHighWaterMarks(join(temporaryFolder(), 'marks.db'));
    const ofOther = { ...mark, ledgerId: 'L0', accounts: ['B'] };
    for (const each of [mark, ofOther]) marks.add(each);
    const next = { ...mark, ledgerId: 'L2' };
    marks.install(next);
    expect(marks.all()).toEqual([ofOther, { ...mark, isRetired: true }, next]);
    expect(marks.move(mark, to)).toBe(false);
    marks.install({ ...mark, seq: 1, accounts: ['A'] });
    expect(marks.all()).toEqual([ofOther, { ...mark, seq: 1 }, { ...next, isRetired: true }]);
    marks.close();
  });

  it.each([
    ['no database', 'ledger', (path: string) => writeFileSync(path, 'no database '.repeat(100))],
    ['a folder', 'unwritable-path', (path: string) => mkdirSync(path)],
  ])('in %s are refused with the remedy', async (_, kind, make) => {
    const path = join(temporaryFolder(), 'marks.db');
    make(path);
    await expect(readHighWaterMarks(path)).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(`${path}, which records how far each ledger goes, cannot be used: `),
      hint:
        'check that its disk has free space and that you may write to it; remove this file only if you are sure that ' +
        'no newer ledger exists',
    });
  });
});
