import { setMaxListeners } from 'node:events';

/** The clock of the program. The context carries one, so that tests can control it. */
export interface Clock {
  /** Milliseconds since the epoch. The clock may be set forward or back. */
  now(): number;
  /** Milliseconds since an arbitrary instant, for pauses and durations. Never set back. */
  monotonicMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Returns a clock of milliseconds since the epoch that follows `now`, but from this call on never falls behind the
 * monotonic clock. It counts all elapsed time, even if the clock is set back, or if the machine sleeps, when the
 * monotonic clock may stop.
 */
export function nowFrom(clock: Clock): () => number {
  const [fromMs, monotonicFromMs] = [clock.now(), clock.monotonicMs()];
  return () => Math.max(clock.now(), fromMs + clock.monotonicMs() - monotonicFromMs);
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // `performance` would load a module that takes 5 ms.
  monotonicMs: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, ms);
      // Any number of sleepers share the signal of a run. Each removes its listener on waking, so nothing leaks.
      if (signal !== undefined) setMaxListeners(0, signal);
      signal?.addEventListener('abort', abort, { once: true });
    }),
};
