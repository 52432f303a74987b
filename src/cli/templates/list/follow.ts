import type { Clock } from '../../../base/clock.ts';
import { Failure } from '../../../base/failure.ts';
import type { JsonObject } from '../../../base/json.ts';
import { instantMs } from '../../../base/korean-time.ts';
import { chunk } from '../../../base/lists.ts';
import { retryAfterMs } from '../../../client/retry.ts';
import { ServiceFailure } from '../../../client/service-failure.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted, secondsInWords } from '../../../output/terminal/totals.ts';
import {
  ChangeReading,
  type Checkpoint,
  checkpointOfNow,
  type ReadPagesSince,
} from '../../../store/checkpoints/checkpoint.ts';
import type { Invocation } from '../../runtime/command.ts';
import type { ChangeFlags } from './change-flags.ts';
import {
  type ChangingList,
  doubtsOf,
  type NewRecords,
  type Position,
  pagesSince,
  timeIn,
} from './new-records.ts';

/** Changes of one look that are put in order; of more than that, each page is printed as it comes. */
const orderedMaximum = 10_000;
/** Records that are written at once. */
const batchSize = 100;
/** The longest pause that a service can ask for. */
const longestPauseMs = 3_600_000;

/**
 * What is new in a list, look after look, until the run is stopped or its output is closed: each change once, the
 * changes of a look from the oldest to the newest. Without a name it begins now, or with the list where a start is
 * among the filters. The position is kept whenever the records of a look were written, so that a run that ends while
 * they are written prints these again.
 */
export function followedRecords(
  { context: { clock, stopping }, flags, notices }: Invocation<ChangeFlags>,
  { changes, noun, filters }: ChangingList,
  { checkpoint, keep }: Position,
): NewRecords {
  const { interval: intervalMs, sinceLast: name } = flags;
  const isFromNow = name === undefined && filters['createdAtStart'] === undefined;
  const start = isFromNow ? checkpointOfNow(clock.now()) : checkpoint;
  return {
    of: (pages) => {
      const reader = { pages: pagesSince(changes, pages), timeOf: timeIn(changes), clock, notices };
      const looks = new Looks(start, keep, reader);
      const { records } = changes;
      return follow(looks, { records, isFromNow, intervalMs, clock, stopping, notices });
    },
    total: (written) =>
      counted(written, noun) + (name === undefined ? '' : `; the next run for '${name}' continues from here`),
    keep: async () => 0,
  };
}

interface FollowOptions {
  /** What is followed, in words. */
  readonly records: string;
  /** Whether the first look only finds out where what is new begins. */
  readonly isFromNow: boolean;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly notices: Notices;
}

/**
 * The records of each look. A look that fails in a way that may pass is made again after the next pause; the first one
 * has to succeed, since a wrong address would never be noticed otherwise.
 * @throws what a look throws that no retry mends.
 */
async function* follow(
  looks: Looks,
  { records, isFromNow, intervalMs, clock, stopping, notices }: FollowOptions,
): AsyncGenerator<readonly JsonObject[]> {
  let failure: Failure | undefined;
  try {
    const first = looks.next();
    if (isFromNow) for await (const _ of first);
    else yield* first;
    notices.info(`following ${records}, every ${inWords(intervalMs)}; Ctrl-C ends it`);
    for (;;) {
      await clock.sleep(Math.max(intervalMs, askedPauseMs(failure, clock)), stopping);
      try {
        yield* looks.next();
        if (failure !== undefined) notices.info('the list can be read again');
        failure = undefined;
      } catch (error) {
        if (stopping.aborted || !isPassing(error)) throw error;
        if (failure === undefined) {
          notices.warning(error.message, 'the list is read again after each pause; Ctrl-C ends it');
        }
        failure = error;
      }
    }
  } catch (error) {
    if (!stopping.aborted || !(error === stopping.reason || isPassing(error))) throw error;
  }
}

function inWords(ms: number): string {
  return ms % 1000 === 0 ? secondsInWords(ms / 1000) : `${ms / 1000} s`;
}

/** Whether another look may succeed. */
function isPassing(error: unknown): error is Failure {
  if (error instanceof ServiceFailure) return error.isPassing;
  return error instanceof Failure && error.kind === 'inconsistent-list';
}

function askedPauseMs(failure: Failure | undefined, clock: Clock): number {
  if (!(failure instanceof ServiceFailure)) return 0;
  return Math.min(longestPauseMs, retryAfterMs(failure.retryAfter, clock) ?? 0);
}

interface LookOptions {
  readonly pages: ReadPagesSince;
  readonly timeOf: (record: JsonObject) => unknown;
  readonly clock: Clock;
  readonly notices: Notices;
}

/** Readings of one list, each of which begins where the last one ended. */
class Looks {
  #checkpoint: Checkpoint | undefined;
  readonly #keep: Position['keep'];
  readonly #options: LookOptions;
  readonly #warned = new Set<string>();

  constructor(start: Checkpoint | undefined, keep: Position['keep'], options: LookOptions) {
    this.#checkpoint = start;
    this.#keep = keep;
    this.#options = options;
  }

  /** What is new since the last look; a batch counts as written when the next one is asked for. */
  async *next(): AsyncGenerator<readonly JsonObject[]> {
    const { pages, timeOf, clock } = this.#options;
    const reading = new ChangeReading(this.#checkpoint, { ownMs: clock.now(), timeOf });
    const held: JsonObject[] = [];
    let isOrdered = true;
    let isWritten = false;
    try {
      for await (const fresh of reading.read(pages)) {
        if (isOrdered && held.length + fresh.length <= orderedMaximum) {
          held.push(...fresh);
          continue;
        }
        if (isOrdered) yield held.splice(0);
        isOrdered = false;
        yield fresh;
      }
      yield* chunk(oldestFirst(held, timeOf), batchSize);
      isWritten = true;
    } finally {
      if (isWritten || !isOrdered) await this.#accept(reading);
    }
  }

  async #accept(reading: ChangeReading): Promise<void> {
    const next = reading.next();
    this.#checkpoint = next;
    await this.#keep(next);
    for (const { kind, message, hint } of doubtsOf(reading, next)) {
      // A list that changed while it was read is read again by the next look.
      if (kind === 'changing' || this.#warned.has(kind)) continue;
      this.#warned.add(kind);
      this.#options.notices.warning(message, hint);
    }
  }
}

/** Lists show the newest change first, where they can. */
function oldestFirst(
  records: readonly JsonObject[],
  timeOf: (record: JsonObject) => unknown,
): readonly JsonObject[] {
  const timeMs = (record: JsonObject) => {
    const ms = instantMs(String(timeOf(record)));
    return Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms;
  };
  const timed = records.toReversed().map((record) => ({ record, ms: timeMs(record) }));
  return timed.toSorted((a, b) => (a.ms === b.ms ? 0 : a.ms - b.ms)).map(({ record }) => record);
}
