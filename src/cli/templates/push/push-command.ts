import { type ExitCode, Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { present } from '../../../base/present.ts';
import { type Shard, shardText } from '../../../base/shard.ts';
import { hasCountedIds } from '../../../input/mapping/mapping.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import type { Identified } from '../../../input/records/record-kinds.ts';
import { Rejects } from '../../../input/rejects/rejects.ts';
import { type Validation, validateInput } from '../../../input/validate.ts';
import { counted } from '../../../output/terminal/totals.ts';
import type { Placed } from '../../../push/plan/plan-line.ts';
import type { PushCommandFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { stateFolderOf } from '../../runtime/find-state.ts';
import { readAssumptions } from '../../runtime/session.ts';
import { checkStateKept } from './check-state-kept.ts';
import { checkingProgress } from './checking-progress.ts';
import { CompiledInput } from './compiled-input.ts';
import { executePush } from './execute-push.ts';
import { checkCount } from './expected-count.ts';
import { checkSharded, findShard, withShard } from './find-shard.ts';
import { findPart } from './import-part.ts';
import { inputOptions, openFiles, showNotice } from './input-options.ts';
import { keepHeapLean } from './lean-heap.ts';
import { mayLeaveOut, skipInvalid } from './left-out.ts';
import { checkPlanOut, inputOfPlan, openPushPlan } from './planned-input.ts';
import { inputOfFiles } from './push-input.ts';
import type { PushKind } from './push-kind.ts';
import { readPlanSettings } from './push-plan.ts';
import { withFlag } from './typed-command.ts';
import { findPassword } from './workbook-password.ts';

/**
 * Runs every push: validates the whole input before anything is sent, then prints each outcome as it becomes certain.
 * The totals are printed even if something stopped the run. With --plan-out the requests are stored instead of sent;
 * with --plan the stored ones are sent.
 */
export async function runPush<T extends Identified, S extends Placed>(
  invocation: Invocation<PushCommandFlags>,
  kind: PushKind<T, S>,
): Promise<ExitCode> {
  const { args, context, flags } = invocation;
  const { plan, planOut } = flags;
  keepHeapLean();
  if (plan !== undefined) return pushPlan(invocation, kind, plan);
  if (args.length === 0)
    throw new Failure(
      'usage',
      "missing required argument 'file'",
      hint`pass the files: ${reviewctl`${kind.records.name} push FILE`}; or send a plan with --plan`,
    );
  if (planOut !== undefined) checkPlanOut(invocation);
  const { shard: choice } = flags;
  if (choice === undefined) return pushFiles(invocation, kind, undefined);
  checkSharded(kind.records);
  const shard = findShard(choice, context.env);
  checkStateKept(invocation);
  return pushFiles(ofShard(invocation, shard), kind, shard);
}

/** The command of one shard: it can be repeated outside of its scheduler, and has its share of the rate. */
function ofShard(invocation: Invocation<PushCommandFlags>, shard: Shard): Invocation<PushCommandFlags> {
  const { argv, flags } = invocation;
  const { rate } = flags;
  const share = rate === undefined ? {} : { rate: rate / shard.count };
  return { ...invocation, argv: withShard(argv, shard), flags: { ...flags, ...share } };
}

async function pushFiles<T extends Identified, S extends Placed>(
  invocation: Invocation<PushCommandFlags>,
  kind: PushKind<T, S>,
  shard: Shard | undefined,
): Promise<ExitCode> {
  const { flags, notices } = invocation;
  const spoolFolder = stateFolderOf(invocation);
  const assumptions = readAssumptions(flags.assume);
  const compiler = kind.compiler(assumptions);
  const isLeftOutByOrder = flags.rejects !== undefined && hasCountedIds(inputOptions(flags), kind.records);
  const isReadAgain = shard !== undefined || isLeftOutByOrder || kind.records.findConflicts !== undefined;
  const files = await openFiles(invocation, invocation.args, 'records', isReadAgain);
  const compiled = new CompiledInput(compiler, spoolFolder);
  const rejects = new Rejects(spoolFolder);
  invocation.defer(async () => {
    compiled.close();
    rejects.close();
  });
  const options = {
    ...inputOptions(flags),
    ...(await findPassword(files, invocation)),
    ...present<Pick<InputOptions, 'shard'>>({ shard }),
    spoolFolder,
  };
  const rejected = flags.rejects === undefined ? undefined : rejects;
  const { onRead, done } = checkingProgress(invocation);
  const checked = validateInput(files, kind.records, { ...options, onRead }, compiled, rejected);
  const validation = await checked.finally(done);
  const refusal = reportValidation(validation, invocation);
  if (refusal !== undefined) return refusal;
  const refused = kind.refuseFields?.(validation.fields, assumptions);
  if (refused !== undefined) throw refused;
  const found = { files, options, validation, compiled, rejects };
  await skipInvalid(invocation, found);
  const count = validation.count + rejects.count;
  const records = count + validation.elsewhereCount;
  await checkCount(records, kind.records.name, invocation);
  if (count === 0) {
    notices.summary(records === 0 || shard === undefined ? 'no records' : noneOf(records, shard));
    return 0;
  }
  const part = shard && (await findPart(found, { ...kind, records, shard }));
  return executePush(invocation, kind, inputOfFiles(kind.records, found, part));
}

function noneOf(records: number, shard: Shard): string {
  return `no records in shard ${shardText(shard)} of ${counted(records, 'record')}`;
}

async function pushPlan<T extends Identified, S extends Placed>(
  invocation: Invocation<PushCommandFlags>,
  kind: PushKind<T, S>,
  path: string,
): Promise<ExitCode> {
  const plan = await openPushPlan(path, kind.records.name, invocation);
  const { flags } = invocation;
  const planned = { ...invocation, flags: { ...flags, assume: [...flags.assume, ...plan.subject.assume] } };
  const settings = readPlanSettings(plan, kind.settingsSchema);
  return executePush(planned, { ...kind, settings }, inputOfPlan<S>(plan));
}

/** Reports the problems of an input; returns the exit code if they stop the push. */
function reportValidation(
  validation: Validation,
  { argv, flags, notices }: Invocation<PushCommandFlags>,
): ExitCode | undefined {
  const { problems, problemCount, notices: ofInput } = validation;
  for (const notice of ofInput) showNotice(notice, notices);
  if (problemCount === 0) return undefined;
  for (const problem of problems) notices.problem(problem);
  notices.endProblems();
  if (flags.rejects !== undefined && mayLeaveOut(validation)) return undefined;
  const unwritten = flags.rejects === undefined ? '' : `, and ${flags.rejects} was not written`;
  const message = `${counted(problemCount, 'problem')} in the input; nothing was sent${unwritten}`;
  notices.error(new Failure('input', message, remedyOf(validation, argv)));
  return 3;
}

/** The remedy for a refused input: the command that reads it, the commands to choose from, or correcting it. */
function remedyOf({ problems }: Validation, argv: readonly string[]): string {
  const [first = [], ...others] = problems.map(({ choices }) => choices ?? []);
  const choices = first.filter((flag) => others.every((flags) => flags.includes(flag)));
  if (choices.length === 0) return 'correct what is listed above and run the same command again';
  const lead = choices.length === 1 ? 'run this command instead' : 'choose one of these commands';
  return `${lead}:\n${choices.map((flag) => withFlag(argv, flag)).join('\n')}`;
}
