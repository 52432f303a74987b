import { resolve } from 'node:path';
import type { ExitCode } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { serviceUrl } from '../../../client/open-service.ts';
import { counted, grouped } from '../../../output/terminal/totals.ts';
import type { PlanNote } from '../../../push/plan/note-plan.ts';
import { createPlanFile } from '../../../store/plans/plan-file.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { requireBaseUrl } from '../../runtime/session.ts';
import { stateOf } from './plan-state.ts';
import type { PushInput } from './push-input.ts';
import { type PushSubject, planLineText, subjectRecord } from './push-plan.ts';
import type { PushEnd } from './push-run.ts';

type PushInvocation = Invocation<SendingFlags>;

/** What a plan says of itself besides its input. */
export interface PlanSettings {
  /** The records of its kind: `products`. */
  readonly kind: string;
  readonly settings: JsonObject;
  /** The paths of fields that the input has and the push does not send. */
  readonly unsent: readonly string[];
  readonly account: string;
}

/**
 * Decides on every record by `decide` and stores the decisions in the file of --plan-out. No plan is made where
 * deciding stops early.
 * @throws as `createPlanFile`.
 */
export async function planPush<S extends object>(
  invocation: PushInvocation,
  path: string,
  { input, made }: { readonly input: PushInput<S>; readonly made: PlanSettings },
  decide: (note: PlanNote<S>) => Promise<PushEnd>,
): Promise<ExitCode> {
  const { context, notices } = invocation;
  const about = await subjectOf(invocation, input, made);
  const heading = { kind: made.kind, createdAtMs: context.clock.now(), about: subjectRecord(about) };
  let toSend = 0;
  let end: PushEnd | undefined;
  try {
    const file = resolve(context.cwd, path);
    const { records } = await createPlanFile(file, heading, async (add) => {
      end = await decide((line) => {
        if (line.write !== undefined) toSend += 1;
        add(planLineText(line));
      });
      if (!end.isWhole) throw unfinished;
      return { ...end.tally };
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

/** Ends the making of a plan of which not every record was decided on. */
const unfinished = new Error('unfinished');

/** Names of fields that say something about a person, in any object. */
const personalNames: ReadonlySet<string> = new Set([
  ...['memberOriginId', 'buyer', 'recipient', 'questionAnswers'],
  ...['trackingNumber', 'value'],
]);

function isPersonal(path: string): boolean {
  return path.split('.').some((name) => personalNames.has(name));
}

async function subjectOf<S>(
  invocation: PushInvocation,
  { fields, hasCountedIds, productKey }: PushInput<S>,
  { account, settings, unsent }: PlanSettings,
): Promise<PushSubject> {
  const { args, argv, flags, sources } = invocation;
  return {
    command: argv.slice(0, 2).join(' '),
    profile: sources.profile.name,
    service: serviceUrl(requireBaseUrl(flags.baseUrl)).href,
    account,
    state: await stateOf(invocation),
    files: [...args],
    assume: [...flags.assume],
    settings,
    hasCountedIds,
    productKey: productKey ?? null,
    persons: fields.filter((path) => isPersonal(path) && !unsent.includes(path)),
  };
}

/** Says what was planned, and what comes next. */
function announcePlan(
  { notices }: PushInvocation,
  { command, persons }: PushSubject,
  { path, records, toSend }: { readonly path: string; readonly records: number; readonly toSend: number },
): void {
  const held =
    persons.length === 0
      ? 'it holds nothing about persons'
      : `it holds fields about persons: ${persons.join(', ')}; remove it once it is sent`;
  notices.info(`plan ${path}: ${counted(records, 'record')}, ${grouped(toSend)} to send; ${held}`);
  notices.info(hint`to see it: ${reviewctl`plan show ${path}`}`);
  if (toSend > 0) notices.info(hint`to send it: ${reviewctl`${command.split(' ')} --plan ${path}`}`);
}
