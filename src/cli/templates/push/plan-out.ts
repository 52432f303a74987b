import { resolve } from 'node:path';
import type { ExitCode } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { counted, grouped } from '../../../output/terminal/totals.ts';
import type { PlanNote } from '../../../push/plan/note-plan.ts';
import type { Placed } from '../../../push/plan/plan-line.ts';
import { shownOutcome } from '../../../push/steps/outcome.ts';
import { createPlanFile } from '../../../store/plans/plan-file.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { type Session, serviceAddress } from '../../runtime/session.ts';
import type { PushInput } from './push-input.ts';
import type { SentKind } from './push-kind.ts';
import { type PushSubject, planLineText, stateOf } from './push-plan.ts';
import type { PushEnd } from './push-run.ts';

type PushInvocation = Invocation<SendingFlags>;

/** A push, as the source of a plan. */
interface PlannedPush<S extends Placed> {
  readonly kind: SentKind<S>;
  readonly input: PushInput<S>;
  readonly service: Session;
}

/**
 * Decides on every record with `decide` and stores the decisions in the file of --plan-out. Writes no plan if deciding
 * stops early.
 * @throws as `createPlanFile`.
 */
export async function planPush<S extends Placed>(
  invocation: PushInvocation,
  path: string,
  push: PlannedPush<S>,
  decide: (note: PlanNote<S>) => Promise<PushEnd>,
): Promise<ExitCode> {
  const { context, notices } = invocation;
  const about = await subjectOf(invocation, push);
  const heading = {
    kind: push.kind.records.name,
    createdAtMs: context.clock.now(),
    about: { ...about },
  };
  let toSend = 0;
  let end: PushEnd | undefined;
  try {
    const file = resolve(context.cwd, path);
    const { records } = await createPlanFile(file, heading, async (add) => {
      end = await decide((line) => {
        if (line.write !== undefined) toSend += 1;
        const outcome = shownOutcome(line.outcome, notices.complete);
        add(planLineText({ ...line, outcome }));
      });
      if (!end.isWhole) throw unfinished;
      return end.tally;
    });
    announcePlan(invocation, about, { path, records, toSend });
  } catch (error) {
    if (error !== unfinished) throw error;
    notices.warning(
      'no plan was written, because some records could not be decided',
      'run the same command again',
    );
  }
  return end?.exitCode ?? 1;
}

/** Cancels a plan that does not decide on every record. */
const unfinished = new Error('unfinished');

/** Names of fields with personal data, in any object. */
const personalNames: ReadonlySet<string> = new Set([
  ...['memberOriginId', 'buyer', 'recipient', 'questionAnswers'],
  ...['trackingNumber', 'value'],
]);

function isPersonal(path: string): boolean {
  return path.split('.').some((name) => personalNames.has(name));
}

async function subjectOf<S extends Placed>(
  invocation: PushInvocation,
  { kind, input: { fields, hasCountedIds, productKey }, service }: PlannedPush<S>,
): Promise<PushSubject> {
  const { args, argv, flags, sources } = invocation;
  // The fields of the input that the push does not send.
  const unsent = kind.warnOfUnsent?.(fields, service.api.assumptions)?.fields ?? [];
  return {
    command: argv.slice(0, 2).join(' '),
    profile: sources.profile.name,
    service: serviceAddress(flags).href,
    account: service.account,
    state: await stateOf(invocation),
    files: [...args],
    assume: [...flags.assume],
    settings: kind.settings ?? {},
    hasCountedIds,
    productKey: productKey ?? null,
    persons: fields.filter((path) => isPersonal(path) && !unsent.includes(path)),
  };
}

/** Reports the plan and the next steps. */
function announcePlan(
  { notices }: PushInvocation,
  { command, persons }: PushSubject,
  { path, records, toSend }: { readonly path: string; readonly records: number; readonly toSend: number },
): void {
  const held =
    persons.length === 0
      ? 'it contains no personal data'
      : `it contains personal data (${persons.join(', ')}); remove it once it is sent`;
  notices.info(`plan ${path}: ${counted(records, 'record')}, ${grouped(toSend)} to send; ${held}`);
  notices.info(hint`to see it: ${reviewctl`plan show ${path}`}`);
  if (toSend > 0) notices.info(hint`to send it: ${reviewctl`${command.split(' ')} --plan ${path}`}`);
}
