import type { AnswerRow } from './packed/answer.ts';

/** A run as stores keep it: its beginning, end and course are JSON. */
export interface CopiedRun {
  readonly id: string;
  readonly start: string;
  readonly end: string | null;
  readonly timeline: string | null;
}

/** All that a journal holds, as it is at one instant, without requests under way. */
export interface JournalCopy {
  /** What is known of requests, in the order in which they ended, page by page. */
  answers(): Iterable<readonly AnswerRow[]>;
  runs(): readonly CopiedRun[];
  /** What was kept of a run, as `packPage` has it, in order. */
  records(run: string): Iterable<Uint8Array>;
  close(): void;
}
