import type { Problem } from '../records/problem.ts';
import type { InputRow, RowBatch } from '../records/row-batch.ts';

/** A problem in the place of a row, and the row as far as its text is kept. */
export interface UnreadRow {
  readonly problem: Problem;
  readonly row: InputRow | undefined;
}

/** What could not be read between the rows of a batch, in order. */
export class UnreadRows {
  readonly #problems: readonly Problem[];
  readonly #rows: readonly InputRow[];
  #next = 0;
  #nextRow = 0;

  constructor({ problems, unread = [] }: RowBatch) {
    this.#problems = problems;
    this.#rows = unread;
  }

  /** Whether some above `line` were not given yet; nearly always none. */
  hasBefore(line: number): boolean {
    return this.#isAbove(this.#problems[this.#next], line);
  }

  /** Those above `line` that were not given yet. */
  before(line: number): Iterable<UnreadRow> {
    return this.#take(line);
  }

  #isAbove(problem: Problem | undefined, line: number): problem is Problem {
    return problem !== undefined && (problem.line ?? 0) < line;
  }

  *#take(line: number): Generator<UnreadRow> {
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
