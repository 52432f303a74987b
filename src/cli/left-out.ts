import type { Problem } from '../input/place.ts';
import type { Validation } from '../input/validate.ts';
import type { Notices } from '../output/notices.ts';
import { counted } from '../output/totals.ts';
import type { Outcome } from '../push/outcome.ts';

/** One outcome for each line with problems: what `--skip-invalid` leaves out of a push. */
export function leftOut({ problems }: Pick<Validation, 'problems'>): readonly Outcome[] {
  const byLine = new Map<string, Problem[]>();
  for (const problem of problems) {
    const key = JSON.stringify([problem.file, problem.line]);
    const alike = byLine.get(key);
    if (alike === undefined) byLine.set(key, [problem]);
    else alike.push(problem);
  }
  return [...byLine.values()].map(outcomeOfProblems);
}

/** The id is not told: it may be what is wrong. */
function outcomeOfProblems(problems: readonly Problem[]): Outcome {
  const { file = '', line = 0 } = problems[0] ?? {};
  const error = problems.map(({ column, reason }) => [column, reason].filter(Boolean).join(': ')).join('; ');
  return { file, line, originId: '', outcome: 'rejected', error };
}

/** Whether something is left to send, and every problem is that of one record and not of a whole file. */
export function mayLeaveOut({ count, problems }: Pick<Validation, 'count' | 'problems'>): boolean {
  return count > 0 && problems.every(({ line }) => line !== undefined);
}

/** Says that the rest goes out without the records that have problems. */
export function tellLeftOut({ count, problemCount }: Validation, notices: Notices): void {
  notices.warning(
    `left out for ${counted(problemCount, 'problem')} (--skip-invalid); ${counted(count, 'record')} to push`,
    'correct what is listed above and run the same command again: it goes on with what is new',
  );
}
