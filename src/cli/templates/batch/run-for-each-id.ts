import { type ExitCode, Failure, strongestExitCode } from '../../../base/failure.ts';
import type { JsonObject } from '../../../base/json.ts';
import { flatten, streamOf } from '../../../base/lists.ts';
import { ServiceFailure } from '../../../client/service-failure.ts';
import { showsReasons } from '../../../output/formats/formats.ts';
import { createProgress } from '../../../output/terminal/progress.ts';
import { counted, countsInWords, pushTotal } from '../../../output/terminal/totals.ts';
import type { View } from '../../../output/views/view.ts';
import { adaptiveConcurrency } from '../../../push/send/adaptive-concurrency.ts';
import { type Breaker, createBreaker } from '../../../push/steps/breaker.ts';
import { createCanary } from '../../../push/steps/canary.ts';
import { runSteps, type StepOptions } from '../../../push/steps/run-steps.ts';
import { pushFlags } from '../../flags/sending-flags.ts';
import { connectionFlags, outputFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { printAll } from '../../runtime/print.ts';
import type { Session } from '../../runtime/session.ts';

const { concurrency, progress } = pushFlags;

/** Flags of commands that accept many ids. */
export const batchFlags = { concurrency, progress, ...outputFlags, ...connectionFlags };
type BatchInvocation = Invocation<typeof batchFlags>;

/** A command that does the same for many ids. */
interface IdBatch<T> {
  readonly ids: readonly string[];
  /** The label of the live line: `hiding reviews`. */
  readonly label: string;
  /** The view of one record. */
  readonly view: View;
  /** True if the work continues after its reader has closed stdout. */
  readonly isWrite: boolean;
  /** The outcome of an id whose work succeeded: `updated`. */
  readonly doneWord: string;
  /** The outcome for the result of the work; `doneWord` if omitted. */
  readonly wordOf?: (value: T) => string;
  /** The state of records after success, for the total: `now hidden`. Without it, the total counts outcomes. */
  readonly doneState?: string;
  readonly work: (id: string) => Promise<T>;
  /**
   * The record printed for an id. A failure goes to stderr if its id has no record, or if the format shows no reasons.
   */
  readonly recordOf: (result: IdResult<T>) => JsonObject | undefined;
}

/**
 * Does the work for each id and prints the results in the order of the ids, then the totals, then the failure that
 * stopped it, if any. Exits with 6 if ids were rejected; if ids failed, with the exit code of their failures.
 */
export async function runForEachId<T>(
  invocation: BatchInvocation,
  service: Session,
  batch: IdBatch<T>,
): Promise<ExitCode> {
  const { context, flags, notices } = invocation;
  const { clock, streams } = context;
  const startedMs = clock.monotonicMs();
  const outcomes: Record<string, number> = { [batch.doneWord]: 0, rejected: 0, failed: 0 };
  const live = createProgress(streams, flags.progress, clock);
  const giveUp = new AbortController();
  const stopping = AbortSignal.any([context.stopping, giveUp.signal]);
  const width = flags.concurrency === 'auto' ? adaptiveConcurrency(service, clock) : flags.concurrency;
  let done = 0;
  const codes = new Set<ExitCode>();
  async function* records(): AsyncGenerator<readonly JsonObject[]> {
    const options = { concurrency: width, stopping, isWrite: batch.isWrite };
    for await (const result of flatten(forEachId(batch.ids, options, batch.work))) {
      const { doneWord, wordOf = () => doneWord } = batch;
      const word = result.kind === 'done' ? wordOf(result.value) : result.kind;
      outcomes[word] = (outcomes[word] ?? 0) + 1;
      done += 1;
      if (result.kind === 'failed') codes.add(result.failure.exitCode);
      live.update({ label: batch.label, done, total: batch.ids.length, counts: outcomes });
      const record = batch.recordOf(result);
      if (record !== undefined) yield [record];
      const isReasonShown = record !== undefined && showsReasons(flags.output);
      if (result.kind !== 'done' && !isReasonShown) notices.error(failureOf(result));
    }
  }
  const { failure, isCut } = await writeAll(records(), invocation, batch, giveUp).finally(() => live.done());
  const didNothing = failure !== undefined && done === 0;
  if (!didNothing && !isCut) {
    notices.summary(totalOf(batch, outcomes, clock.monotonicMs() - startedMs));
    warnOfRemaining(invocation, batch, done);
  }
  if (failure !== undefined) notices.error(failure);
  const { rejected = 0, failed = 0 } = outcomes;
  if (rejected + failed > 0) codes.add(6);
  if (failure !== undefined) codes.add(failure.exitCode);
  return strongestExitCode(codes);
}

/** The failure of an id; its message names the id. */
function failureOf({ id, failure }: { readonly id: string; readonly failure: Failure }): Failure {
  const { kind, message, nextStep, place } = failure;
  if (message.includes(`'${id}'`)) return failure;
  return new Failure(kind, `${id}: ${message}`, nextStep, { ...place, cause: failure });
}

/** `1 review is now visible, 2 rejected`, or the outcomes of all ids. */
function totalOf<T>(
  { view: { noun }, doneWord, doneState }: IdBatch<T>,
  outcomes: Readonly<Record<string, number>>,
  elapsedMs: number,
): string {
  const { [doneWord]: done = 0, ...others } = outcomes;
  if (doneState === undefined || done === 0) return pushTotal({ noun, outcomes, elapsedMs });
  const is = done === 1 ? 'is' : 'are';
  return [`${counted(done, noun)} ${is} ${doneState}`, countsInWords(others)].filter(Boolean).join(', ');
}

/** The reason why writing ended early: a failure, or a closed stdout, which is not a failure. */
interface WriteEnd {
  readonly failure: Failure | undefined;
  readonly isCut: boolean;
}

/**
 * Writes the records. If the reader has closed stdout, a batch of writes continues. If stdout fails, calls in progress
 * are completed.
 */
async function writeAll<T>(
  batches: AsyncGenerator<readonly JsonObject[]>,
  invocation: BatchInvocation,
  { view, isWrite }: IdBatch<T>,
  giveUp: AbortController,
): Promise<WriteEnd> {
  const options = { stop: () => giveUp.abort(), endsWithReader: !isWrite };
  try {
    const { isCut } = await printAll(invocation, view, batches, options);
    return { failure: undefined, isCut: isCut && !isWrite };
  } catch (failure) {
    // `warnOfRemaining` counts the ids that were not attempted.
    if (failure === invocation.context.stopping.reason) return { failure: undefined, isCut: false };
    if (failure instanceof Failure) return { failure, isCut: false };
    throw failure;
  }
}

function warnOfRemaining<T>(
  { context, notices }: BatchInvocation,
  { ids, view, isWrite }: IdBatch<T>,
  done: number,
): void {
  const left = ids.length - done;
  if (left === 0) return;
  const why = context.stopping.aborted ? 'interrupted: ' : '';
  const remedy = isWrite ? ': running it twice has the same effect' : '';
  notices.warning(`${why}${counted(left, view.noun)} not attempted`, `run the same command again${remedy}`);
}

/** The result of a call for one id: a value, or a failure that concerns this id. */
export type IdResult<T> =
  | { readonly kind: 'done'; readonly id: string; readonly value: T }
  | { readonly kind: 'rejected' | 'failed'; readonly id: string; readonly failure: Failure };

interface ForEachIdOptions extends StepOptions {
  /** True if `work` writes: then the first id goes alone, because its reply shows how the service treats the others. */
  readonly isWrite: boolean;
}

/**
 * Calls `work` for each id, several at once, and yields the results in the order of `ids`.
 * @throws failures that concern all ids (a credential, an address, an outage), after the results of all started calls.
 */
function forEachId<T>(
  ids: readonly string[],
  options: ForEachIdOptions,
  work: (id: string) => Promise<T>,
): AsyncIterable<readonly IdResult<T>[]> {
  const breaker = createBreaker();
  const canary = createCanary();
  const call = async (id: string): Promise<IdResult<T>> => {
    breaker.check();
    try {
      const value = await work(id);
      breaker.succeeded();
      return { kind: 'done', id, value };
    } catch (error) {
      return failedResult(id, error, breaker);
    }
  };
  const callAsStep = (id: string) =>
    options.isWrite
      ? canary(
          () => call(id),
          ({ kind }) => (kind === 'done' ? 'proof' : 'nothing'),
        )
      : call(id);
  return runSteps<string, IdResult<T>>(streamOf([ids]), options, async (id, report) => {
    report(await callAsStep(id));
    breaker.check();
  });
}

/** The result of a failed call. @throws `error` if it does not concern a single id. */
function failedResult(id: string, error: unknown, breaker: Breaker): IdResult<never> {
  if (error instanceof ServiceFailure && error.isPassing) {
    breaker.troubled(error);
    return { kind: 'failed', id, failure: error };
  }
  if (error instanceof Failure && error.kind === 'contradictory-reply') {
    // The next reply would be contradictory as well.
    breaker.stop(error);
    return { kind: 'failed', id, failure: error };
  }
  if (error instanceof Failure && (error.kind === 'refused' || error.kind === 'not-found')) {
    breaker.succeeded();
    return { kind: 'rejected', id, failure: error };
  }
  breaker.stop(error);
  throw error;
}
