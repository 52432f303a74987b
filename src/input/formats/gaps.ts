import type { Problem, Row, Stretch } from '../records/problem.ts';

/** A problem in the place of a row, and the row as far as its text is kept. */
export interface Gap {
  readonly problem: Problem;
  readonly row: Row | undefined;
}

/** What could not be read between the rows of a stretch, in order. */
export class Gaps {
  readonly #problems: readonly Problem[];
  readonly #rows: readonly Row[];
  #next = 0;
  #nextRow = 0;

  constructor({ problems, unread = [] }: Stretch) {
    this.#problems = problems;
    this.#rows = unread;
  }

  /** Whether some above `line` were not given yet; nearly always none. */
  hasBefore(line: number): boolean {
    return this.#isAbove(this.#problems[this.#next], line);
  }

  /** Those above `line` that were not given yet. */
  before(line: number): Iterable<Gap> {
    return this.#take(line);
  }

  #isAbove(problem: Problem | undefined, line: number): problem is Problem {
    return problem !== undefined && (problem.line ?? 0) < line;
  }

  *#take(line: number): Generator<Gap> {
    for (;;) {
      const problem = this.#problems[this.#next];
      if (!this.#isAbove(problem, line)) return;
      this.#next += 1;
      const row = this.#rows[this.#nextRow];
      const isOfRow = row !== undefined && row.line === problem.line;
      if (isOfRow) this.#nextRow += 1;
      yield { problem, row: isOfRow ? row : undefined };
    }
  }
}
