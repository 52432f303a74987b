import type { Shard } from '../../base/shard.ts';
import type { RunTimeline } from './run-timeline.ts';

/** The input of a run, for recognizing runs of the same input. */
export interface RunInput {
  /** The SHA-256 of its bytes. */
  readonly digest: string;
  /** A hash of the flags and settings that decide how its records are read. */
  readonly reading: string;
  /** The number of its records in all shards. */
  readonly records: number;
}

/** The facts known at the start of a run. */
export interface PushRunStart {
  /** The kind in the name of its lock: `orders`. */
  readonly kind: string;
  /** The arguments after the program's name, as typed, without secrets. */
  readonly command: readonly string[];
  /** The working folder. */
  readonly folder: string;
  readonly files: readonly string[];
  /** The id of the plan that it sends. */
  readonly plan?: string;
  /** The part of the input that it sends. */
  readonly shard?: Shard;
  /** Set if the run is part of an import. */
  readonly input?: RunInput;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
}

/** The result of a run that ended. */
export interface RunEnd {
  readonly endedMs: number;
  readonly exitCode: number;
  /** Number of records by outcome. */
  readonly tally: Readonly<Record<string, number>>;
  /** Number of successful records that an earlier run had rejected, and that are noted for that run. */
  readonly closed?: number;
  /** True if every record of its input has an outcome: none was left out by a limit or an early end. */
  readonly isWhole: boolean;
}

/** A recorded run. Without an end, it is still running or was killed. */
export interface Run extends PushRunStart {
  /** Short, and ordered by time. */
  readonly id: string;
  readonly end: RunEnd | undefined;
}

/** A record that a run of an import will send, with its outcome once known. */
export interface RunRecord {
  readonly file: string;
  readonly line: number;
  readonly originId: string;
  readonly outcome?: string;
}

/** An outcome that needs a person's attention. */
export interface NotedOutcome {
  readonly file: string;
  readonly line: number;
  readonly originId: string;
  readonly outcome: string;
  readonly error?: string;
}

/**
 * The runs of one profile at one service. Writes are durable once their promise resolves. Beyond `runsKept`, the oldest
 * runs are removed; their effect on records stays.
 * @throws Failure from every method if the store fails.
 */
export interface RunLog {
  /** Call before the first request, while holding the lock; returns the id of the run. */
  begin(start: PushRunStart): Promise<string>;
  /** Call before the outcomes are reported. */
  note(run: string, outcomes: readonly NotedOutcome[]): Promise<void>;
  end(run: string, end: RunEnd, timeline?: RunTimeline): Promise<void>;
  /** For a run of an import: keeps all its records before the first request, and their outcomes as they come. */
  keep(run: string, records: readonly RunRecord[]): Promise<void>;
  /** Removes runs with their timelines, kept and noted records; their effect on records stays. */
  remove(runs: readonly string[]): Promise<void>;
  /** Lists the runs, newest first. */
  list(): Promise<readonly Run[]>;
  /** The timeline of an ended run; undefined for any other. */
  timeline(run: string): Promise<RunTimeline | undefined>;
  /** Pages of the kept records of a run, in the order of `keep`; each page is read on demand. */
  kept(run: string): AsyncIterable<readonly RunRecord[]>;
  /** Pages of the noted outcomes of a run, in the order of the input; each page is read on demand. */
  noted(run: string): AsyncIterable<readonly NotedOutcome[]>;
}

/** Maximum number of runs kept. */
export const runsKept = 1000;
