import { type ExitCode, Failure, strongestExitCode } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { shardText } from '../../../base/shard.ts';
import type { Service } from '../../../client/open-service.ts';
import type { Outage } from '../../../client/outage.ts';
import type { TooMany } from '../../../client/pace.ts';
import { showsReasons } from '../../../output/formats/formats.ts';
import { type Notices, noteUnlisted } from '../../../output/terminal/notices.ts';
import { createProgress } from '../../../output/terminal/progress.ts';
import { asPlanned, counted, pushTotal, secondsInWords } from '../../../output/terminal/totals.ts';
import { outcomeView } from '../../../output/views/views.ts';
import {
  emptyTally,
  exitCodesOf,
  type PushOutcome,
  type ShownOutcome,
  shownOutcome,
  type Tally,
} from '../../../push/steps/outcome.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { printAll } from '../../runtime/print.ts';
import { CommonName } from './common-name.ts';
import { errorsOf, isOverspent, outcomeCount } from './error-budget.ts';
import type { ImportPart, PushInput } from './push-input.ts';
import type { PushEnd, PushRun } from './push-run.ts';
import { needsAttention } from './push-run.ts';
import { withoutFlag } from './typed-command.ts';

/** A running push, as its report needs it. */
interface ReportedPush extends Pick<PushInput<object>, 'count' | 'part' | 'leftOut'> {
  /** The singular: `order item`. */
  readonly noun: string;
  /** True if queued records are followed to the end of their jobs. */
  readonly isWaiting: boolean;
  readonly outcomes: AsyncIterable<readonly PushOutcome[]>;
  /** Undefined for a dry run. */
  readonly run: PushRun | undefined;
  readonly service: Pick<Service, 'watchOutage' | 'tooMany'>;
  /** Stops before the next record; requests in progress are completed. */
  readonly stop: () => void;
}

/** Prints the outcomes as they come, then the totals, then the failure that stopped the push, if any. */
export async function reportPush(invocation: Invocation<SendingFlags>, push: ReportedPush): Promise<PushEnd> {
  const { context, flags, notices, summary } = invocation;
  const { clock, streams } = context;
  const startedMs = clock.monotonicMs();
  const seen = new SeenOutcomes();
  const { tally } = seen;
  const progress = createProgress(streams, flags.progress, clock);
  let unlisted = 0;
  let failure: Failure | undefined;
  const show = (label = `pushing ${push.noun} records`) =>
    progress.update({ label, done: outcomeCount(tally), total: push.count, counts: tally });
  watchOutages(push, invocation, show);
  try {
    const view = outcomeView(push.noun, { isDryRun: flags.dryRun });
    const reported = tallied(invocation, push, seen, show);
    const written = await printAll(invocation, view, reported, { stop: push.stop });
    if (flags.dryRun) unlisted = written.unlisted;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // The records that were not attempted are counted below.
    if (error !== context.stopping.reason) failure = error;
  } finally {
    progress.done();
  }
  failure ??= seen.unrecorded;
  if (!showsReasons(flags.output)) seen.showTroubles(notices);
  const didNothing = failure !== undefined && outcomeCount(tally) === 0;
  summary.note({ counts: tally });
  notePace(push.service.tooMany(), notices);
  const outcomes = flags.dryRun ? asPlanned(tally) : tally;
  const elapsedMs = clock.monotonicMs() - startedMs;
  const total = pushTotal({ noun: push.noun, outcomes, elapsedMs, part: shownPart(push.part) });
  // A total of nothing would suggest that the input is empty.
  if (!didNothing) {
    noteUnlisted(unlisted, push.noun, notices);
    notices.summary(flags.dryRun ? `dry run, nothing was sent; ${total}` : total);
    warnOfUnsent(invocation, push, seen, failure);
  }
  seen.commonName.warn(notices);
  if (failure !== undefined) notices.error(failure);
  return endOf(push, tally, failure, context.stopping);
}

/** Maximum records listed on stderr. */
const namedMaximum = 20;

/** The outcomes so far, and what the report says about them at its end. */
class SeenOutcomes {
  readonly tally = emptyTally();
  readonly commonName = new CommonName();
  /** The first records that need attention; the rest are counted. */
  readonly #troubles: PushOutcome[] = [];
  #moreTroubles = 0;
  /** The reason of the first unknown record. */
  lostBy: string | undefined;
  /** The failure that stopped recording outcomes. */
  unrecorded: Failure | undefined;

  /** Records omitted from the push do not count as troubles. */
  add(outcomes: readonly ShownOutcome[], areLeftOut: boolean): void {
    for (const one of outcomes) {
      this.tally[one.outcome] += 1;
      this.commonName.add(one);
      if (areLeftOut || !needsAttention(one)) continue;
      if (this.#troubles.length < namedMaximum) this.#troubles.push(one);
      else this.#moreTroubles += 1;
      if (one.outcome === 'unknown') this.lostBy ??= one.error;
    }
  }

  /** Lists troubles with file, line, id and reason, if no record is printed. */
  showTroubles(notices: Notices): void {
    for (const { file, line, originId, outcome, error } of this.#troubles)
      notices.info([`${file}:${line}`, originId, outcome, error].filter(Boolean).join(': '));
    if (this.#moreTroubles > 0) notices.info(`and ${counted(this.#moreTroubles, 'record')} more`);
  }
}

function endOf(
  push: ReportedPush,
  tally: Tally,
  failure: Failure | undefined,
  { reason }: AbortSignal,
): PushEnd {
  const ended = [failure, reason].filter((one) => one instanceof Failure);
  const codes: ExitCode[] = [...exitCodesOf(tally, push.isWaiting), ...ended.map(({ exitCode }) => exitCode)];
  const isWhole = failure === undefined && leftOf(push, tally) === 0;
  return { exitCode: strongestExitCode(codes), tally, isWhole, failure };
}

/** A broken connection that recovers within this time is not worth a notice. */
const notableOutageMs = 1_000;

/** Reports outages of the service, and calls `onChange` with a waiting label during one. */
function watchOutages(
  { service }: ReportedPush,
  { flags, notices }: Invocation<SendingFlags>,
  onChange: (waiting: string | undefined) => void,
): void {
  service.watchOutage((outage) => {
    onChange(outageInWords(outage, flags.outageWait));
    if (outage.state === 'over' && outage.elapsedMs >= notableOutageMs) notices.info(outageOver(outage));
  });
}

/** The label while the service does not answer; undefined otherwise. */
function outageInWords({ state, elapsedMs }: Outage, longestMs: number): string | undefined {
  if (state !== 'under-way' || elapsedMs < notableOutageMs) return undefined;
  const [waited, longest] = [elapsedMs, longestMs].map((ms) => secondsInWords(Math.round(ms / 1000)));
  return `waiting for the service to answer, ${waited} of at most ${longest}`;
}

function outageOver({ elapsedMs, reason }: Outage): string {
  const time = secondsInWords(Math.round(elapsedMs / 1000));
  return `the service did not answer for ${time} (${reason}); the push waited and continued`;
}

/** Suggests the rate that would have fitted, if the service refused requests as too many. */
function notePace(tooMany: TooMany | undefined, notices: Notices): void {
  if (tooMany === undefined) return;
  const { count, takenPerSecond } = tooMany;
  const rate = takenPerSecond && `; -c rate=${Math.max(1, Math.floor(takenPerSecond))} would have fitted`;
  notices.info(
    `the service refused ${counted(count, 'request')} as too many; they were sent again${rate ?? ''}`,
  );
}

function shownPart({ shard, input }: Partial<ImportPart> = {}) {
  return shard && { name: `shard ${shardText(shard)}`, of: input?.records ?? 0 };
}

async function* inOrder({ leftOut, outcomes }: ReportedPush, { complete }: Notices) {
  const shown = (batch: readonly PushOutcome[]): readonly ShownOutcome[] =>
    batch.map((one) => shownOutcome(one, complete));
  for await (const batch of leftOut()) yield { batch: shown(batch), areLeftOut: true };
  for await (const batch of outcomes) yield { batch: shown(batch), areLeftOut: false };
}

/** Counts the outcomes, records those that need attention, and stops the push once its error budget is exceeded. */
async function* tallied(
  { argv, flags: { maxErrors }, notices }: Invocation<SendingFlags>,
  push: ReportedPush,
  seen: SeenOutcomes,
  onProgress: () => void,
): AsyncGenerator<readonly JsonObject[]> {
  const { run, stop } = push;
  const { tally } = seen;
  let isStopped = false;
  for await (const { batch, areLeftOut } of inOrder(push, notices)) {
    seen.add(batch, areLeftOut);
    run?.recorder.addOutcomes(batch);
    onProgress();
    await note(push, seen, batch);
    if (!isStopped && isOverspent(maxErrors, tally)) {
      isStopped = true;
      stop();
    }
    yield batch as readonly (ShownOutcome & JsonObject)[];
  }
  if (!isStopped) return;
  throw new Failure(
    'guard',
    `stopped by --max-errors: ${counted(errorsOf(tally), 'record')} of ${outcomeCount(tally)} had errors`,
    run === undefined
      ? 'correct what is listed above, or allow more errors'
      : hint`to list the errors: ${reviewctl`runs rejects ${run.id}`}; to continue anyway:
        ${withoutFlag(argv, '--max-errors')}`,
  );
}

/**
 * Records outcomes that need attention. If the journal fails, outcomes of sent requests are still reported; the journal
 * shows them as started.
 */
async function note(
  { run, stop }: ReportedPush,
  seen: SeenOutcomes,
  outcomes: readonly ShownOutcome[],
): Promise<void> {
  if (seen.unrecorded !== undefined) return;
  try {
    await run?.note(outcomes);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    seen.unrecorded = error;
    stop();
  }
}

/** Number of records without an outcome. */
function leftOf({ count }: ReportedPush, tally: Tally): number {
  return count - outcomeCount(tally);
}

/** The flag with the job lookup of this call; empty if a setting has it. */
function jobLookupOf({ overrides = {} }: Invocation['sources']): readonly string[] {
  const lookup = overrides['get-job'];
  return typeof lookup === 'string' ? ['-c', `get-job=${lookup}`] : [];
}

/** Reports the next steps for a person, each with its command. */
function warnOfUnsent(
  { argv, context, flags, notices, sources }: Invocation<SendingFlags>,
  push: ReportedPush,
  { lostBy, tally, unrecorded }: SeenOutcomes,
  failure: Failure | undefined,
): void {
  const { isWaiting, run } = push;
  if (run === undefined) return;
  const left = leftOf(push, tally);
  const { aborted } = context.stopping;
  if (left > 0 && flags.limit !== undefined && failure === undefined && !aborted) {
    notices.info(
      `${counted(left, 'record')} not attempted, because of --limit ${flags.limit}; to continue with them: ` +
        `${withoutFlag(argv, '--limit')}`,
    );
  } else if (left > 0) {
    const why = aborted ? 'interrupted: ' : '';
    const again = isOverspent(flags.maxErrors, tally)
      ? withoutFlag(argv, '--max-errors')
      : reviewctl`${argv}`;
    notices.warning(`${why}${counted(left, 'record')} not attempted`, hint`to continue with them: ${again}`);
  } else if (isWaiting && tally.queued > 0) {
    const why = aborted ? 'interrupted: ' : '';
    notices.warning(
      `${why}all records were sent, and the jobs of ${counted(tally.queued, 'record')} have not ended`,
      hint`to wait for them: ${reviewctl`jobs wait ${jobLookupOf(sources)}`}`,
    );
  } else if (aborted) notices.info('interrupted, but no record is left to send');
  const { undoableUntil } = run.undoLog;
  if (undoableUntil !== undefined && tally.updated > 0)
    notices.info(hint`to undo its updates (until ${undoableUntil}): ${reviewctl`runs undo ${run.id}`}`);
  if (tally.rejected + tally.failed > 0) {
    notices.info(
      hint`run ${run.id}: ${reviewctl`runs rejects ${run.id}`} lists the rejected and failed records`,
    );
  }
  if (tally.unknown > 0) {
    const reason = lostBy === undefined ? '' : ` (${lostBy})`;
    notices.warning(
      `${counted(tally.unknown, 'record')} sent without a usable answer${reason}: they may or may not have arrived`,
      unrecorded === undefined
        ? hint`look for them at the service (${reviewctl`runs rejects ${run.id} --unknown`}), then record the result:
          ${reviewctl`runs resolve ${run.id} --sent`} or --not-sent`
        : hint`once the journal is writable again: ${reviewctl`${argv}`}; it lists them as unknown and
          sends none of them`,
    );
  }
}
