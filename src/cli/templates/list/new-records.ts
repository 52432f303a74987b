import type { ExitCode } from '../../../base/failure.ts';
import type { HintText } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { timeInWords } from '../../../base/korean-time.ts';
import { counted, listTotal } from '../../../output/terminal/totals.ts';
import { valueAt } from '../../../output/views/fields.ts';
import {
  ChangeReading,
  type Checkpoint,
  type ReadPage,
  type ReadPagesSince,
  seenMaximum,
} from '../../../store/checkpoints/checkpoint.ts';
import { checkpointName } from '../../../store/checkpoints/checkpoint-file.ts';
import {
  type CheckpointSubject,
  readCheckpoint,
  writeCheckpoint,
} from '../../../store/checkpoints/stored-checkpoint.ts';
import { checkpointPlace } from '../../../store/open-store.ts';
import type { Invocation } from '../../runtime/command.ts';
import { type StateFlags, withLockedState } from '../../runtime/find-state.ts';
import type { ConnectionFlags } from '../../runtime/session.ts';
import type { ChangeFlags, TimedChanges } from './change-flags.ts';

/** The query parameter that leaves out what changed before (API 4.15, 4.18). */
const startParameter = 'updatedAtStart';

/** A list of which only changes are printed. */
export interface ChangingList {
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
  /**
   * Stores the position of the reading, from which the next run begins, and reports what is uncertain. `isWhole`:
   * everything was written; otherwise records already printed are not repeated, and the next run begins where this one
   * did.
   */
  keep(isWhole: boolean): Promise<ExitCode>;
}

/** How far a list was read, and where the next reading finds that. */
interface Position {
  readonly checkpoint: Checkpoint | undefined;
  readonly keep: (next: Checkpoint) => Promise<void>;
}

type ChangesInvocation = Invocation<ConnectionFlags & StateFlags & ChangeFlags>;

/**
 * Does `work` with what is new in a list since the last run of its name, while no other run of that name can.
 * @throws Failure('locked') during another run of the name; as `readCheckpoint`; and what `work` throws.
 */
export async function withNewRecords(
  invocation: ChangesInvocation,
  name: string,
  list: ChangingList,
  work: (records: NewRecords) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { operation, account, filters } = list;
  const lock = { name: checkpointName(operation, name), activity: `list --since-last ${name}` };
  return withLockedState(invocation, lock, async (state) => {
    const place = checkpointPlace(state, operation, name);
    const subject: CheckpointSubject = { account, filters: filters as JsonObject };
    const position = {
      checkpoint: await readCheckpoint(place, subject),
      keep: (next: Checkpoint) => writeCheckpoint(place, subject, next),
    };
    return work(recordsSince(invocation, list, position));
  });
}

function recordsSince(
  { context, flags: { sinceLast: name }, notices }: ChangesInvocation,
  { changes, noun }: ChangingList,
  { checkpoint, keep }: Position,
): NewRecords {
  const reading = new ChangeReading(checkpoint, { ownMs: context.clock.now(), timeOf: timeIn(changes) });
  return {
    of: (pages) => reading.read(pagesSince(changes, pages)),
    total: (written) =>
      listTotal(written, written, noun) +
      (checkpoint?.sinceMs === undefined
        ? `, the first run for '${name}'`
        : ` changed since the last run for '${name}'`),
    keep: async (isWhole) => {
      if (!isWhole && !reading.hasGiven) return 0;
      const next = reading.next();
      await keep(next);
      if (!isWhole) return 0;
      for (const { message, hint } of doubtsOf(reading, next)) notices.warning(message, hint);
      return reading.isComplete ? 0 : 6;
    },
  };
}

/** When a record of a list was changed. */
function timeIn({ path }: TimedChanges): (record: JsonObject) => unknown {
  return (record) => valueAt(record, path);
}

/** Asks for what changed since a time, in the order in which no change is missed. */
function pagesSince(changes: TimedChanges, pages: Parameters<NewRecords['of']>[0]): ReadPagesSince {
  return (sinceMs) =>
    pages({
      ...changes.order,
      ...(sinceMs === undefined ? {} : { [startParameter]: new Date(sinceMs).toISOString() }),
    });
}

/** What could not be made sure of in a reading. */
interface Doubt {
  readonly message: string;
  readonly hint?: HintText;
}

/** What could not be made sure of in a reading that came to its end. */
function doubtsOf(reading: ChangeReading, next: Checkpoint): readonly Doubt[] {
  const doubts: Doubt[] = [];
  const { count, latestMs } = reading.future;
  if (count > 0) {
    doubts.push({
      message:
        `${counted(count, 'record')} have times ahead of the clock of the service, the latest ` +
        timeInWords(latestMs),
      hint: 'they are read again until these times have passed, but printed again only if they change',
    });
  }
  if (reading.isForgetful(next)) {
    doubts.push({
      message:
        `more than ${counted(seenMaximum, 'record')} changed at nearly the same time; some of them are printed ` +
        'again by the next reading',
    });
  }
  if (!reading.isComplete) {
    doubts.push({
      message:
        'the list changed each time it was read, so a change may be missing; the next run starts where this one did',
      hint: 'run the same command again when fewer changes happen; printed records are not repeated',
    });
  }
  return doubts;
}
