import { basename } from 'node:path';
import * as z from 'zod';
import { type ExitCode, Failure } from '../../../base/failure.ts';
import type { JsonObject } from '../../../base/json.ts';
import { serviceUrl } from '../../../client/open-service.ts';
import { findFolders, stateFolder } from '../../../config/folders.ts';
import { kebabCase } from '../../../config/setting-sources.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { valueAt } from '../../../output/views/fields.ts';
import {
  ChangeReading,
  type Checkpoint,
  type ReadPage,
  seenMaximum,
} from '../../../store/checkpoints/checkpoint.ts';
import {
  type CheckpointSubject,
  checkpointPath,
  readCheckpoint,
  writeCheckpoint,
} from '../../../store/checkpoints/checkpoint-file.ts';
import { type Flag, valueFlag } from '../../flags/flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { type ConnectionFlags, requireBaseUrl } from '../../runtime/session.ts';

/** Whether a list can be asked for what changed, and by which time of its records. */
export type Changes =
  | {
      readonly kind: 'timed';
      readonly path: string;
      /**
       * Where the list can be sorted: an order that moves a changed record to the front, so that no record moves to a
       * page already read.
       */
      readonly order?: Readonly<Record<'sort' | 'direction', string>>;
      readonly help: string;
    }
  | { readonly kind: 'unsupported'; readonly reason: string };

/** The query parameter that leaves out what changed before (API 4.15, 4.18). */
const startParameter = 'updatedAtStart';

const checkpointName = z
  .string()
  .regex(/^[\w-][\w.-]{0,63}$/, 'expected a name of letters, digits, -, _ and dots')
  .optional();

/** `--since-last` of one list. */
export function sinceLastFlag(changes: Changes): Flag<string | undefined> {
  const isHidden = changes.kind === 'unsupported';
  const help = isHidden ? `not offered: ${changes.reason}` : changes.help;
  return { ...valueFlag(checkpointName, { value: 'NAME', help }), isHidden };
}

/** A list that is printed from the last one of its name on. */
export interface NamedList {
  readonly operation: string;
  readonly name: string;
  readonly changes: TimedChanges;
  /** The filters as typed. */
  readonly filters: Readonly<Record<string, unknown>>;
  readonly account: string;
}

/** What is new in a list. */
export interface NewRecords {
  /** The end of the total: `changed since …`. */
  readonly inWords: string;
  /** Those that were not given before, page by page; `pages` asks for the list with more to the query. */
  of(
    pages: (query: Readonly<Record<string, string>>) => AsyncIterable<ReadPage>,
  ): ReturnType<ChangeReading['read']>;
  /**
   * Stores the position of the reading, from which the next run begins, and reports what is uncertain. `isWhole`:
   * everything was written; otherwise records already printed are not repeated, and the next run begins where this one
   * did.
   */
  keep(isWhole: boolean): ExitCode;
}

/**
 * Does `work` with what is new in a list since the last run of its name, while no other run of that name can.
 * @throws Failure('locked') during another run of the name; as `readCheckpoint`; and what `work` throws.
 */
export async function withNewRecords(
  { context, flags, sources, notices }: Invocation<ConnectionFlags>,
  list: NamedList,
  work: (records: NewRecords) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { operation, name, changes, account } = list;
  const service = serviceUrl(requireBaseUrl(flags.baseUrl));
  const folder = stateFolder(findFolders(context.env), sources.profile.name, service);
  const path = checkpointPath(folder, operation, name);
  // Lists without a name start without the store.
  const { stateLocation, stateLocks } = await import('../../../store/open-store.ts');
  const locks = stateLocks(stateLocation(folder));
  const lock = await locks.acquire(basename(path), `list --since-last ${name}`);
  try {
    const subject: CheckpointSubject = { account, filters: list.filters as JsonObject };
    const checkpoint = readCheckpoint(path, subject);
    const timeOf = (record: JsonObject) => valueAt(record, changes.path);
    const reading = new ChangeReading(checkpoint, { ownMs: context.clock.now(), timeOf });
    return await work({
      inWords:
        checkpoint?.sinceMs === undefined
          ? `, the first run for '${name}'`
          : ` changed since the last run for '${name}'`,
      of: (pages) =>
        reading.read((sinceMs) =>
          pages({
            ...changes.order,
            ...(sinceMs === undefined ? {} : { [startParameter]: new Date(sinceMs).toISOString() }),
          }),
        ),
      keep: (isWhole) => {
        if (!isWhole && !reading.hasGiven) return 0;
        const next = reading.next();
        writeCheckpoint(path, subject, next);
        return isWhole ? report(reading, next, notices) : 0;
      },
    });
  } finally {
    await lock.release();
  }
}

/** Says what could not be made sure of in a reading that came to its end. */
function report(reading: ChangeReading, next: Checkpoint, notices: Notices): ExitCode {
  const { count, latestMs } = reading.future;
  if (count > 0) {
    notices.warning(
      `${counted(count, 'record')} have times ahead of the clock of the service, the latest ` +
        `${new Date(latestMs).toISOString()}`,
      'they are read again until these times have passed, but printed again only if they change',
    );
  }
  if (reading.isForgetful(next)) {
    notices.warning(
      `more than ${counted(seenMaximum, 'record')} changed at nearly the same time; the next run prints some of ` +
        'them again',
    );
  }
  if (reading.isComplete) return 0;
  notices.warning(
    'the list changed each time it was read, so a change may be missing; the next run starts where this one did',
    'run the same command again when fewer changes happen; printed records are not repeated',
  );
  return 6;
}

type TimedChanges = Extract<Changes, { kind: 'timed' }>;

/** Flags with which a list leaves records out that the next run would then not show either, and why. */
const clashes = {
  limit: 'would skip changes permanently',
  after: 'would skip changes permanently',
  updatedAtStart: 'is set by --since-last itself',
} as const;

/** How changes of a list are detected. */
export function timedChanges(changes: Changes, flags: Readonly<Record<string, unknown>>): TimedChanges {
  if (changes.kind === 'unsupported') {
    throw new Failure(
      'usage',
      `--since-last: ${changes.reason}`,
      'store two lists with -o ndjson and compare them',
    );
  }
  for (const [name, why] of Object.entries(clashes)) {
    if (flags[name] === undefined) continue;
    throw new Failure(
      'usage',
      `--${kebabCase(name)} ${why}`,
      `leave out --${kebabCase(name)} or --since-last`,
    );
  }
  for (const [name, value] of Object.entries(changes.order ?? {})) {
    if (flags[name] === undefined || flags[name] === value) continue;
    throw new Failure(
      'usage',
      `--${name}: in an order other than ${value}, a change while the list is read may hide another change`,
      `leave out --${name} or --since-last, which reads by ${value}`,
    );
  }
  return changes;
}
