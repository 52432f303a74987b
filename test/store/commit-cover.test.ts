import { expect, test } from 'vitest';
import { createCommitCover } from '../../src/store/sqlite/commit-cover.ts';

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

function openCover() {
  const disk = new HeldDisk();
  return { disk, ...createCommitCover(disk.sync) };
}

test('what one wait has covered waits no more, until there is another commit', async () => {
  const { disk, noteCommit, wait } = openCover();
  await wait();
  for (let commit = 1; commit <= 2; commit += 1) {
    noteCommit();
    const waiting = watched(wait());
    await turns();
    expect([waiting.state.isOver, disk.waits]).toEqual([false, 1]);
    await disk.endNext();
    await waiting.work;
    await wait();
    expect(disk.waits).toBe(0);
  }
});

test('those who ask for what the running wait covers share it; the others share the next one', async () => {
  const { disk, noteCommit, wait } = openCover();
  noteCommit();
  const sharing = [wait(), wait()];
  await turns();
  sharing.push(wait());
  noteCommit();
  const later = [wait(), wait()].map(watched);
  await disk.endNext();
  await Promise.all(sharing);
  await turns();
  expect(later.map(({ state }) => state.isOver)).toEqual([false, false]);
  await disk.endNext();
  await Promise.all(later.map(({ work }) => work));
  expect(disk.waits).toBe(0);
});

test('after a wait that the disk failed, no later wait is trusted', async () => {
  const { disk, noteCommit, wait } = openCover();
  noteCommit();
  const first = watched(wait());
  await turns();
  noteCommit();
  const next = watched(wait());
  await disk.failNext();
  for (const work of [first.work, next.work, wait()]) await expect(work).rejects.toThrow('EIO');
  expect(disk.waits).toBe(0);
});
