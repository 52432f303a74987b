import { resolve } from 'node:path';
import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { streamOf } from '../../../base/lists.ts';
import { findSetting } from '../../../config/setting-sources.ts';
import type { Placed } from '../../../push/plan/plan-line.ts';
import { openPlanFile, type PlanFile } from '../../../store/plans/open-plan-file.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import { inputFlags } from '../../flags/input-flags.ts';
import type { PushCommandFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { serviceAddress } from '../../runtime/session.ts';
import type { PushInput } from './push-input.ts';
import { type OpenedPlan, type PushSubject, readPlanLines, readPushSubject, stateOf } from './push-plan.ts';
import { endOfPlan, isUndo } from './run-states.ts';

type PushInvocation = Invocation<PushCommandFlags>;

/** Flags whose values the plan has fixed. */
const settledFlags: readonly string[] = [
  ...Object.keys(inputFlags),
  ...['onExisting', 'updateOnly', 'withoutOrderFields', 'checkProducts'],
  ...['rejects', 'expectRecords', 'planOut', 'shard'],
];

/**
 * Opens the plan of --plan for this command, profile and service; it is closed when the command has ended.
 * @throws Failure('usage') for flags that contradict the plan; as `openPlanFile` and `readPushSubject`;
 * Failure('guard') for a plan of another service.
 */
export async function openPushPlan(
  path: string,
  kind: string,
  invocation: PushInvocation,
): Promise<OpenedPlan> {
  const { args, context, sources } = invocation;
  const typed = settledFlags.find((name) => findSetting(sources, name)?.origin === 'flag');
  if (args.length > 0) throw contradictsPlan(`the file ${args[0]}`, 'remove the file');
  if (typed !== undefined)
    throw contradictsPlan(
      findSetting(sources, typed)?.place ?? typed,
      'remove it, or make a new plan with it',
    );
  refuseResend(sources);
  const file = await openPlanFile(resolve(context.cwd, path), { kind });
  invocation.defer(() => file.close());
  const subject = readPushSubject(file);
  await checkPlace(file, subject, invocation);
  return { file, subject };
}

/** @throws Failure('usage') for flags that would limit a plan to some records, or send some again. */
export function checkPlanOut({ flags: { limit, shard }, sources }: PushInvocation): void {
  refuseResend(sources);
  const isWhole = 'a plan always covers all records';
  if (limit !== undefined) {
    const way = `make it without --limit, then send its first records: --plan FILE --limit ${limit}`;
    throw new Failure('usage', `--limit: ${isWhole}`, way);
  }
  if (shard !== undefined) throw new Failure('usage', `--shard: ${isWhole}`, 'make it without --shard');
}

/** @throws Failure('usage') for --resend: a plan would resend the records each time it is continued. */
function refuseResend(sources: PushInvocation['sources']): void {
  if (sources.flags['resend'] === undefined) return;
  throw new Failure('usage', '--resend: a plan never sends a record again', 'push the file without a plan');
}

function contradictsPlan(what: string, remedy: string): Failure {
  return new Failure('usage', `${what}: the plan already sets the records and their fields`, remedy);
}

async function checkPlace(
  { path }: PlanFile,
  { command, profile, service, state }: PushSubject,
  invocation: PushInvocation,
): Promise<void> {
  const { flags, sources } = invocation;
  const address = serviceAddress(flags).href;
  if (service !== address) {
    throw new Failure(
      'guard',
      `the plan ${path} was made for the service ${service}, and this is ${address}; nothing was sent`,
      hint`send it there: ${reviewctl`${command.split(' ')} --plan ${path} -c base-url=${service}`}`,
    );
  }
  if (profile === sources.profile.name) {
    checkState(path, state, await stateOf(invocation));
    return;
  }
  throw new Failure(
    'guard',
    `the plan ${path} was made with the profile ${profile}, and this is ${sources.profile.name}; nothing was sent`,
    hint`send it with that profile: ${reviewctl`${command.split(' ')} --plan ${path} --profile ${profile}`}`,
  );
}

/** Only the journal that the plan was made with records which of its records were sent. */
function checkState(path: string, made: PushSubject['state'], here: PushSubject['state']): void {
  if (made.folder === here.folder && made.host === here.host) return;
  const where = made.host === here.host ? `with the journal in ${made.folder}` : 'on another machine';
  throw new Failure(
    'guard',
    `the plan ${path} was made ${where}, and the journal in ${here.folder} does not show which of its records ` +
      'were sent; nothing was sent',
    'send it from where it was made, or make a new plan here',
  );
}

/** @throws Failure('guard') if the plan was made with the credential of another account, even of the same shop. */
export function checkPlanAccount({ file: { path }, subject }: OpenedPlan, account: string): void {
  if (subject.account === account) return;
  throw new Failure(
    'guard',
    `the plan ${path} was made with the credential of another account; nothing was sent`,
    'send it with that credential, or make a new plan',
  );
}

/** @throws Failure('guard') if the plan was sent completely, or undone. */
export function checkUnsent({ file: { path, heading } }: OpenedPlan, runs: readonly Run[]): void {
  const last = endOfPlan(heading.id, runs);
  if (last === undefined) return;
  const how = isUndo(last) ? 'ended by the undo' : 'already sent by run';
  throw new Failure(
    'guard',
    `the plan ${path} was ${how} ${last.id}; a plan is sent once; nothing was sent now`,
    hint`to see its results: ${reviewctl`runs show ${last.id}`}; for the remaining records, make a new plan`,
  );
}

/** The records of a plan. */
export function inputOfPlan<S extends Placed>(plan: OpenedPlan): PushInput<S> {
  const { file, subject } = plan;
  return {
    count: file.end.records,
    source: () => ({ kind: 'plan', lines: () => readPlanLines<S>(file) }),
    records: async function* () {
      for await (const lines of readPlanLines<S>(file)) yield lines.map(({ record }) => record);
    },
    leftOut: () => streamOf([]),
    hasCountedIds: subject.hasCountedIds,
    fields: [],
    productKey: subject.productKey ?? undefined,
    plan,
  };
}
