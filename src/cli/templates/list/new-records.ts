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

/** The query parameter that leaves out what changed before (API 4.15, 4.18). */
const startParameter = 'updatedAtStart';

/** A list of which only changes are printed. */
interface ChangingList {
  readonly operation: string;
  readonly noun: string;
  readonly changes: TimedChanges;
  /** The filters as typed. */
  readonly filters: Readonly<Record<string, unknown>>;
  readonly account: string;
}

/** What is new in a list. */
export interface NewRecords {
  /** Those that were not given before, page by page; `pages` asks for the list with more to the query. */
  of(
    pages: (query: Readonly<Record<string, string>>) => AsyncIterable<ReadPage>,
  ): AsyncGenerator<readonly JsonObject[]>;
  /** The total, when this number was written. */
  total(written: number): string;
  /** Once everything was written: stores where the next run begins, and reports what is uncertain. */
  keep(): Promise<ExitCode>;
  /**
   * If a reading ended early: the next run begins where this one did, and leaves out what was given. Returns true if
   * anything was.
   */
  keepGiven(): Promise<boolean>;
}

type ChangesInvocation = Invocation<ConnectionFlags & StateFlags & ChangeFlags>;

/**
 * What is new in a list since the last run of its name; until this one has ended, no other run of that name can ask.
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
  return {
    of: (pages) => reading.read(pagesSince(changes, pages)),
    total: (written) =>
      listTotal(written, written, noun) +
      (checkpoint?.sinceMs === undefined
        ? `, the first run for '${name}'`
        : ` changed since the last run for '${name}'`),
    keep: async () => {
      const next = reading.next();
      await writeCheckpoint(place, subject, next);
      warnOfDoubts(reading, next, notices);
      return reading.isComplete ? 0 : 6;
    },
    keepGiven: async () => {
      if (reading.hasGiven) await writeCheckpoint(place, subject, reading.next());
      return reading.hasGiven;
    },
  };
}

/** Asks for what changed since a time, in the order in which no change is missed. */
function pagesSince(changes: TimedChanges, pages: Parameters<NewRecords['of']>[0]): ReadPagesSince {
  return (sinceMs) =>
    pages({
      ...changes.order,
      ...(sinceMs === undefined ? {} : { [startParameter]: new Date(sinceMs).toISOString() }),
    });
}

/** Warns of what could not be made sure of in a reading that came to its end. */
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
