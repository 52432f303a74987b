import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { backupLedger } from '../../src/store/ledger/backup-ledger.ts';
import { locationAt, postgresLedgerLocation } from '../../src/store/ledger/ledger-location.ts';
import { type LedgerMove, shopOfLedger, withdrawLedger } from '../../src/store/move-ledger.ts';
import { moveState } from '../../src/store/move-state.ts';
import { openPushJournal, ownerLocks, stateLocks } from '../../src/store/open-store.ts';
import { prepareState } from '../../src/store/prepare-state.ts';
import { readMoved, writeMoved } from '../../src/store/state/moved-state.ts';
import { postgresStateLocation, stateLocation } from '../../src/store/state/state-location.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { identity } from '../settle/entries.ts';
import { claimIn, seeIn } from './ledger-steps.ts';
import { makeLedger, openAnyLedger, openLedger, stillClock } from './open-ledger-place.ts';

const options = { clock: systemClock, isReadOnly: false };

/** The state in a folder, and its move to a database without a server. */
function moveFrom(folder: string, from = locationAt(join(folder, 'ledger.db'), join(folder, 'marks.db'))) {
  const database = { url: 'postgres://127.0.0.1:1/l', password: undefined, shop: 'mall' };
  const ledger: LedgerMove = {
    from,
    to: postgresLedgerLocation(folder, folder, database),
    clock: stillClock,
  };
  const to = postgresStateLocation(folder, { ...database, service: new URL('https://api.example/') });
  return { from: stateLocation(folder), to, ledger };
}

test('a folder without runs, positions and ledger has nothing to be moved, and stays as it is', async () => {
  const folder = temporaryFolder();
  const move = moveFrom(folder);
  await expect(moveState(move)).rejects.toMatchObject({
    kind: 'usage',
    message: `there is no state in ${folder} to move`,
    hint: `${move.to.path} can be used at once; to look at it: reviewctl runs list`,
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('a state with the ledger of another shop is not moved, before the database is asked', async () => {
  const { folder, path, marksPath } = await makeLedger();
  await expect(moveState(moveFrom(folder, locationAt(path, marksPath)))).rejects.toMatchObject({
    kind: 'usage',
    message: "the ledger of this state belongs to the shop 'shop', not to 'mall'; nothing was moved",
    hint: expect.stringMatching(/: reviewctl state move -c shop=shop; .*: reviewctl config set shop shop$/),
  });
  expect(readMoved(folder)).toBeUndefined();
});

test('a state whose database cannot be reached stays in use, and no lock of the move is left', async () => {
  const folder = temporaryFolder();
  const state = stateLocation(folder);
  const journal = await openPushJournal(state);
  const run = await journal.runs.begin({
    kind: 'orders',
    command: ['orders', 'push', 'a.csv'],
    folder: '/exports',
    files: ['a.csv'],
    startedMs: 1,
  });
  await journal.close();
  await expect(moveState(moveFrom(folder))).rejects.toMatchObject({
    message: expect.stringContaining('ECONNREFUSED'),
  });
  expect(readMoved(folder)).toBeUndefined();
  await prepareState(state, options);
  const after = await openPushJournal(state);
  expect((await after.runs.list()).map(({ id }) => id)).toEqual([run]);
  await after.close();
});

test('a state is used by nobody while it is moved, and by nobody afterwards', async () => {
  const folder = temporaryFolder();
  const state = stateLocation(folder);
  await prepareState(state, options);
  // All versions use the same name, so that they exclude each other.
  const lock = await stateLocks(state).acquire('move', 'state move');
  await expect(prepareState(state, options)).rejects.toMatchObject({
    kind: 'locked',
    message: `the state in ${folder} is being moved to a database`,
    hint: 'wait until that has ended, then run the same command again',
  });
  await lock.release();
  await prepareState(state, options);
  writeMoved(folder, {
    move: 'm1',
    to: 'postgres://db.example/l',
    shop: 'mall',
    atMs: 0,
    hasLedger: false,
    isFinished: true,
  });
  await expect(prepareState(state, options)).rejects.toMatchObject({
    kind: 'config',
    message: expect.stringMatching(/was moved to .* and is no longer used$/),
  });
});

test('the ledger of a state is moved where it is the one in use, and nothing is if it was restored', async () => {
  const place = await makeLedger();
  const shopAt = (path: string) =>
    shopOfLedger(moveFrom(place.folder, locationAt(path, place.marksPath)).ledger);
  expect(await shopAt(join(place.folder, 'none.db'))).toBeUndefined();
  expect(await shopAt(place.path)).toBe(identity.shop);
  const copy = join(place.folder, 'copy.db');
  await backupLedger(place.path, copy, { clock: stillClock });
  expect(await shopAt(copy)).toBeUndefined();
  const expected = { ...identity, marksPath: place.marksPath, clock: stillClock };
  const ledger = await openLedger(place.path, expected);
  await seeIn(ledger, 'R1');
  await claimIn(ledger, 'R1');
  await ledger.close();
  for (const part of ['', '-wal', '-shm']) rmSync(place.path + part, { force: true });
  copyFileSync(copy, place.path);
  await expect(
    moveState(moveFrom(place.folder, locationAt(place.path, place.marksPath))),
  ).rejects.toMatchObject({
    kind: 'ledger',
    hint: expect.stringContaining(`reviewctl ledger accept -c ledger=${place.path}`),
  });
});

test.each([
  ['goes on in it once that has failed', false],
  ['stays out of it while it may have arrived', true],
])('nothing is recorded in a ledger while it moves, and what follows %s', async (_, mayHaveArrived) => {
  const place = await makeLedger();
  const { ledger: move } = moveFrom(place.folder, locationAt(place.path, place.marksPath));
  const expected = { ...identity, marksPath: place.marksPath, clock: stillClock };
  const use = async () => {
    const { ledger, standing } = await openAnyLedger(place.path, expected);
    const steps = [
      () => ledger.beginRun({ run: 'run-1', command: 'rewards settle', atMs: 1 }),
      () => ledger.noteSuccess('run-1', 2),
      () => seeIn(ledger, 'R1'),
      () => ledger.freeze('by a person'),
      () => ledger.unfreeze(),
    ];
    const refusals: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => refusals.push(error));
    await ledger.close();
    return { refusals, kind: standing.kind };
  };
  const refusal = expect.objectContaining({
    kind: 'ledger',
    message: `this ledger is moving to ${move.to.path}, or has moved there; nothing more is recorded here`,
  });
  const isMoving = { refusals: Array(5).fill(refusal), kind: 'moving' };
  const failing = async () => {
    expect(await use()).toEqual(isMoving);
    throw new Error('the server is gone');
  };
  // The leftover of a killed attempt does not block; the next attempt continues from it.
  await expect(withdrawLedger(move, () => true, failing)).rejects.toThrow('the server is gone');
  expect(await shopOfLedger(move)).toBe(identity.shop);
  await expect(withdrawLedger(move, () => mayHaveArrived, failing)).rejects.toThrow('the server is gone');
  expect(await use()).toEqual(mayHaveArrived ? isMoving : { refusals: [], kind: 'current' });
});

test('a ledger that a process settles by is not moved, and nothing in it changes', async () => {
  const place = await makeLedger();
  const { ledger: move } = moveFrom(place.folder, locationAt(place.path, place.marksPath));
  const owner = await ownerLocks(move.from).acquire('run-1', 'rewards listen');
  await expect(
    withdrawLedger(
      move,
      () => false,
      async () => 'moved',
    ),
  ).rejects.toMatchObject({
    kind: 'locked',
    message: `the ledger ${place.path} is in use by run run-1; nothing was moved`,
  });
  await owner.release();
  expect(
    await withdrawLedger(
      move,
      () => false,
      async () => 'moved',
    ),
  ).toBe('moved');
});
