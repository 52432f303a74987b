import { appendFileSync, readFileSync } from 'node:fs';
import type { NumberedMutation } from './switchable.ts';

/** What one run of vitest is to try; written by the campaign, read by the configuration and by the runner. */
export interface MutantJob {
  readonly mutants: readonly (NumberedMutation & { readonly path: string })[];
  /** Test files in the order in which they run, each with the mutants that it may notice. */
  readonly tests: readonly { readonly path: string; readonly mutants: readonly number[] }[];
  /** A file of lines, one for each note. */
  readonly notes: string;
  /** How long the tests of one mutant may work and wait together, in milliseconds; none begins after that. */
  readonly testsMs: number;
  /** The instant after which no mutant is begun. */
  readonly untilMs: number;
}

/** What the runner writes down as it goes, so that nothing is lost when a mutant never ends. */
export type MutantNote =
  /** The tests pass without a mutant, and reach these. */
  | { readonly kind: 'covered'; readonly test: string; readonly mutants: readonly number[] }
  /** The tests fail without any mutant, so they say nothing. */
  | { readonly kind: 'unfit'; readonly test: string; readonly message: string }
  | { readonly kind: 'began'; readonly test: string; readonly mutant: number }
  | {
      readonly kind: 'ended';
      readonly test: string;
      readonly mutant: number;
      readonly state: 'killed' | 'overdue' | 'unnoticed';
      /** The test that failed. */
      readonly by: string | undefined;
      /** How long it worked and waited, in milliseconds. */
      readonly ownMs: number;
    }
  | { readonly kind: 'done'; readonly test: string };

/** The variable of the environment that names the file of the job. */
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
