import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/base/sqlite.ts';
import { createCommitCover } from '../../src/store/sqlite/commit-cover.ts';
import { temporaryFolder } from '../push/open-push.ts';

/** A disk that is done with a wait when it is told to be. */
class HeldDisk {
  readonly #waits: { readonly end: () => void; readonly fail: (error: Error) => void }[] = [];

  readonly sync = (): Promise<void> =>
    new Promise((resolve, reject) => {
      this.#waits.push({ end: resolve, fail: reject });
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

test('after a wait that the disk failed, no later wait is trusted', async () => {
  const { cover, disk } = await openCover();
  cover.noteCommit();
  const first = watched(cover.ofOwn());
  await turns();
  cover.noteCommit();
  const next = watched(cover.ofOwn());
  await disk.failNext();
  for (const work of [first.work, next.work, cover.ofOwn(), cover.ofAll()])
    await expect(work).rejects.toThrow('EIO');
  expect(disk.waits).toBe(0);
});
