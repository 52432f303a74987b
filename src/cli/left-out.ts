import { Failure } from '../base/failure.ts';
import type { Identified } from '../input/check.ts';
import type { InputFiles } from '../input/open.ts';
import type { InputOptions, Problem } from '../input/place.ts';
import type { RecordKind } from '../input/record-kinds.ts';
import { writeRejects } from '../input/rejects.ts';
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

/** @throws Failure('usage') where records are to be left out and nothing says where to. */
export function requireRejects({ skipInvalid, rejects }: SkipFlags): void {
  if (!skipInvalid || rejects !== undefined) return;
  throw new Failure(
    'usage',
    '--skip-invalid needs a file for what it leaves out',
    'name one that is not there yet: --rejects rejects.csv',
  );
}

/**
 * Writes what is left out, before anything is sent, and says what goes out without it; a dry run writes nothing.
 * @throws what `writeRejects` throws where leaving records out would not be safe.
 */
export async function leaveOut<T extends Identified>(
  { flags, notices }: { readonly flags: SkipFlags; readonly notices: Notices },
  kind: RecordKind<T>,
  { files, options, validation }: LeftOutInput,
): Promise<void> {
  const { count, problemCount } = validation;
  const toPush = `${counted(count, 'record')} to push`;
  if (flags.dryRun || flags.rejects === undefined) {
    notices.warning(`left out for ${counted(problemCount, 'problem')} (--skip-invalid); ${toPush}`);
    return;
  }
  const { path, reasonsPath, count: rejectCount } = await writeRejects(files, kind, options, flags.rejects);
  notices.warning(
    `${counted(rejectCount, 'record')} left out and written to ${path} (--skip-invalid); ${toPush}`,
    `correct them there and push that file; ${reasonsPath} says what is wrong with each`,
  );
}

interface SkipFlags {
  readonly skipInvalid: boolean;
  readonly rejects: string | undefined;
  readonly dryRun: boolean;
}

interface LeftOutInput {
  readonly files: InputFiles;
  readonly options: InputOptions;
  readonly validation: Validation;
}
