import type { Clock } from '../base/clock.ts';
import type { Transport } from '../contract/wire.ts';

/** Sends at most `perSecond` requests per second, evenly spaced, in order of arrival. */
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
