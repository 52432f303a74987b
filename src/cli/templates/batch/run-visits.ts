import { type ExitCode, Failure, strongestExitCode } from '../../../base/failure.ts';
import type { JsonObject } from '../../../base/json.ts';
import { writeRecords } from '../../../output/formats/records.ts';
import { createProgress } from '../../../output/terminal/progress.ts';
import { counted, pushTotal } from '../../../output/terminal/totals.ts';
import type { View } from '../../../output/views/view.ts';
import { adaptiveConcurrency } from '../../../push/send/adaptive-concurrency.ts';
import { pushFlags } from '../../flags/sending-flags.ts';
import { connectionFlags, outputFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import type { Session } from '../../runtime/session.ts';
import { type Visited, visitIds } from './visit-ids.ts';

const { concurrency, progress } = pushFlags;

/** The flags of every command that takes many ids. */
export const visitFlags = { concurrency, progress, ...outputFlags, ...connectionFlags };
type VisitInvocation = Invocation<typeof visitFlags>;

/** What a command does with many ids. */
export interface Visits<T> {
  readonly ids: readonly string[];
  /** For the live line: `hiding reviews`. */
  readonly label: string;
  /** How one record is printed. */
  readonly view: View;
  /** Whether the work goes on when nobody reads its outcomes any more. */
  readonly isWrite: boolean;
  /** What an id counts as when its work is done: `updated`. */
  readonly doneWord: string;
  readonly work: (id: string) => Promise<T>;
  /** The record that tells of an id; an id without one is told on stderr. */
  readonly recordOf: (visited: Visited<T>) => JsonObject | undefined;
}

/**
 * Does the work for each id and prints what came of it, in the order of the ids, then the totals, then what stopped it, if anything
 * did. The exit code is 6 where some ids were rejected or failed.
 */
export async function runVisits<T>(
  invocation: VisitInvocation,
  service: Session,
  visits: Visits<T>,
): Promise<ExitCode> {
  const { context, flags, notices } = invocation;
  const { clock, streams } = context;
  const startedMs = clock.now();
  const outcomes: Record<string, number> = { [visits.doneWord]: 0, rejected: 0, failed: 0 };
  const live = createProgress(streams, flags.progress, clock);
  const giveUp = new AbortController();
  const stopping = AbortSignal.any([context.stopping, giveUp.signal]);
  const width = flags.concurrency === 'auto' ? adaptiveConcurrency(service, clock) : flags.concurrency;
  let done = 0;
  async function* records(): AsyncGenerator<readonly JsonObject[]> {
    for await (const visited of visitIds(
      visits.ids,
      { concurrency: width, stopping, isWrite: visits.isWrite },
      visits.work,
    )) {
      const word = visited.kind === 'done' ? visits.doneWord : visited.kind;
      outcomes[word] = (outcomes[word] ?? 0) + 1;
      done += 1;
      live.update({ label: visits.label, done, total: visits.ids.length, counts: outcomes });
      const record = visits.recordOf(visited);
      if (record !== undefined) yield [record];
      else if (visited.kind !== 'done') notices.error(visited.failure);
    }
  }
  const { failure, isCut } = await writeAll(records(), invocation, visits, giveUp).finally(() => live.done());
  const isStillborn = failure !== undefined && done === 0;
  if (!isStillborn && !isCut) {
    notices.summary(pushTotal({ noun: visits.view.noun, outcomes, elapsedMs: clock.now() - startedMs }));
    tellWhatIsLeft(invocation, visits, done);
  }
  if (failure !== undefined) notices.error(failure);
  return strongestExitCode(exitCodesOf(outcomes, failure, context.stopping));
}

/** What ended the writing before its end: a failure, or a reader who went away, which is none. */
interface WriteEnd {
  readonly failure: Failure | undefined;
  readonly isCut: boolean;
}

/**
 * Writes what comes. Of a write, the work goes on when the reader of stdout has gone away, and what is under way is finished when
 * stdout fails.
 */
async function writeAll<T>(
  batches: AsyncGenerator<readonly JsonObject[]>,
  { context, flags }: VisitInvocation,
  { view, isWrite }: Visits<T>,
  giveUp: AbortController,
): Promise<WriteEnd> {
  const unstoppable = { [Symbol.asyncIterator]: () => ({ next: () => batches.next() }) };
  const options = { ...flags, format: flags.output, clock: context.clock };
  try {
    const { isCut } = await writeRecords(isWrite ? unstoppable : batches, view, options, context.streams);
    await drain(batches);
    return { failure: undefined, isCut: isCut && !isWrite };
  } catch (failure) {
    giveUp.abort();
    await drain(batches);
    if (failure instanceof Failure) return { failure, isCut: false };
    throw failure;
  }
}

async function drain(batches: AsyncGenerator<unknown>): Promise<void> {
  while (!(await batches.next()).done);
}

function tellWhatIsLeft<T>(
  { context, notices }: VisitInvocation,
  { ids, view, isWrite }: Visits<T>,
  done: number,
): void {
  const left = ids.length - done;
  if (left === 0) return;
  const why = context.stopping.aborted ? 'interrupted: ' : '';
  const remedy = isWrite ? ': what is done twice has the effect of once' : '';
  notices.warning(`${why}${counted(left, view.noun)} not attempted`, `run the same command again${remedy}`);
}

function exitCodesOf(
  { rejected = 0, failed = 0 }: Readonly<Record<string, number>>,
  failure: Failure | undefined,
  { reason }: AbortSignal,
): ExitCode[] {
  const codes: ExitCode[] = [];
  if (rejected + failed > 0) codes.push(6);
  if (failure !== undefined) codes.push(failure.exitCode);
  if (reason instanceof Failure) codes.push(reason.exitCode);
  return codes;
}
