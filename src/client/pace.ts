import type { Clock } from '../base/clock.ts';
import type { Transport } from '../contract/wire.ts';
import { isOverloaded } from './overload.ts';
import { retryAfterLongestMs, retryAfterMs } from './retry.ts';

export interface PaceOptions {
  /** The most requests per second; undefined for no cap. */
  readonly rate: number | undefined;
  /** See `isOverloaded`. */
  readonly overloadStatuses: readonly number[];
  readonly clock: Clock;
  /** Aborted to end the wait of a request whose caller gives no signal. */
  readonly stopping?: AbortSignal | undefined;
}

/** What a service refused because there were too many requests. */
export interface TooMany {
  /** Refused requests. */
  readonly count: number;
  /** Requests per second that it took at the time; undefined if it refused so few that this may be chance. */
  readonly takenPerSecond: number | undefined;
}

/** A transport whose requests are spaced. */
interface Paced {
  readonly transport: Transport;
  /** Undefined as long as nothing was refused. */
  readonly tooMany: () => TooMany | undefined;
}

/** The time whose requests show how many a service takes. */
const windowMs = 5_000;
/** A burst that a service takes at once shows nothing of its pace; it counts as if it had taken this long. */
const leastWindowMs = 1_000;
/** What is tried of a pace that was measured, and how it grows per second while nothing is refused. */
const share = { ofMeasured: 0.95, perSecond: 1.05 } as const;
/** Fewer refusals than these, and than this share of the requests, are chance, or show that the pace is right. */
const refusalsLeast = { count: 3, share: 0.1 } as const;
/** Requests per second of a service that took none of late, and those from which on none is held back. */
const bounds = { least: 1, most: 1_000 } as const;

/**
 * Spaces requests evenly, in order of arrival: at `rate`, and once the service has refused a part of them because there
 * were too many, as it took the others. That pace rises as long as hardly any is refused.
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
    const risen = learned.perSecond * share.perSecond ** ((nowMs - learned.sinceMs) / 1000);
    if (risen >= bounds.most) learned = undefined;
    return Math.min(cap, risen);
  };
  /** Counts a refusal, and returns whether it is more than chance. */
  const slowDown = (beganMs: number, nowMs: number): boolean => {
    tooMany = { takenPerSecond: undefined, ...tooMany, count: (tooMany?.count ?? 0) + 1 };
    const sinceMs = Math.max(learned?.sinceMs ?? Number.NEGATIVE_INFINITY, nowMs - windowMs);
    // What had left before the service was found to be slower says nothing of the pace since then.
    if (beganMs < sinceMs) return learned !== undefined;
    refused.add(nowMs);
    const refusals = refused.countSince(sinceMs);
    const least = refusalsLeast.share * (refusals + taken.countSince(sinceMs));
    if (refusals < Math.max(refusalsLeast.count, least)) return false;
    const takenPerSecond = taken.perSecond(nowMs);
    tooMany = { ...tooMany, takenPerSecond };
    const found = Math.min(takenPerSecond * share.ofMeasured, perSecond(nowMs));
    learned = { perSecond: Math.max(bounds.least, found), sinceMs: nowMs };
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

/** More of them are not kept: a service that takes as many in the window needs no pace. */
const timesMaximum = (bounds.most * windowMs) / 1000;

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

  /** Requests per second over the window up to now, or over the time since the first one; 0 if there were none. */
  perSecond(nowMs: number): number {
    const [firstMs = nowMs] = this.#timesMs;
    const spanMs = Math.max(leastWindowMs, Math.min(windowMs, nowMs - firstMs));
    return (this.countSince(nowMs - windowMs) * 1000) / spanMs;
  }
}
