import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/base/sqlite.ts';
import { createCommitCover } from '../../src/store/sqlite/commit-cover.ts';
import { openSqliteLedger } from '../../src/store/sqlite/ledger/sqlite-ledger.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { all } from './all-pages.ts';
import { claimIn, seeIn } from './ledger-steps.ts';
import { makeLedger, openUntilEnd, stillClock } from './open-ledger-place.ts';

/** A disk that is done with a wait when it is told to be. */
class HeldDisk {
  readonly #waits: { readonly end: () => void; readonly fail: (error: Error) => void }[] = [];
  /** While it holds nothing, every wait is over at once. */
  isHolding = false;

  readonly sync = (): Promise<void> =>
    new Promise((resolve, reject) => {
      if (this.isHolding) this.#waits.push({ end: resolve, fail: reject });
      else resolve();
    });

  get waits(): number {
    return this.#waits.length;
  }

  async endNext(): Promise<void> {
    await expect.poll(() => this.waits).toBeGreaterThan(0);
    this.#waits.shift()?.end();
  }

  async failNext(): Promise<void> {
    await expect.poll(() => this.waits).toBeGreaterThan(0);
    this.#waits.shift()?.fail(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
  }
}

async function openHeld() {
  const { path } = await makeLedger();
  const disk = new HeldDisk();
  const ledger = await openSqliteLedger(path, { clock: stillClock, sync: disk.sync });
  onTestFinished(async () => {
    disk.isHolding = false;
    await ledger.close();
  });
  await seeIn(ledger, 'R1');
  disk.isHolding = true;
  return { path, disk, ledger };
}

/** Notes when it ends, and how. */
function watched<T>(work: Promise<T>) {
  const state = { isOver: false };
  const over = () => {
    state.isOver = true;
  };
  work.then(over, over);
  return { state, work };
}

/** Long enough for everything that does not wait for the disk. */
const turns = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

test('a change is told only after a wait for the disk that began after its commit; changes made meanwhile share the next wait', async () => {
  const { disk, ledger } = await openHeld();
  const first = watched(claimIn(ledger, 'R1'));
  await expect.poll(() => disk.waits).toBe(1);
  const later = [seeIn(ledger, 'R2'), seeIn(ledger, 'R3')].map(watched);
  await turns();
  expect({ first: first.state.isOver, waits: disk.waits }).toEqual({ first: false, waits: 1 });
  await disk.endNext();
  await first.work;
  await turns();
  expect(later.map(({ state }) => state.isOver)).toEqual([false, false]);
  await disk.endNext();
  await Promise.all(later.map(({ work }) => work));
  expect(disk.waits).toBe(0);
});

test('what is on the disk is found at once, whatever else is on its way there', async () => {
  const { disk, ledger } = await openHeld();
  const change = watched(seeIn(ledger, 'R2'));
  await expect.poll(() => disk.waits).toBe(1);
  expect(await ledger.find('R1')).toMatchObject({ payment: 'intended' });
  expect(change.state.isOver).toBe(false);
  await disk.endNext();
  await change.work;
});

test('what is not on the disk yet is not read: neither by the process that wrote it nor by another one', async () => {
  const { path, disk, ledger } = await openHeld();
  const otherDisk = new HeldDisk();
  const other = await openSqliteLedger(path, { clock: stillClock, sync: otherDisk.sync });
  onTestFinished(() => other.close());
  expect(await other.find('R1')).toMatchObject({ payment: 'intended' });
  otherDisk.isHolding = true;
  const claimed = watched(claimIn(ledger, 'R1'));
  await expect.poll(() => disk.waits).toBe(1);
  const own = watched(ledger.find('R1'));
  const pages = watched(all(other.entries()));
  const foreign = watched(other.find('R1'));
  const refused = watched(claimIn(other, 'R1'));
  await turns();
  expect([own, pages, foreign, refused].map(({ state }) => state.isOver)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  await disk.endNext();
  expect(await own.work).toMatchObject({ payment: 'paying' });
  await claimed.work;
  otherDisk.isHolding = false;
  await otherDisk.endNext();
  expect(await foreign.work).toMatchObject({ payment: 'paying' });
  expect(await refused.work).toMatchObject({ kind: 'kept', reason: { kind: 'under-way' } });
  await pages.work;
});

test('after a wait that the disk failed nothing is told any more, and no later wait is trusted', async () => {
  const { path, disk, ledger } = await openHeld();
  const failure = {
    kind: 'unwritable-path',
    message: `the ledger ${path} cannot be used: EIO: i/o error, fdatasync`,
  };
  const claimed = watched(claimIn(ledger, 'R1'));
  await expect.poll(() => disk.waits).toBe(1);
  const next = watched(seeIn(ledger, 'R2'));
  await turns();
  await disk.failNext();
  await expect(claimed.work).rejects.toMatchObject(failure);
  await expect(next.work).rejects.toMatchObject(failure);
  await expect(ledger.find('R1')).rejects.toMatchObject(failure);
  await expect(seeIn(ledger, 'R3')).rejects.toMatchObject(failure);
  expect(disk.waits).toBe(0);
});

test('changes that are under way when a ledger is closed are on the disk before it is', async () => {
  const { path } = await makeLedger();
  const disk = new HeldDisk();
  const ledger = await openSqliteLedger(path, { clock: stillClock, sync: disk.sync });
  disk.isHolding = true;
  const change = seeIn(ledger, 'R1');
  const closed = watched(ledger.close());
  await turns();
  expect(closed.state.isOver).toBe(false);
  await disk.endNext();
  expect(await change).toMatchObject({ kind: 'changed' });
  await closed.work;
  expect(await (await openUntilEnd(path)).find('R1')).toBeDefined();
});

/** A cover of a database to which another connection writes, too. */
async function openCover() {
  const path = join(temporaryFolder(), 'numbers.db');
  const [database, other] = [
    await openDatabase(path, { durability: 'process' }),
    await openDatabase(path, { durability: 'process' }),
  ];
  onTestFinished(() => {
    database.close();
    other.close();
  });
  other.exec('CREATE TABLE number (value INTEGER NOT NULL) STRICT');
  const disk = new HeldDisk();
  disk.isHolding = true;
  const cover = createCommitCover(database, disk.sync);
  return { cover, disk, writeByOther: () => other.exec('INSERT INTO number VALUES (1)') };
}

test('what one wait has covered waits no more, until this connection or another one commits again', async () => {
  const { cover, disk, writeByOther } = await openCover();
  const waits = async (what: 'ofOwn' | 'ofAll') => {
    const waiting = watched(cover[what]());
    await turns();
    const began = disk.waits;
    if (began > 0) await disk.endNext();
    await waiting.work;
    return began;
  };
  expect(cover.has(0)).toBe(true);
  cover.noteCommit();
  expect([cover.commits, cover.has(1)]).toEqual([1, false]);
  expect(await waits('ofOwn')).toBe(1);
  expect([cover.has(1), cover.has(2)]).toEqual([true, false]);
  expect([await waits('ofOwn'), await waits('ofAll')]).toEqual([0, 0]);
  writeByOther();
  const ofOther = watched(cover.ofAll());
  await turns();
  await cover.ofOwn();
  expect(ofOther.state.isOver).toBe(false);
  await disk.endNext();
  await ofOther.work;
  writeByOther();
  expect([await waits('ofOwn'), await waits('ofAll'), await waits('ofAll')]).toEqual([0, 1, 0]);
  cover.noteCommit();
  expect([await waits('ofAll'), await waits('ofOwn')]).toEqual([1, 0]);
});

test('those who ask for what the running wait covers share it; the others share the next one', async () => {
  const { cover, disk, writeByOther } = await openCover();
  cover.noteCommit();
  const first = cover.ofOwn();
  await turns();
  const sharing = [cover.ofOwn(), cover.ofAll()].map(watched);
  const free = watched(cover.free());
  writeByOther();
  const later = [cover.ofAll(), cover.ofAll()].map(watched);
  await disk.endNext();
  await Promise.all([first, free.work, ...sharing.map(({ work }) => work)]);
  await turns();
  expect(later.map(({ state }) => state.isOver)).toEqual([false, false]);
  await disk.endNext();
  await Promise.all(later.map(({ work }) => work));
  expect(disk.waits).toBe(0);
});
