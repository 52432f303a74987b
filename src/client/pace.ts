import type { Clock } from '../base/clock.ts';
import type { Transport } from '../contract/wire.ts';
import { isOverloaded } from './overload.ts';
import { retryAfterLongestMs, retryAfterMs } from './retry.ts';

export interface PaceOptions {
  /** The maximum number of requests per second; undefined for no cap. */
  readonly rate: number | undefined;
  /** See `isOverloaded`. */
  readonly overloadStatuses: readonly number[];
  readonly clock: Clock;
  /** Aborted to end the wait of a request whose caller passes no signal. */
  readonly stopping?: AbortSignal | undefined;
}

/** The requests that a service refused because there were too many. */
export interface TooMany {
  /** The number of refused requests. */
  readonly count: number;
  /** Requests per second that it accepted at the time; undefined if the few refusals may be chance. */
  readonly takenPerSecond: number | undefined;
}

/** A transport with spaced requests. */
interface Paced {
  readonly transport: Transport;
  /** Undefined while nothing was refused. */
  readonly tooMany: () => TooMany | undefined;
}

/** The period whose requests show how many a service accepts. */
const windowMs = 5_000;
/** The minimum period. A burst that a service accepts at once shows nothing about its pace. */
const leastWindowMs = 1_000;
/** The share of the measured pace to try, and its growth per second while nothing is refused. */
const share = { ofMeasured: 0.95, perSecond: 1.05 } as const;
/** The minimum number and share of refusals. Fewer are chance, or show that the pace is right. */
const minRefusals = { count: 3, share: 0.1 } as const;
/** Requests per second: for a service that recently accepted none, and the pace from which none is held back. */
const bounds = { min: 1, max: 1_000 } as const;

/**
 * Spaces requests evenly, in order of arrival, at `rate`. If the service refuses some because there are too many,
 * adopts the pace of those it accepted. The pace rises while hardly any are refused.
 */
export function withPace(
  transport: Transport,
  { rate, overloadStatuses, clock, stopping }: PaceOptions,
): Paced {
  const [taken, refused] = [new RecentTimes(), new RecentTimes()];
  const cap = rate ?? Number.POSITIVE_INFINITY;
  let learned: { readonly perSecond: number; readonly sinceMs: number } | undefined;
  let tooMany: TooMany | undefined;
  let nextAtMs = Number.NEGATIVE_INFINITY;

  const perSecond = (nowMs: number): number => {
    if (learned === undefined) return cap;
    const raised = learned.perSecond * share.perSecond ** ((nowMs - learned.sinceMs) / 1000);
    if (raised >= bounds.max) learned = undefined;
    return Math.min(cap, raised);
  };
  /** Counts a refusal. Returns true if there are more than by chance. */
  const slowDown = (beganMs: number, nowMs: number): boolean => {
    tooMany = { takenPerSecond: undefined, ...tooMany, count: (tooMany?.count ?? 0) + 1 };
    const sinceMs = Math.max(learned?.sinceMs ?? Number.NEGATIVE_INFINITY, nowMs - windowMs);
    // Requests that left before the pace was reduced show nothing about the current pace.
    if (beganMs < sinceMs) return learned !== undefined;
    refused.add(nowMs);
    const refusals = refused.countSince(sinceMs);
    const min = minRefusals.share * (refusals + taken.countSince(sinceMs));
    if (refusals < Math.max(minRefusals.count, min)) return false;
    const takenPerSecond = taken.perSecond(nowMs);
    tooMany = { ...tooMany, takenPerSecond };
    const found = Math.min(takenPerSecond * share.ofMeasured, perSecond(nowMs));
    learned = { perSecond: Math.max(bounds.min, found), sinceMs: nowMs };
    return true;
  };
  return {
    tooMany: () => tooMany,
    transport: async (request, signal) => {
      const arrivedMs = clock.monotonicMs();
      const startAtMs = Math.max(arrivedMs, nextAtMs);
      nextAtMs = startAtMs + 1000 / perSecond(arrivedMs);
      if (startAtMs > arrivedMs) await clock.sleep(startAtMs - arrivedMs, signal ?? stopping);
      const beganMs = clock.monotonicMs();
      const reply = await transport(request, signal);
      const nowMs = clock.monotonicMs();
      if (!isOverloaded(reply, overloadStatuses)) {
        taken.add(nowMs);
        return reply;
      }
      const { status, headers, body } = reply;
      const pauseMs = retryAfterMs(headers['retry-after'], clock) ?? 0;
      const isForAll = slowDown(beganMs, nowMs) && pauseMs <= retryAfterLongestMs;
      if (isForAll) nextAtMs = Math.max(nextAtMs, nowMs + pauseMs);
      return { status, headers, body, isOverloaded: true };
    },
  };
}

/** The maximum number of instants to keep. A service that accepts that many per window needs no pace. */
const timesMaximum = (bounds.max * windowMs) / 1000;

/** Instants of requests, in ascending order. */
class RecentTimes {
  readonly #timesMs: number[] = [];

  add(nowMs: number): void {
    this.#timesMs.push(nowMs);
    if (this.#timesMs.length >= 2 * timesMaximum) this.#timesMs.splice(0, timesMaximum);
  }

  countSince(sinceMs: number): number {
    return this.#timesMs.filter((atMs) => atMs >= sinceMs).length;
  }

  /** Requests per second in the last window, or since the first request if later; 0 if there were none. */
  perSecond(nowMs: number): number {
    const [firstMs = nowMs] = this.#timesMs;
    const spanMs = Math.max(leastWindowMs, Math.min(windowMs, nowMs - firstMs));
    return (this.countSince(nowMs - windowMs) * 1000) / spanMs;
  }
}
