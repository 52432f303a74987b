import type { Problem } from '../records/problem.ts';
import type { InputRow, RowBatch } from '../records/row-batch.ts';

/** The problem of a row that could not be read, and the row, if its text is kept. */
export interface UnreadRow {
  readonly problem: Problem;
  readonly row: InputRow | undefined;
}

/** The unreadable rows of a batch, in order. */
export class UnreadRows {
  readonly #problems: readonly Problem[];
  readonly #rows: readonly InputRow[];
  #next = 0;
  #nextRow = 0;

  constructor({ problems, unread = [] }: RowBatch) {
    this.#problems = problems;
    this.#rows = unread;
  }

  /** Whether there is an unreadable row above `line` that has not been given yet. */
  hasBefore(line: number): boolean {
    return this.#isAbove(this.#problems[this.#next], line);
  }

  /** The unreadable rows above `line` that have not been given yet. */
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
