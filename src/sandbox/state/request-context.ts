import type { Assumptions } from '../../contract/assumptions.ts';
import type { Listings } from './listings.ts';
import type { State } from './state.ts';

/** What a handler works with besides the request itself. */
export interface RequestContext {
  readonly state: State;
  readonly listings: Listings;
  readonly assumptions: Assumptions;
  /** The time of the request as replies show times: `2019-08-24T14:15:22Z`. */
  readonly now: string;
  readonly nowMs: number;
  /** Delay between accepting a bulk entry and carrying out its job. */
  readonly jobDelayMs: number;
  /** The last id assigned before the request arrived; a record with a later id was created concurrently. */
  readonly lastIdAtArrival: number;
}

const dayMs = 86_400_000;

/** By second of the day: `14:15:22Z`. Sharing them halves the memory that the timestamps of a large state take. */
const timesOfDay: string[] = [];

/** By day since the epoch: `2019-08-24T`, for recently used days. */
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
