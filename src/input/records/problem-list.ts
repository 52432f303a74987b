import type { Problem } from './problem.ts';

/** The most problems that are kept for listing; all are counted. */
export const problemsKept = 10_000;

/** The first problems, and the number of all. */
export class ProblemList {
  readonly kept: Problem[] = [];
  count = 0;

  add(problems: readonly Problem[]): void {
    this.count += problems.length;
    if (problems.length > 0) this.kept.push(...problems.slice(0, problemsKept - this.kept.length));
  }
}
