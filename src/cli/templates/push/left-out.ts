import { Failure } from '../../../base/failure.ts';
import type { InputFiles } from '../../../input/open/open.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import type { Identified, RecordKind } from '../../../input/records/record-kinds.ts';
import type { Rejects } from '../../../input/rejects/rejects.ts';
import type { RejectedRecord } from '../../../input/rejects/rejects-file.ts';
import type { Validation } from '../../../input/validate.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { outcomeOf, type PushOutcome } from '../../../push/steps/outcome.ts';

/** One outcome for each record that `--skip-invalid` leaves out of a push. */
export async function* leftOut(rejects: Rejects): AsyncGenerator<readonly PushOutcome[]> {
  for await (const batch of rejects.records()) yield batch.map(outcomeOfRejected);
}

function outcomeOfRejected({ file, line, originId = '', problems }: RejectedRecord): PushOutcome {
  const error = problems.map(({ column, reason }) => [column, reason].filter(Boolean).join(': ')).join('; ');
  return outcomeOf({ file, line, originId }, 'rejected', { error });
}

/** Whether something is left to send, by some shard, and every problem is that of one record, not of a whole file. */
export function mayLeaveOut({
  count,
  elsewhereCount,
  problems,
}: Pick<Validation, 'count' | 'elsewhereCount' | 'problems'>): boolean {
  return count + elsewhereCount > 0 && problems.every(({ line }) => line !== undefined);
}

/** @throws Failure('usage') where records are to be left out and nothing says where to. */
export function requireRejects({ skipInvalid, rejects }: SkipFlags): void {
  if (!skipInvalid || rejects !== undefined) return;
  throw new Failure(
    'usage',
    '--skip-invalid needs a file for the records it skips',
    'use a new file: --rejects rejects.csv',
  );
}

/**
 * Writes the omitted records before anything is sent, and reports what is sent without them; a dry run writes nothing.
 * Problems of whole orders are not omitted here: the push itself rejects them.
 * @throws as `Rejects.write`, where omitting records would not be safe.
 */
export async function leaveOut<T extends Identified>(
  { flags, notices }: { readonly flags: SkipFlags; readonly notices: Notices },
  kind: RecordKind<T>,
  { files, options, validation, rejects }: LeftOutInput,
): Promise<void> {
  rejects.checkSafe();
  if (rejects.count === 0) return;
  const { count, problemCount } = validation;
  const toPush = `${counted(count, 'record')} to push`;
  const left = `${counted(rejects.count, 'record')} skipped`;
  if (flags.dryRun || flags.rejects === undefined) {
    notices.warning(`${left} for ${counted(problemCount, 'problem')} (--skip-invalid); ${toPush}`);
    return;
  }
  const { path, reasonsPath } = await rejects.write(flags.rejects, files, kind, options);
  notices.warning(
    `${left} and written to ${path} (--skip-invalid); ${toPush}`,
    `correct them there and push that file; ${reasonsPath} lists the problem of each`,
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
  readonly rejects: Rejects;
}
