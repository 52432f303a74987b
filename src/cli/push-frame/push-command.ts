import { type ExitCode, Failure } from '../../base/failure.ts';
import { shellWord } from '../../base/shell-word.ts';
import { type Service, serviceUrl } from '../../client/open-service.ts';
import { findFolders, stateFolder, stateFolderPath } from '../../config/folders.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import { hasCountedIds } from '../../input/mapping.ts';
import type { InputFiles } from '../../input/open.ts';
import type { InputOptions } from '../../input/place.ts';
import type { Identified, RecordKind } from '../../input/record-kinds.ts';
import { type Validation, validateInput } from '../../input/validate.ts';
import { counted } from '../../output/totals.ts';
import { adaptiveConcurrency } from '../../push/adaptive-concurrency.ts';
import type { Compiler } from '../../push/compile/compiler.ts';
import type { Outcome } from '../../push/outcome.ts';
import type { StepOptions } from '../../push/run-steps.ts';
import { checkAccount, keepAccount } from '../../store/account-file.ts';
import type { PushJournal } from '../../store/push-journal.ts';
import { readPushJournal } from '../../store/read-push-journal.ts';
import { pushLockPath, takeRunLock } from '../../store/run-lock.ts';
import { journalPath, openSqlitePushJournal } from '../../store/sqlite-push-journal.ts';
import type { Invocation } from '../command.ts';
import type { PushCommandFlags } from '../flags/push-flags.ts';
import { readAssumptions, requireBaseUrl, type Session, withService } from '../session.ts';
import { CompiledInput } from './compiled-input.ts';
import { checkCount } from './expected-count.ts';
import { inputOptions, openFiles, tellNotice } from './input-options.ts';
import { keepProductKey } from './keep-product-key.ts';
import { leaveOut, leftOut, mayLeaveOut, requireRejects } from './left-out.ts';
import { reportPush } from './push-report.ts';
import { type PushEnd, type PushRun, withPushRun } from './push-run.ts';
import { type UnsentWarning, unsentInWords } from './unsent-warning.ts';
import { findPassword } from './workbook-password.ts';

/** What a push works with once its input was found good. */
export interface OpenedPush<S> {
  readonly batches: AsyncIterable<readonly S[]>;
  /** The same from the start, once more. */
  readonly reread: () => AsyncIterable<readonly S[]>;
  /** `reread`, only where the originIds are made with `{n}`. */
  readonly rereadCounted: (() => AsyncIterable<readonly S[]>) | undefined;
  readonly service: Service;
  /** What this profile has sent to this service; for a dry run to be read alone. */
  readonly journal: PushJournal;
  /** How many requests may be under way at once. */
  readonly concurrency: StepOptions['concurrency'];
  /** Aborted to take no new record; what is under way is finished. */
  readonly stopping: AbortSignal;
}

/** `T` is a record as the input gives it, `S` one that is ready to be sent. */
export interface PushKind<T extends Identified, S extends object> {
  readonly records: RecordKind<T>;
  /** How its records wait to be sent. */
  readonly compiler: (assumptions: Assumptions) => Compiler<T, S>;
  /** One of them: `order item`. */
  readonly noun: string;
  /** Whether queued records are followed to the end of their jobs. */
  readonly isWaiting?: boolean;
  /** What is in `fields`, those the input has values for, and cannot be sent to this service; without it all can. */
  warnOfUnsent?(fields: readonly string[], assumptions: Assumptions): UnsentWarning | undefined;
  /** Looks at the input before anything is sent. */
  checkFirst?(opened: OpenedPush<S>): Promise<void>;
  /** Carries it out; called with the lock of this kind held, but for a dry run. */
  push(opened: OpenedPush<S>): AsyncIterable<readonly Outcome[]>;
}

/**
 * The frame of every push: the whole input is checked before anything is sent, each outcome is printed as it becomes certain,
 * and the totals say what came of it even when something stopped the run.
 */
export async function runPush<T extends Identified, S extends object>(
  invocation: Invocation<PushCommandFlags>,
  kind: PushKind<T, S>,
): Promise<ExitCode> {
  const { context, flags, notices, sources } = invocation;
  requireRejects(flags);
  const address = serviceUrl(requireBaseUrl(flags.baseUrl));
  const place = [findFolders(context.env), sources.profile.name, address] as const;
  const compiler = kind.compiler(readAssumptions(flags.assume));
  const files = await openFiles(invocation);
  const compiled = new CompiledInput(compiler, stateFolderPath(...place));
  try {
    const options = { ...inputOptions(flags), ...(await findPassword(files, invocation)) };
    const validation = await validateInput(files, kind.records, options, compiled);
    const refusal = tellValidation(validation, invocation);
    if (refusal !== undefined) return refusal;
    const found = { files, options, validation, compiled };
    const leftOutCount = validation.problemCount > 0 ? await leaveOut(invocation, kind.records, found) : 0;
    const count = validation.count + leftOutCount;
    await checkCount(count, kind.records.name, stateFolderPath(...place), invocation);
    if (count === 0) {
      notices.summary('no records');
      return 0;
    }
    // A dry run writes nothing, not even a folder.
    const folder = flags.dryRun ? stateFolderPath(...place) : stateFolder(...place);
    const input = { ...found, leftOutCount, folder };
    if (flags.dryRun) return await pushDry(invocation, kind, input);
    const lock = await takeRunLock(pushLockPath(folder, kind.records.name), `${kind.records.name} push`);
    try {
      return await pushOnRecord(invocation, kind, input);
    } finally {
      lock.release();
    }
  } finally {
    compiled.close();
    await files.close();
  }
}

/** An input that was found good, and the folder that keeps what this profile has sent to this service. */
interface CheckedInput<T, S extends object> {
  readonly files: InputFiles;
  readonly options: InputOptions;
  readonly validation: Validation;
  /** Its good records. */
  readonly compiled: CompiledInput<T, S>;
  /** How many records are left out of the push. */
  readonly leftOutCount: number;
  readonly folder: string;
}

async function pushDry<T extends Identified, S extends object>(
  invocation: Invocation<PushCommandFlags>,
  kind: PushKind<T, S>,
  input: CheckedInput<T, S>,
): Promise<ExitCode> {
  const journal = await readPushJournal(journalPath(input.folder));
  try {
    return await withService(invocation, async (service) => {
      checkAccount(input.folder, service.account, invocation.flags.sameShop);
      const { exitCode } = await push(invocation, kind, input, { service, journal });
      return exitCode;
    });
  } finally {
    await journal.close();
  }
}

async function pushOnRecord<T extends Identified, S extends object>(
  invocation: Invocation<PushCommandFlags>,
  kind: PushKind<T, S>,
  input: CheckedInput<T, S>,
): Promise<ExitCode> {
  const journal = await openSqlitePushJournal(journalPath(input.folder));
  try {
    return await withService(invocation, async (service) => {
      checkAccount(input.folder, service.account, invocation.flags.sameShop);
      await service.confirmWrites();
      if (invocation.flags.sameShop) keepAccount(input.folder, service.account);
      else keepAccountOnceAccepted(service, input.folder);
      return withPushRun(invocation, kind.records.name, journal, async (run) => {
        const end = await push(invocation, kind, input, { service, journal: run.journal, run });
        await keepProductKey(input.validation.productKey, end.tally, invocation);
        return end;
      });
    });
  } finally {
    await journal.close();
  }
}

function keepAccountOnceAccepted(service: Session, folder: string): void {
  let isKept = false;
  service.watch(({ result }) => {
    if (isKept || typeof result !== 'number' || result < 200 || result >= 300) return;
    try {
      keepAccount(folder, service.account);
      isKept = true;
    } catch {
      // Thrown here, it would pass for the failure of a request that was answered; the next answer tries again.
    }
  });
}

/** What a push acts upon; a dry run is not on record. */
interface Ground {
  readonly service: Service;
  readonly journal: PushJournal;
  readonly run?: PushRun;
}

async function push<T extends Identified, S extends object>(
  invocation: Invocation<PushCommandFlags>,
  kind: PushKind<T, S>,
  { files, options, validation, compiled, leftOutCount }: CheckedInput<T, S>,
  { service, journal, run }: Ground,
): Promise<PushEnd> {
  const { context, flags } = invocation;
  tellUnsent(kind.warnOfUnsent?.(validation.fields, service.api.assumptions), invocation);
  const guard = new AbortController();
  const read = () => compiled.records(validation.orders);
  const opened: OpenedPush<S> = {
    batches: read(),
    reread: read,
    rereadCounted: hasCountedIds(options, kind.records) ? read : undefined,
    service,
    journal,
    concurrency:
      flags.concurrency === 'auto' ? adaptiveConcurrency(service, context.clock) : flags.concurrency,
    stopping: AbortSignal.any([context.stopping, guard.signal]),
  };
  await kind.checkFirst?.(opened);
  async function* outcomes(): AsyncGenerator<readonly Outcome[]> {
    if (leftOutCount > 0) yield* leftOut(kind.records, { files, options });
    yield* kind.push(opened);
  }
  return reportPush(invocation, {
    noun: kind.noun,
    isWaiting: kind.isWaiting ?? false,
    count: leftOutCount + validation.count,
    outcomes: outcomes(),
    run,
    stop: () => guard.abort(),
  });
}

/** Tells what was found; the exit code of an input with something wrong. */
function tellValidation(
  validation: Validation,
  { argv, flags, notices }: Invocation<PushCommandFlags>,
): ExitCode | undefined {
  const { problems, problemCount, notices: told } = validation;
  for (const notice of told) tellNotice(notice, notices);
  if (problemCount === 0) return undefined;
  for (const problem of problems) notices.problem(problem);
  notices.endProblems();
  if (flags.skipInvalid && mayLeaveOut(validation)) return undefined;
  const message = `${counted(problemCount, 'problem')} in the input; nothing was sent`;
  notices.error(new Failure('input', message, remedyOf(validation, argv)));
  return 3;
}

/** What to do about an input that was refused: the command that reads it, or those to choose from, where that is all there is to do. */
function remedyOf({ problems }: Validation, argv: readonly string[]): string {
  const [first = [], ...others] = problems.map(({ choices }) => choices ?? []);
  const choices = first.filter((flag) => others.every((flags) => flags.includes(flag)));
  if (choices.length === 0) return 'correct what is listed above and run the same command again';
  const lead = choices.length === 1 ? 'run this command instead' : 'choose one of these commands';
  return `${lead}:\n${choices.map((flag) => withFlag(argv, flag)).join('\n')}`;
}

/** What was typed with `flag` as well, in place of another value of it. */
function withFlag(argv: readonly string[], flag: string): string {
  const [name = ''] = flag.split(' ', 1);
  const isOther = (word: string, at: number) =>
    name !== '--map' && (word === name || argv[at - 1] === name || word.startsWith(`${name}=`));
  const kept = argv.filter((word, at) => !isOther(word, at));
  return ['reviewctl', ...kept.map(shellWord), flag].join(' ');
}

function tellUnsent(unsent: UnsentWarning | undefined, { notices }: Invocation<PushCommandFlags>): void {
  if (unsent === undefined) return;
  notices.warning(unsentInWords(unsent), unsent.hint);
}
