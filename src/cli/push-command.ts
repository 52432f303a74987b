import { join } from 'node:path';
import { type ExitCode, Failure, strongestExitCode } from '../base/failure.ts';
import type { JsonObject } from '../base/json.ts';
import type { Api } from '../client/caller.ts';
import { type Service, serviceUrl } from '../client/open-service.ts';
import { findFolders, stateFolder } from '../config/folders.ts';
import type { Identified } from '../input/check.ts';
import { openInput } from '../input/open.ts';
import type { Entry } from '../input/place.ts';
import { readEntries } from '../input/read.ts';
import type { RecordKind } from '../input/record-kinds.ts';
import { type Validation, validateInput } from '../input/validate.ts';
import { createProgress } from '../output/progress.ts';
import { writeRecords } from '../output/records.ts';
import { counted, pushTotal } from '../output/totals.ts';
import { outcomeView } from '../output/views.ts';
import { emptyTally, exitCodesOf, type Outcome } from '../push/outcome.ts';
import { adaptiveConcurrency } from '../push/pace.ts';
import type { StepOptions } from '../push/run-steps.ts';
import { takeRunLock } from '../store/run-lock.ts';
import type { Invocation } from './command.ts';
import type { FlagValues } from './flags.ts';
import { inputOptions, tellNotice } from './input-options.ts';
import { requireBaseUrl, withService } from './session.ts';
import { connectionFlags, inputFlags, outputFlags, pushFlags } from './shared-flags.ts';

/** The flags of every push. */
export const pushCommandFlags = { ...inputFlags, ...pushFlags, ...outputFlags, ...connectionFlags };
export type PushCommandFlags = typeof pushCommandFlags;

/** What a push works with once its input was found good. */
export interface OpenedPush<T extends Identified> {
  readonly batches: AsyncIterable<readonly Entry<T>[]>;
  readonly service: Service;
  /** The folder that keeps what this profile has sent to this service. */
  readonly folder: string;
  /** How many requests may be under way at once. */
  readonly concurrency: StepOptions['concurrency'];
}

/** Fields of the input that stay out of the push, and what would send them. */
export interface UnsentWarning {
  readonly fields: readonly string[];
  readonly hint: string;
}

export interface PushKind<T extends Identified> {
  readonly records: RecordKind<T>;
  /** One of them: `order item`. */
  readonly noun: string;
  /** Whether queued records are followed to the end of their jobs. */
  readonly isWaiting?: boolean;
  /** What is in `fields`, those the input has values for, and cannot be sent to this service; without it all can. */
  warnOfUnsent?(fields: readonly string[], api: Api): UnsentWarning | undefined;
  /** Carries it out; called with the lock of this kind held, but for a dry run. */
  push(opened: OpenedPush<T>): AsyncIterable<readonly Outcome[]>;
}

/**
 * The frame of every push: the whole input is checked before anything is sent, each outcome is printed as it becomes certain,
 * and the totals say what came of it even when something stopped the run.
 */
export async function runPush<T extends Identified>(
  invocation: Invocation<PushCommandFlags>,
  kind: PushKind<T>,
): Promise<ExitCode> {
  const { context, args, flags, sources } = invocation;
  const address = serviceUrl(requireBaseUrl(flags.baseUrl));
  const options = inputOptions(flags);
  const files = await openInput(args, context);
  try {
    const validation = await validateInput(files, kind.records, options);
    const refusal = tellValidation(validation, invocation);
    if (refusal !== undefined) return refusal;
    const folder = stateFolder(findFolders(context.env), sources.profile.name, address);
    const lockPath = join(folder, `push-${kind.records.name}.lock`);
    const lock = flags.dryRun ? undefined : await takeRunLock(lockPath, `push ${kind.records.name}`);
    try {
      return await withService(invocation, (service) => {
        tellUnsent(kind.warnOfUnsent?.(validation.fields, service.api), invocation);
        const batches = readEntries(files, kind.records, options, validation);
        const concurrency =
          flags.concurrency === 'auto' ? adaptiveConcurrency(service, context.clock) : flags.concurrency;
        const outcomes = kind.push({ batches, service, folder, concurrency });
        return report(invocation, kind, validation.count, outcomes);
      });
    } finally {
      lock?.release();
    }
  } finally {
    await files.close();
  }
}

/** Tells what was found; the exit code of an input with nothing to push or something wrong. */
function tellValidation(
  { count, problems, problemCount, notices: told }: Validation,
  { notices }: Invocation<PushCommandFlags>,
): ExitCode | undefined {
  for (const notice of told) tellNotice(notice, notices);
  if (problemCount > 0) {
    for (const problem of problems) notices.problem(problem);
    notices.endProblems();
    notices.error(
      new Failure(
        'input',
        `${counted(problemCount, 'problem')} in the input; nothing was sent`,
        'correct what is listed above and run the same command again',
      ),
    );
    return 3;
  }
  if (count > 0) return undefined;
  notices.summary('no records');
  return 0;
}

function tellUnsent(unsent: UnsentWarning | undefined, { notices }: Invocation<PushCommandFlags>): void {
  if (unsent === undefined) return;
  const fields = unsent.fields.join(', ');
  notices.warning(`not sent, because the operation does not document them: ${fields}`, unsent.hint);
}

/** Prints the outcomes as they come, then the totals, then what stopped the run, if anything did. */
async function report<T extends Identified>(
  { context, flags, notices }: Invocation<PushCommandFlags>,
  kind: PushKind<T>,
  count: number,
  outcomes: AsyncIterable<readonly Outcome[]>,
): Promise<ExitCode> {
  const { clock, streams, stopping } = context;
  const startedMs = clock.now();
  const tally = emptyTally();
  let done = 0;
  const progress = createProgress(streams, flags.progress, clock);
  const label = `pushing ${kind.noun} records`;
  async function* counting(): AsyncGenerator<readonly (Outcome & JsonObject)[]> {
    for await (const batch of outcomes) {
      for (const { outcome } of batch) tally[outcome] += 1;
      done += batch.length;
      progress.update({ label, done, total: count, counts: tally });
      yield batch as readonly (Outcome & JsonObject)[];
    }
  }
  let failure: Failure | undefined;
  try {
    await writeAll(counting(), outcomeView(kind.noun, { isDryRun: flags.dryRun }), flags, context);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    failure = error;
  } finally {
    progress.done();
  }
  const total = pushTotal({ noun: kind.noun, outcomes: tally, elapsedMs: clock.now() - startedMs });
  notices.summary(flags.dryRun ? `dry run, nothing was written; it would be ${total}` : total);
  if (done < count) {
    const why = stopping.aborted ? 'interrupted: ' : '';
    notices.warning(
      `${why}${counted(count - done, 'record')} not attempted`,
      'the same command goes on with them',
    );
  }
  if (tally.unknown > 0) {
    notices.warning(
      `${counted(tally.unknown, 'record')} sent without an answer: the service may or may not have taken them`,
      'look at the service, then run the same command with --resend unknown to send them again',
    );
  }
  if (failure !== undefined) notices.error(failure);
  const codes = exitCodesOf(tally, kind.isWaiting ?? false);
  if (stopping.aborted && failure === undefined) return strongestExitCode(codes);
  return strongestExitCode(failure === undefined ? codes : [...codes, failure.exitCode]);
}

/** Writes what comes, and takes it to its end even when the reader of stdout has gone away: the push itself goes on. */
async function writeAll(
  batches: AsyncGenerator<readonly JsonObject[]>,
  view: ReturnType<typeof outcomeView>,
  flags: FlagValues<typeof outputFlags>,
  context: Invocation<PushCommandFlags>['context'],
): Promise<void> {
  const unstoppable: AsyncIterable<readonly JsonObject[]> = {
    [Symbol.asyncIterator]: () => ({ next: () => batches.next() }),
  };
  const { isCut } = await writeRecords(
    unstoppable,
    view,
    { ...flags, format: flags.output },
    context.streams,
  );
  if (!isCut) return;
  while (!(await batches.next()).done);
}
