import type { HintText } from '../../base/hint.ts';
import type { Problem } from '../../input/records/problem.ts';
import { clipText } from './display-width.ts';
import { terminalText } from './terminal-text.ts';
import { counted, grouped } from './totals.ts';

/** Similar problems: the same reason in the same column of the same file. */
interface Group {
  readonly first: Problem;
  readonly examples: Problem[];
  count: number;
}

/** The text of one group: place, reason and number; and the remedy. */
interface ProblemLines {
  readonly lines: readonly string[];
  readonly remedy: HintText;
}

/** Up to this number, similar problems are listed one by one; above it, their lines are summarized. */
const examplesKept = 3;
/** The maximum number of groups, which bounds the memory of a report. */
const groupsKept = 500;
/** Cells shown of a faulty value. */
const quotedWidth = 40;

/** Collects the problems of an input and groups similar ones, in bounded memory. */
export class ProblemReport {
  readonly #groups = new Map<string, Group>();
  #left = 0;

  add(problem: Problem): void {
    const key = JSON.stringify([problem.file, problem.code, problem.column, problem.reason]);
    const group = this.#groups.get(key);
    if (group) {
      group.count += 1;
      if (group.examples.length < examplesKept) group.examples.push(problem);
    } else if (this.#groups.size < groupsKept) {
      this.#groups.set(key, { first: problem, examples: [problem], count: 1 });
    } else {
      this.#left += 1;
    }
  }

  /** The groups in the order of their first problems. */
  *groups(): Generator<ProblemLines> {
    for (const { first, examples, count } of this.#groups.values()) {
      const lines = count > examplesKept ? [groupLine(first, examples, count)] : examples.map(problemLine);
      yield { lines, remedy: first.remedy };
    }
    if (this.#left > 0) {
      const remedy = 'correct these problems and run again to see the rest';
      yield { lines: [`and ${counted(this.#left, 'problem')} more`], remedy };
    }
  }
}

/** `orders.csv:12: paidPrice: is not a number: "12,-"`; unknown parts are omitted. */
function problemLine({ file, line, column, reason, value }: Problem): string {
  const quoted = value === undefined ? undefined : `"${clipText(terminalText(value), quotedWidth).text}"`;
  return joined([line === undefined ? file : `${file}:${line}`, column, reason, quoted]);
}

/** `orders.csv: paidPrice: is not a number: 1,204 rows, first 12, 19, 44`. */
function groupLine({ file, column, reason }: Problem, examples: readonly Problem[], count: number): string {
  const lines = examples.flatMap(({ line }) => (line === undefined ? [] : [String(line)]));
  const first = lines.length > 0 ? `, first ${lines.join(', ')}` : '';
  return joined([file, column, reason, `${grouped(count)} rows${first}`]);
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(': ');
}
