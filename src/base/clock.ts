import { setMaxListeners } from 'node:events';

/** Time as the program sees it; the context carries one, so that tests control it. */
export interface Clock {
  /** Milliseconds since the epoch; this clock may be set forward or back. */
  now(): number;
  /** Milliseconds since an arbitrary instant, for pauses and durations: never set back. */
  monotonicMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Milliseconds since the epoch, from this call on: as the clock says, but going on at least as fast as its monotonic
 * side. So neither a clock that is set back nor a machine that sleeps, whose monotonic side may stop, gains time.
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
      // Any number of sleepers share the signal of a run, and each leaves it when it wakes: that is no leak.
      if (signal !== undefined) setMaxListeners(0, signal);
      signal?.addEventListener('abort', abort, { once: true });
    }),
};
