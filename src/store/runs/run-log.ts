import type { Shard } from '../../base/shard.ts';
import type { RunTimeline } from './run-timeline.ts';

/** What a run reads, by which runs of one input are recognized. */
export interface RunInput {
  /** The SHA-256 of its bytes. */
  readonly digest: string;
  /** A hash of the flags and settings that decide how its records are read. */
  readonly reading: string;
  /** The number of its records, of all shards together. */
  readonly records: number;
}

/** What is known of a run when it begins. */
export interface PushRunStart {
  /** What it does, as its lock is named: `orders`. */
  readonly kind: string;
  /** The words after the program's name, as typed, without secrets. */
  readonly command: readonly string[];
  /** The working folder it was called in. */
  readonly folder: string;
  readonly files: readonly string[];
  /** The id of the plan that it sends. */
  readonly plan?: string;
  /** The part of the input that it sends. */
  readonly shard?: Shard;
  /** Of a run that is part of an import. */
  readonly input?: RunInput;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
}

/** What came of a run that reached its end. */
export interface RunEnd {
  readonly endedMs: number;
  readonly exitCode: number;
  /** How many records came to each outcome. */
  readonly tally: Readonly<Record<string, number>>;
  /** How many records succeeded that an earlier run had rejected, and are noted for it. */
  readonly closed?: number;
  /** Whether every record of its input came to an outcome: none was left out by a limit, or by an early end. */
  readonly isWhole: boolean;
}

/** A run on record; one without an end is still busy, or was killed. */
export interface Run extends PushRunStart {
  /** Short, and in the order of time. */
  readonly id: string;
  readonly end: RunEnd | undefined;
}

/** A record that a run of an import is to send; with its outcome, once it has one. */
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
 * The runs of one profile at one service. Writes are durable when their promise resolves. The oldest runs go when there
 * are more than `runsKept`; what they did to records stays.
 * @throws Failure from every method where the store fails.
 */
export interface RunLog {
  /** Before the first request, by the holder of its lock; returns the id of the run. */
  begin(start: PushRunStart): Promise<string>;
  /** Before the outcomes are reported. */
  note(run: string, outcomes: readonly NotedOutcome[]): Promise<void>;
  end(run: string, end: RunEnd, timeline?: RunTimeline): Promise<void>;
  /** Of a run of an import: all its records before the first request, and their outcomes as they come. */
  keep(run: string, records: readonly RunRecord[]): Promise<void>;
  /** Forgets runs, with their course and what was kept and noted of them; what they did to records stays. */
  remove(runs: readonly string[]): Promise<void>;
  /** The newest first. */
  list(): Promise<readonly Run[]>;
  /** The course of a run that ended; undefined of any other. */
  timeline(run: string): Promise<RunTimeline | undefined>;
  /** What was kept of a run, as it came, a page at a time; a page is read when it is asked for. */
  kept(run: string): AsyncIterable<readonly RunRecord[]>;
  /** What was noted of a run, in the order of the input, a page at a time; a page is read when it is asked for. */
  noted(run: string): AsyncIterable<readonly NotedOutcome[]>;
}

/** Runs that are kept. */
export const runsKept = 1000;
