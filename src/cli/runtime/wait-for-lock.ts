import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import type { Lock } from '../../store/locks/locks.ts';

/** Maximum wait for a lock, and the pause between attempts. */
interface LockWait {
  readonly clock: Clock;
  readonly waitMs: number;
  readonly pauseMs: number;
  readonly stopping?: AbortSignal;
}

/** Acquires a lock that another process may hold for a while. @throws Failure('locked') after `waitMs`. */
export async function waitForLock(
  acquire: () => Promise<Lock>,
  { clock, waitMs, pauseMs, stopping }: LockWait,
): Promise<Lock> {
  const untilMs = clock.monotonicMs() + waitMs;
  for (;;) {
    try {
      return await acquire();
    } catch (error) {
      const isHeld = error instanceof Failure && error.kind === 'locked';
      if (!isHeld || clock.monotonicMs() + pauseMs > untilMs) throw error;
    }
    await clock.sleep(pauseMs, stopping);
  }
}
