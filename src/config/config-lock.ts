import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../base/failure.ts';
import { type HeldFile, holdFile } from '../base/sqlite.ts';

/** Attempts in a row; each waits for a moment itself, about five seconds in total. */
const triesMaximum = 25;
/** If two processes create the file at once, one of them is refused without a wait. */
const pauseMs = 20;

/**
 * Runs `work` while no other process changes the settings in `folder`, which must exist. The lock is a file that stays;
 * it is released however this process ends.
 * @throws Failure('locked') if others hold it for longer than a change takes; and what `work` throws.
 */
export async function withConfigLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock = await holdLock(join(folder, 'config.lock'));
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function holdLock(path: string): Promise<HeldFile> {
  for (let tries = 1; tries <= triesMaximum; tries += 1) {
    const held = await holdFile(path, { isMade: true });
    if (held !== undefined) return held;
    await delay(pauseMs);
  }
  throw new Failure(
    'locked',
    `the settings are being changed by another process, which holds ${path}; nothing was changed`,
    'wait until it has ended, then run the same command again',
  );
}
