import { Failure } from '../../base/failure.ts';
import type { InputFiles } from '../../input/open.ts';
import type { InputOptions } from '../../input/place.ts';
import type { Identified, RecordKind } from '../../input/record-kinds.ts';
import { type LeftOut, readLeftOut, writeRejects } from '../../input/rejects.ts';
import type { Validation } from '../../input/validate.ts';
import type { Notices } from '../../output/notices.ts';
import { counted } from '../../output/totals.ts';
import { type Outcome, outcomeOf } from '../../push/outcome.ts';

/** One outcome for each record that `--skip-invalid` leaves out of a push. */
export async function* leftOut<T extends Identified>(
  kind: RecordKind<T>,
  { files, options }: Pick<LeftOutInput, 'files' | 'options'>,
): AsyncGenerator<readonly Outcome[]> {
  for await (const batch of readLeftOut(files, kind, options)) yield batch.map(outcomeOfLeftOut);
}

function outcomeOfLeftOut({ file, line, originId = '', problems }: LeftOut): Outcome {
  const error = problems.map(({ column, reason }) => [column, reason].filter(Boolean).join(': ')).join('; ');
  return outcomeOf({ file, line, originId }, 'rejected', { error });
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
 * Gives how many records are left out; none where the problems are those of whole orders, which the push itself rejects.
 * @throws what `writeRejects` throws where leaving records out would not be safe.
 */
export async function leaveOut<T extends Identified>(
  { flags, notices }: { readonly flags: SkipFlags; readonly notices: Notices },
  kind: RecordKind<T>,
  { files, options, validation }: LeftOutInput,
): Promise<number> {
  const { count, problemCount } = validation;
  const toPush = `${counted(count, 'record')} to push`;
  if (flags.dryRun || flags.rejects === undefined) {
    let leftOutCount = 0;
    for await (const batch of readLeftOut(files, kind, options)) leftOutCount += batch.length;
    if (leftOutCount === 0) return 0;
    const why = `for ${counted(problemCount, 'problem')} (--skip-invalid)`;
    notices.warning(`${counted(leftOutCount, 'record')} left out ${why}; ${toPush}`);
    return leftOutCount;
  }
  const { path, reasonsPath, count: rejectCount } = await writeRejects(files, kind, options, flags.rejects);
  if (rejectCount === 0) return 0;
  notices.warning(
    `${counted(rejectCount, 'record')} left out and written to ${path} (--skip-invalid); ${toPush}`,
    `correct them there and push that file; ${reasonsPath} says what is wrong with each`,
  );
  return rejectCount;
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
