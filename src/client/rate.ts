import type { Clock } from '../base/clock.ts';
import type { Transport } from '../contract/wire.ts';

/**
 * Sends at most `perSecond` requests per second, evenly spaced, in order of arrival. A request whose caller gives no
 * signal waits for its turn until `stopping` is aborted.
 */
export function withRate(
  transport: Transport,
  perSecond: number,
  clock: Clock,
  stopping?: AbortSignal,
): Transport {
  const spacingMs = 1000 / perSecond;
  let nextAt = 0;
  return async (request, signal) => {
    const now = clock.monotonicMs();
    const startAt = Math.max(now, nextAt);
    nextAt = startAt + spacingMs;
    if (startAt > now) await clock.sleep(startAt - now, signal ?? stopping);
    return transport(request, signal);
  };
}
