import { appendFileSync, readFileSync } from 'node:fs';
import type { NumberedMutation } from './switchable.ts';

/** The work of one vitest run. The campaign writes it; the configuration and the runner read it. */
export interface MutantJob {
  readonly mutants: readonly (NumberedMutation & { readonly path: string })[];
  /** Test files in order of execution, each with the mutants that it may kill. */
  readonly tests: readonly { readonly path: string; readonly mutants: readonly number[] }[];
  /** The path of the notes, one per line. */
  readonly notes: string;
  /**
   * The limit of working and waiting time for all tests of one mutant, in milliseconds; no further test begins after
   * it.
   */
  readonly testsMs: number;
  /** The time after which no mutant is begun. */
  readonly untilMs: number;
}

/** Progress of the runner, written at once, so that nothing is lost if a mutant never ends. */
export type MutantNote =
  /** The tests pass without a mutant, and reach these. */
  | { readonly kind: 'covered'; readonly test: string; readonly mutants: readonly number[] }
  /** The tests fail without any mutant, so their result means nothing. */
  | { readonly kind: 'unfit'; readonly test: string; readonly message: string }
  | { readonly kind: 'began'; readonly test: string; readonly mutant: number }
  | {
      readonly kind: 'ended';
      readonly test: string;
      readonly mutant: number;
      readonly state: 'killed' | 'overdue' | 'unnoticed';
      /** The test that failed. */
      readonly by: string | undefined;
      /** Its working and waiting time, in milliseconds. */
      readonly ownMs: number;
    }
  | { readonly kind: 'done'; readonly test: string };

/** The environment variable with the path of the job file. */
export const jobVariable = 'MUTANT_JOB';

export function readJob(): MutantJob {
  const path = process.env[jobVariable] ?? '';
  return JSON.parse(readFileSync(path, 'utf8'));
}

export function readNotes(path: string): readonly MutantNote[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line): MutantNote => JSON.parse(line));
}

export function note(path: string, noted: MutantNote): void {
  appendFileSync(path, `${JSON.stringify(noted)}\n`);
}
