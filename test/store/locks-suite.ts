import { expect, test } from 'vitest';
import type { Locks } from '../../src/store/locks/locks.ts';

/** The contract of `Locks`; `open` opens the locks of one new place. */
export function locksSuite(open: () => Locks): void {
  test('a lock is held from its acquisition to its release, and others are free', async () => {
    const locks = open();
    expect(await locks.isHeld('A')).toBe(false);
    const lock = await locks.acquire('A', 'orders push');
    expect(await locks.isHeld('A')).toBe(true);
    expect(await locks.isHeld('B')).toBe(false);
    await lock.release();
    expect(await locks.isHeld('A')).toBe(false);
  });

  test('a lock that is held is refused at once with exit 9, and can be acquired after its release', async () => {
    const locks = open();
    const lock = await locks.acquire('A', 'orders push');
    await expect(locks.acquire('A', 'orders push')).rejects.toMatchObject({ kind: 'locked', exitCode: 9 });
    await lock.release();
    await (await locks.acquire('A', 'orders push')).release();
  });

  test('the locks that are held are named, whoever asks', async () => {
    const locks = open();
    expect(await locks.names()).toEqual([]);
    const [one, other] = [await locks.acquire('A', 'orders push'), await locks.acquire('B-1-of-2', 'B push')];
    await other.release();
    expect(await locks.names()).toContain('A');
    await one.release();
  });

  test('asking for a lock is not in the way of one that acquires it', async () => {
    const locks = open();
    const [isHeld, lock] = await Promise.all([locks.isHeld('A'), locks.acquire('A', 'orders push')]);
    expect(typeof isHeld).toBe('boolean');
    expect(await locks.isHeld('A')).toBe(true);
    await lock.release();
  });
}
