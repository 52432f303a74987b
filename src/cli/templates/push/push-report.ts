import { type ExitCode, Failure, strongestExitCode } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { shardText } from '../../../base/shard.ts';
import type { Service } from '../../../client/open-service.ts';
import type { Outage } from '../../../client/outage.ts';
import type { TooMany } from '../../../client/pace.ts';
import { type Notices, noteUnlisted } from '../../../output/terminal/notices.ts';
import { createProgress } from '../../../output/terminal/progress.ts';
import { asPlanned, counted, pushTotal, secondsInWords } from '../../../output/terminal/totals.ts';
import { outcomeView } from '../../../output/views/views.ts';
import { emptyTally, exitCodesOf, type PushOutcome, type Tally } from '../../../push/steps/outcome.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { printAll } from '../../runtime/print.ts';
import { CommonName } from './common-name.ts';
import { errorsOf, isOverspent, outcomeCount } from './error-budget.ts';
import type { ImportPart, PushInput } from './push-input.ts';
import type { PushEnd, PushRun } from './push-run.ts';
import { needsAttention } from './push-run.ts';
import { withoutFlag } from './typed-command.ts';
import { UnprintedTroubles } from './unprinted-troubles.ts';

/** A push under way, as its report needs it. */
interface ReportedPush extends Pick<PushInput<object>, 'count' | 'part' | 'leftOut'> {
  /** One of its records: `order item`. */
  readonly noun: string;
  /** Whether queued records are followed to the end of their jobs. */
  readonly isWaiting: boolean;
  readonly outcomes: AsyncIterable<readonly PushOutcome[]>;
  /** None for a dry run. */
  readonly run: PushRun | undefined;
  readonly service: Pick<Service, 'watchOutage' | 'tooMany'>;
  /** Takes no new record from here on; what is under way is finished. */
  readonly stop: () => void;
}

/** Prints the outcomes as they come, then the totals, then what stopped the push, if anything did. */
export async function reportPush(invocation: Invocation<SendingFlags>, push: ReportedPush): Promise<PushEnd> {
  const { context, flags, notices, summary } = invocation;
  const { clock, streams } = context;
  const startedMs = clock.monotonicMs();
  const tally = emptyTally();
  const progress = createProgress(streams, flags.progress, clock);
  const troubles = new UnprintedTroubles();
  let unlisted = 0;
  const commonName = new CommonName();
  let lostBy: string | undefined;
  let failure: Failure | undefined;
  let unrecorded: Failure | undefined;
  // Requests already sent are reported even where the journal fails; it has them as started.
  const note = async (outcomes: readonly PushOutcome[]) => {
    if (unrecorded !== undefined) return;
    try {
      await push.run?.note(outcomes);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      unrecorded = error;
      push.stop();
    }
  };
  const label = `pushing ${push.noun} records`;
  let done = 0;
  const show = (doing = label) => progress.update({ label: doing, done, total: push.count, counts: tally });
  watchOutages(push, invocation, show);
  try {
    const reported = tallied(invocation, push, tally, {
      note,
      onOutcome: (outcome) => commonName.add(outcome),
      onTrouble: (outcome) => {
        troubles.add(outcome);
        if (outcome.outcome === 'unknown') lostBy ??= outcome.error;
      },
      onProgress: (count) => {
        done = count;
        show();
      },
    });
    const view = outcomeView(push.noun, { isDryRun: flags.dryRun });
    const written = await printAll(invocation, view, reported, { stop: push.stop });
    if (flags.dryRun) unlisted = written.unlisted;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // What was not attempted because of it is counted below.
    if (error !== context.stopping.reason) failure = error;
  } finally {
    progress.done();
  }
  failure ??= unrecorded;
  if (flags.output === 'none') troubles.show(notices);
  const didNothing = failure !== undefined && outcomeCount(tally) === 0;
  summary.note({ counts: tally });
  notePace(push.service.tooMany(), notices);
  const outcomes = flags.dryRun ? asPlanned(tally) : tally;
  const elapsedMs = clock.monotonicMs() - startedMs;
  const total = pushTotal({ noun: push.noun, outcomes, elapsedMs, part: shownPart(push.part) });
  // Totals of nothing would read as if the input were empty.
  if (!didNothing) {
    noteUnlisted(unlisted, push.noun, notices);
    notices.summary(flags.dryRun ? `dry run, nothing was sent; ${total}` : total);
    const isLimited = flags.limit !== undefined && failure === undefined && !context.stopping.aborted;
    warnOfUnsent(invocation, push, tally, { isLimited, isOnRecord: unrecorded === undefined, lostBy });
  }
  commonName.warn(notices);
  if (failure !== undefined) notices.error(failure);
  return endOf(push, tally, failure, context.stopping);
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

/** A connection that broke is no outage worth a word. */
const notableOutageMs = 1_000;

/** Says that the service did not answer, and calls `onChange` with what is waited for while it does not. */
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

/** What is waited for while the service does not answer; undefined if nothing is. */
function outageInWords({ state, elapsedMs }: Outage, longestMs: number): string | undefined {
  if (state !== 'under-way' || elapsedMs < notableOutageMs) return undefined;
  const [waited, longest] = [elapsedMs, longestMs].map((ms) => secondsInWords(Math.round(ms / 1000)));
  return `waiting for the service to answer, ${waited} of at most ${longest}`;
}

function outageOver({ elapsedMs, reason }: Outage): string {
  const time = secondsInWords(Math.round(elapsedMs / 1000));
  return `the service did not answer for ${time} (${reason}); the push waited and went on`;
}

/** Names the rate that would have fitted, if the service refused requests because there were too many. */
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

interface TallyEvents {
  /** Puts on record what needs attention; never rejects. */
  readonly note: (outcomes: readonly PushOutcome[]) => Promise<void>;
  readonly onProgress: (done: number) => void;
  readonly onOutcome: (outcome: PushOutcome) => void;
  /** Called with each record that needs attention, except for those left out. */
  readonly onTrouble: (outcome: PushOutcome) => void;
}

async function* inOrder({ leftOut, outcomes }: ReportedPush) {
  for await (const batch of leftOut()) yield { batch, isNew: false };
  for await (const batch of outcomes) yield { batch, isNew: true };
}

/** Counts the outcomes, puts on record what needs attention, and stops the push that has used up its error budget. */
async function* tallied(
  { argv, flags: { maxErrors: budget } }: Invocation<SendingFlags>,
  push: ReportedPush,
  tally: Record<keyof Tally, number>,
  { note, onOutcome, onProgress, onTrouble }: TallyEvents,
): AsyncGenerator<readonly JsonObject[]> {
  const { run, stop } = push;
  let done = 0;
  let isStopped = false;
  for await (const { batch, isNew } of inOrder(push)) {
    for (const one of batch) {
      tally[one.outcome] += 1;
      onOutcome(one);
      if (isNew && needsAttention(one)) onTrouble(one);
    }
    done += batch.length;
    run?.timeline.addOutcomes(tally);
    onProgress(done);
    await note(batch);
    if (budget !== undefined && !isStopped && isOverspent(budget, tally)) {
      isStopped = true;
      stop();
    }
    yield batch as readonly (PushOutcome & JsonObject)[];
  }
  if (!isStopped) return;
  throw new Failure(
    'guard',
    `stopped by --max-errors: ${counted(errorsOf(tally), 'record')} of ${done} had errors`,
    run === undefined
      ? 'correct what is listed above, or allow more errors'
      : hint`to list the errors: ${reviewctl`runs rejects ${run.id}`}; to continue anyway:
        ${withoutFlag(argv, '--max-errors')}`,
  );
}

/** How many records came to no outcome. */
function leftOf({ count }: ReportedPush, tally: Tally): number {
  return count - outcomeCount({ ...tally });
}

function isOverBudget(
  { maxErrors }: Pick<Invocation<SendingFlags>['flags'], 'maxErrors'>,
  tally: Tally,
): boolean {
  return maxErrors !== undefined && isOverspent(maxErrors, tally);
}

/** Names what a person has to do next, each with its command. */
function warnOfUnsent(
  { argv, context, flags, notices }: Invocation<SendingFlags>,
  push: ReportedPush,
  tally: Tally,
  {
    isLimited,
    isOnRecord,
    lostBy,
  }: { readonly isLimited: boolean; readonly isOnRecord: boolean; readonly lostBy: string | undefined },
): void {
  const { isWaiting, run } = push;
  if (run === undefined) return;
  const left = leftOf(push, tally);
  if (left > 0 && isLimited) {
    notices.info(
      `${counted(left, 'record')} not attempted, because of --limit ${flags.limit}; to continue with them: ` +
        `${withoutFlag(argv, '--limit')}`,
    );
  } else if (left > 0) {
    const why = context.stopping.aborted ? 'interrupted: ' : '';
    const again = isOverBudget(flags, tally) ? withoutFlag(argv, '--max-errors') : reviewctl`${argv}`;
    notices.warning(`${why}${counted(left, 'record')} not attempted`, hint`to continue with them: ${again}`);
  } else if (isWaiting && tally.queued > 0) {
    const why = context.stopping.aborted ? 'interrupted: ' : '';
    notices.warning(
      `${why}all records were sent, and the jobs of ${counted(tally.queued, 'record')} have not ended`,
      hint`to wait for them: ${reviewctl`jobs wait`}`,
    );
  }
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
      isOnRecord
        ? hint`look for them at the service (${reviewctl`runs rejects ${run.id} --unknown`}), then record the result:
          ${reviewctl`runs resolve ${run.id} --sent`} or --not-sent`
        : hint`once the journal is writable again: ${reviewctl`${argv}`}; it lists them as unknown and
          sends none of them`,
    );
  }
}
