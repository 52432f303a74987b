import type { Rejects } from '../../../input/rejects/rejects.ts';
import type { RejectedRecord } from '../../../input/rejects/rejects-file.ts';
import type { Validation } from '../../../input/validate.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { outcomeOf, type PushOutcome } from '../../../push/steps/outcome.ts';
import type { PushCommandFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import type { ReadFiles } from './compiled-input.ts';

/** Yields an outcome for each record that `--rejects` omits from a push. */
export async function* leftOut(rejects: Rejects): AsyncGenerator<readonly PushOutcome[]> {
  for await (const batch of rejects.records()) yield batch.map(outcomeOfRejected);
}

function outcomeOfRejected({ file, line, originId = '', problems }: RejectedRecord): PushOutcome {
  const error = problems.map(({ column, reason }) => [column, reason].filter(Boolean).join(': ')).join('; ');
  return outcomeOf({ file, line, originId }, 'rejected', { error });
}

/** True if some shard still has records to send, and every problem concerns one record, not a whole file. */
export function mayLeaveOut({
  count,
  elsewhereCount,
  problems,
}: Pick<Validation, 'count' | 'elsewhereCount' | 'problems'>): boolean {
  return count + elsewhereCount > 0 && problems.every(({ line }) => line !== undefined);
}

/** Problems of whole orders: only a person knows which of their rows is right. */
const problemsOfOrders: ReadonlySet<string> = new Set([
  'order-disagrees',
  'order-scattered',
  'order-too-long',
]);

/**
 * Writes the omitted records before anything is sent, and reports the number of records to push; a dry run writes
 * nothing. Problems of whole orders are not omitted here: the push itself rejects them.
 * @throws as `Rejects.write`, if omitting records would not be safe.
 */
export async function skipInvalid(
  { flags, notices }: Invocation<PushCommandFlags>,
  { files, validation, rejects }: Pick<ReadFiles<unknown, object>, 'files' | 'validation' | 'rejects'>,
): Promise<void> {
  rejects.checkSafe();
  const isOfOrder = validation.problems.some(({ code }) => problemsOfOrders.has(code));
  if (isOfOrder && flags.rejects !== undefined)
    notices.warning(
      `the orders listed above have inconsistent rows; they are not in ${flags.rejects}: the push rejects them`,
      'correct their rows in the input and push it again; what was sent by then is skipped',
    );
  if (rejects.count === 0) return;
  const { count, problemCount } = validation;
  const toPush = `${counted(count, 'record')} to push`;
  const left = `${counted(rejects.count, 'record')} skipped`;
  if (flags.dryRun || flags.rejects === undefined) {
    notices.warning(`${left} for ${counted(problemCount, 'problem')}; ${toPush}`);
    return;
  }
  await rejects.write(flags.rejects, files);
  notices.warning(
    `${left} and written to ${flags.rejects}; ${toPush}`,
    'correct them there and push that file; its last column says what is wrong with each',
  );
}
