import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { counted, grouped } from '../../../output/terminal/totals.ts';
import { ChangeSummary } from '../../../push/plan/change-summary.ts';
import type { PlanReview } from '../../../push/plan/run-flow.ts';
import { type CountOrShare, countOrShareText, isMoreThan } from '../../flags/count-or-share.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import { askLine, canAsk } from '../../runtime/ask.ts';
import type { Invocation } from '../../runtime/command.ts';
import type { HeldLines } from './held-lines.ts';
import { withFlag } from './typed-command.ts';

/** What a push is measured by. */
export interface ChangeMeasure {
  /** One of its records: `product`. */
  readonly noun: string;
  readonly allowed: CountOrShare;
  /** How many records are there already, as far as that is known. */
  readonly countKnown: () => Promise<number>;
  /** Whether new records are changes, too: of a catalog most are there already. */
  readonly areNewCounted: boolean;
}

/**
 * Stops a push before its first write where it would change a larger part of the existing records than --max-change
 * allows; on a terminal it asks. A first push, without existing records, is never stopped.
 */
export function guardChanges<S extends object>(
  invocation: Invocation<SendingFlags>,
  { noun, allowed, countKnown, areNewCounted }: ChangeMeasure,
  held: HeldLines<S>,
): PlanReview<S> {
  const summary = new ChangeSummary();
  return {
    take: (line) => {
      summary.take(line);
      if (!invocation.flags.dryRun) held.add(line);
    },
    judge: async () => {
      const known = Math.max(await countKnown(), summary.known);
      const changes = summary.updated + (areNewCounted ? summary.created : 0);
      if (known === 0 || !isMoreThan(allowed, changes, known)) return;
      await refuseOrAsk(invocation, allowed, inWords(summary, { noun, known, areNewCounted }));
    },
    lines: () => held.lines(),
  };
}

function inWords(
  { created, updated, remarks }: ChangeSummary,
  { noun, known, areNewCounted }: Pick<ChangeMeasure, 'noun' | 'areNewCounted'> & { readonly known: number },
): string {
  const creations = areNewCounted && created > 0 ? ` and create ${grouped(created)}` : '';
  const push = `this push would update ${grouped(updated)}${creations}, of ${counted(known, noun)} known`;
  return [push, ...remarks].join('; ');
}

/** @throws Failure('guard') unless the person at the terminal has it sent all the same. */
async function refuseOrAsk(
  { argv, context, flags }: Invocation<SendingFlags>,
  allowed: CountOrShare,
  changes: string,
): Promise<void> {
  const more = `more than --max-change ${countOrShareText(allowed)} allows: ${changes}`;
  if (canAsk(context) && !flags.noInput && !flags.dryRun) {
    if (/^y(es)?$/i.test(await askLine(`${more}. Send it anyway? [y/N]`, context))) return;
    throw new Failure('guard', 'nothing was sent, as you answered', 'to send it: answer y');
  }
  throw new Failure(
    'guard',
    `${more}; nothing was sent`,
    hint`see each change: ${withFlag(argv, '--plan-out changes.plan')}, then ${reviewctl`plan show changes.plan`};
      if all changes are intended, raise --max-change`,
  );
}
