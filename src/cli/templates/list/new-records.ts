import type { ExitCode } from '../../../base/failure.ts';
import type { JsonObject } from '../../../base/json.ts';
import { timeInWords } from '../../../base/korean-time.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted, listTotal } from '../../../output/terminal/totals.ts';
import { valueAt } from '../../../output/views/fields.ts';
import {
  ChangeReading,
  type Checkpoint,
  type ReadPage,
  type ReadPagesSince,
  seenMaximum,
} from '../../../store/checkpoints/checkpoint.ts';
import {
  type CheckpointSubject,
  checkpointName,
  readCheckpoint,
  writeCheckpoint,
} from '../../../store/checkpoints/stored-checkpoint.ts';
import { checkpointPlace } from '../../../store/open-store.ts';
import type { Invocation } from '../../runtime/command.ts';
import { lockState, type StateFlags } from '../../runtime/find-state.ts';
import type { ConnectionFlags } from '../../runtime/session.ts';
import type { ChangeFlags, TimedChanges } from './list-flags.ts';

/** The query parameter that excludes earlier changes (API 4.15, 4.18). */
const startParameter = 'updatedAtStart';

/** A list whose changes alone are printed. */
interface ChangingList {
  readonly operation: string;
  readonly noun: string;
  readonly changes: TimedChanges;
  /** The filters as typed. */
  readonly filters: Readonly<Record<string, unknown>>;
  readonly account: string;
}

/** The changes of a list. */
export interface NewRecords {
  /** The records that were not printed before, page by page; `pages` requests the list with an extended query. */
  of(
    pages: (query: Readonly<Record<string, string>>) => AsyncIterable<ReadPage>,
  ): AsyncGenerator<readonly JsonObject[]>;
  /** The total after this number of records was written. */
  total(written: number): string;
  /** Stores where the next run starts, and reports doubts; call it once everything was written. */
  keep(): Promise<ExitCode>;
  /**
   * Stores the progress of a reading that ended early: the next run starts where this one did, and omits the printed
   * records. Returns true if any record was printed.
   */
  keepGiven(): Promise<boolean>;
}

type ChangesInvocation = Invocation<ConnectionFlags & StateFlags & ChangeFlags>;

/**
 * Reads the changes of a list since the last run of this name. Until this run has ended, no other run of the name can
 * start.
 * @throws Failure('locked') during another run of the name; as `readCheckpoint`.
 */
export async function useNewRecords(
  invocation: ChangesInvocation,
  name: string,
  { account, changes, filters, noun, operation }: ChangingList,
): Promise<NewRecords> {
  const { context, notices } = invocation;
  const state = await lockState(invocation, checkpointName(operation, name), `list --since-last ${name}`);
  const place = checkpointPlace(state, operation, name);
  const subject: CheckpointSubject = { account, filters: filters as JsonObject };
  const checkpoint = await readCheckpoint(place, subject);
  const timeOf = (record: JsonObject) => valueAt(record, changes.path);
  const reading = new ChangeReading(checkpoint, { ownMs: context.clock.now(), timeOf });
  const write = async (next: Checkpoint) => {
    try {
      await writeCheckpoint(place, subject, next);
    } catch (error) {
      if (reading.hasGiven) notices.warning('the next run shows the records of this one again');
      throw error;
    }
  };
  return {
    of: (pages) => reading.read(pagesSince(changes, pages)),
    total: (written) =>
      listTotal(written, written, noun) +
      (checkpoint?.sinceMs === undefined
        ? `, the first run for '${name}'`
        : ` changed since the last run for '${name}'`),
    keep: async () => {
      const next = reading.next();
      await write(next);
      warnOfDoubts(reading, next, notices);
      return reading.isComplete ? 0 : 6;
    },
    keepGiven: async () => {
      if (reading.hasGiven) await write(reading.next());
      return reading.hasGiven;
    },
  };
}

/** Requests the changes since a time, in the order that misses none. */
function pagesSince(changes: TimedChanges, pages: Parameters<NewRecords['of']>[0]): ReadPagesSince {
  return (sinceMs) =>
    pages({
      ...changes.order,
      ...(sinceMs === undefined ? {} : { [startParameter]: new Date(sinceMs).toISOString() }),
    });
}

/** Warns of doubts after a complete reading. */
function warnOfDoubts(reading: ChangeReading, next: Checkpoint, notices: Notices): void {
  const { count, latestMs } = reading.future;
  if (count > 0) {
    notices.warning(
      `${counted(count, 'record')} have times ahead of the clock of the service, the latest ` +
        timeInWords(latestMs),
      'they are read again until these times have passed, but printed again only if they change',
    );
  }
  if (reading.isForgetful(next)) {
    notices.warning(
      `more than ${counted(seenMaximum, 'record')} changed at nearly the same time; some of them are printed ` +
        'again by the next reading',
    );
  }
  if (!reading.isComplete) {
    notices.warning(
      'the list changed each time it was read, so a change may be missing; the next run starts where this one did',
      'run the same command again when fewer changes happen; printed records are not repeated',
    );
  }
}
