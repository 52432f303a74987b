import { expect, test } from 'vitest';
import { Failure } from '../../../src/base/failure.ts';
import { shareWrites } from '../../../src/store/sql/share-writes.ts';

/** Doubles numbers, and records the groups in which they were written. */
function doubling(failureOf: (group: readonly number[]) => Error | undefined = () => undefined) {
  const groups: number[][] = [];
  const shared = shareWrites<number, number>({
    most: 3,
    write: async (group) => {
      await new Promise(setImmediate);
      const failure = failureOf(group);
      if (failure !== undefined) throw failure;
      groups.push([...group]);
      return group.map((value) => 2 * value);
    },
  });
  return { ...shared, groups };
}

test('items of one turn, and those that come while a group is written, share a write, up to a limit', async () => {
  const { add, idle, groups } = doubling();
  const first = [add(1), add(2)];
  await first[0];
  const later = Promise.all([3, 4, 5, 6].map(add));
  expect(await Promise.all(first)).toEqual([2, 4]);
  expect(await later).toEqual([6, 8, 10, 12]);
  expect(groups).toEqual([[1, 2], [3, 4, 5], [6]]);
  await idle();
});

test('an item that cannot be written fails alone', async () => {
  const { add, groups } = doubling((group) => (group.includes(2) ? new Error('not 2') : undefined));
  const settled = await Promise.allSettled([1, 2, 3].map(add));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(groups).toEqual([[1], [3]]);
});

test('where the store fails, its whole group fails at once', async () => {
  let tries = 0;
  const { add } = doubling(() => {
    tries += 1;
    return new Failure('unreachable-state', 'gone', 'see the server');
  });
  const settled = await Promise.allSettled([1, 2].map(add));
  expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
  expect(tries).toBe(1);
});

test('between two groups timers and signals have their turn, however fast the store is', async () => {
  const { add } = shareWrites<number, number>({ most: 3, write: async (group) => group });
  const turns: number[] = [];
  let turn = 0;
  let isOver = false;
  const pass = () => {
    turn += 1;
    if (!isOver) setImmediate(pass);
  };
  pass();
  for (let at = 0; at < 5; at += 1) {
    await add(at);
    turns.push(turn);
  }
  isOver = true;
  expect(new Set(turns).size).toBe(5);
});
