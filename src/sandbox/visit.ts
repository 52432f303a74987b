import type { Assumptions } from '../contract/assumptions.ts';
import type { Listings } from './listings.ts';
import type { World } from './world.ts';

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

export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
