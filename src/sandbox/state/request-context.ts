import type { Assumptions } from '../../contract/assumptions.ts';
import type { State } from './state.ts';

/** The state and settings for handling a request. */
export interface RequestContext {
  readonly state: State;
  readonly assumptions: Assumptions;
  /** Time of the request, in the notation of replies: `2019-08-24T14:15:22Z`. */
  readonly now: string;
  readonly nowMs: number;
  /** Delay from accepting a bulk entry to running its job. */
  readonly jobDelayMs: number;
  /** Last id assigned before the request arrived. A record with a later id was created concurrently. */
  readonly lastIdAtArrival: number;
  /** Last id that lists show; undefined if they show all. */
  readonly listedId: number | undefined;
}

export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
