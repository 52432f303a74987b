import type { Assumptions } from '../../contract/assumptions.ts';
import type { State } from './state.ts';

/** What a handler works with besides the request itself. */
export interface RequestContext {
  readonly state: State;
  readonly assumptions: Assumptions;
  /** The time of the request as replies show times: `2019-08-24T14:15:22Z`. */
  readonly now: string;
  readonly nowMs: number;
  /** Delay between accepting a bulk entry and carrying out its job. */
  readonly jobDelayMs: number;
  /** The last id assigned before the request arrived; a record with a later id was created concurrently. */
  readonly lastIdAtArrival: number;
  /** The last id that lists show; undefined if they show all. */
  readonly listedId: number | undefined;
}

export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
