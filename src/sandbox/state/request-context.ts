import type { Assumptions } from '../../contract/assumptions.ts';
import type { Listings } from './listings.ts';
import type { World } from './state.ts';

/** One look at the world: what a handler works with besides the request itself. */
export interface Visit {
  readonly world: World;
  readonly listings: Listings;
  readonly assumptions: Assumptions;
  /** The time of the visit as replies show times: `2019-08-24T14:15:22Z`. */
  readonly now: string;
  readonly nowMs: number;
  /** From the acceptance of a bulk entry to its job being carried out. */
  readonly jobDelayMs: number;
  /** The last id given before the request arrived; a record with a later one was made at the same time. */
  readonly lastIdAtArrival: number;
}

const dayMs = 86_400_000;

/** By second of the day: `14:15:22Z`. Times of a large world share them, which takes half the memory of so many texts. */
const timesOfDay: string[] = [];

/** By day since the epoch: `2019-08-24T`, for the days that were asked for last. */
const days = new Map<number, string>();
const daysMaximum = 1000;

export function timestamp(ms: number): string {
  const day = Math.floor(ms / dayMs);
  const second = Math.floor((ms - day * dayMs) / 1000);
  timesOfDay[second] ??= `${new Date(second * 1000).toISOString().slice(11, 19)}Z`;
  const known = days.get(day) ?? new Date(day * dayMs).toISOString().slice(0, 11);
  if (days.size >= daysMaximum) days.clear();
  days.set(day, known);
  return known + timesOfDay[second];
}
