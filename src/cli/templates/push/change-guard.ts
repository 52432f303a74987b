import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { counted, grouped } from '../../../output/terminal/totals.ts';
import { ChangeSummary } from '../../../push/plan/change-summary.ts';
import type { Placed } from '../../../push/plan/plan-line.ts';
import type { PlanReview } from '../../../push/plan/run-flow.ts';
import { type CountOrShare, countOrShareText, isMoreThan } from '../../flags/count-or-share.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import { askLine, canAsk } from '../../runtime/ask.ts';
import type { Invocation } from '../../runtime/command.ts';
import type { HeldLines } from './held-lines.ts';
import type { SentKind } from './push-kind.ts';
import type { PushContext } from './push-run.ts';
import { withFlag } from './typed-command.ts';

/**
 * Stops a push before its first write if it would change a larger share of the existing records than --max-change
 * allows; on a terminal it asks. A first push, without existing records, is never stopped. Undefined without that flag,
 * and for a new plan, which a person reviews.
 */
export function guardChanges<S extends Placed>(
  invocation: Invocation<SendingFlags>,
  kind: SentKind<S>,
  { service, lastCount = 0 }: PushContext<S>,
  shards: number,
  held: HeldLines<S>,
): PlanReview<S> | undefined {
  const { dryRun, maxChange, planOut } = invocation.flags;
  if (maxChange === undefined || planOut !== undefined) return undefined;
  // New records count as changes if most of a catalog exists.
  const areNewCounted = kind.countKnown !== undefined;
  const summary = new ChangeSummary();
  return {
    add: (line) => {
      summary.add(line);
      if (!dryRun) held.add(line);
    },
    judge: async () => {
      const all = await kind.countKnown?.(service);
      const existing = all === undefined ? lastCount : Math.ceil(all / shards);
      const known = Math.max(existing, summary.known);
      const { updated, remarks } = summary;
      const created = areNewCounted ? summary.created : 0;
      if (known === 0 || !isMoreThan(maxChange, updated + created, known)) return;
      const creations = created > 0 ? ` and create ${grouped(created)}` : '';
      const push = `this push would update ${grouped(updated)}${creations}, of ${counted(known, kind.noun)} known`;
      await refuseOrAsk(invocation, maxChange, [push, ...remarks].join('; '));
    },
    lines: () => held.lines(),
  };
}

/** @throws Failure('guard') unless the person at the terminal confirms. */
async function refuseOrAsk(
  { argv, context, flags, sources }: Invocation<SendingFlags>,
  allowed: CountOrShare,
  changes: string,
): Promise<void> {
  const more = `more than --max-change ${countOrShareText(allowed)} allows: ${changes}`;
  if (canAsk(context) && !flags.noInput && !flags.dryRun) {
    if (/^y(es)?$/i.test(await askLine(`${more}. Send it anyway? [y/N]`, context))) return;
    throw new Failure('guard', 'cancelled; nothing was sent', 'to send it: answer y');
  }
  const { plan } = sources.flags;
  const planned = hint`${withFlag(argv, '--plan-out changes.plan')}, then ${reviewctl`plan show changes.plan`}`;
  const tried = withFlag(flags.dryRun ? argv : [...argv, '--dry-run'], '--max-change 100%');
  // A plan covers a whole input that is sent for the first time.
  const isPlannable = ['limit', 'shard', 'resend'].every((name) => sources.flags[name] === undefined);
  const show = typeof plan === 'string' ? reviewctl`plan show ${plan}` : isPlannable ? planned : tried;
  throw new Failure(
    'guard',
    `${more}; nothing was sent`,
    hint`see each change: ${show}; if all changes are intended, raise --max-change`,
  );
}
