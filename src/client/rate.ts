import type { Clock } from '../base/clock.ts';
import type { Transport } from '../contract/wire.ts';

/** Lets requests through at most `perSecond` a second, evenly spaced, in the order they came. */
export function withRate(transport: Transport, perSecond: number, clock: Clock): Transport {
  const spacingMs = 1000 / perSecond;
  let nextAt = 0;
  return async (request, signal) => {
    const now = clock.monotonicMs();
    const startAt = Math.max(now, nextAt);
    nextAt = startAt + spacingMs;
    if (startAt > now) await clock.sleep(startAt - now, signal);
    return transport(request, signal);
  };
}
