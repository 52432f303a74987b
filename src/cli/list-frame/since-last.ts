import * as z from 'zod';
import { type ExitCode, Failure } from '../../base/failure.ts';
import type { JsonObject } from '../../base/json.ts';
import { serviceUrl } from '../../client/open-service.ts';
import { findFolders, stateFolder } from '../../config/folders.ts';
import { kebabCase } from '../../config/setting-sources.ts';
import { valueAt } from '../../output/fields.ts';
import { counted } from '../../output/totals.ts';
import { ChangeReading, seenMaximum } from '../../store/change-mark.ts';
import {
  changeMarkPath,
  type MarkSubject,
  readChangeMark,
  writeChangeMark,
} from '../../store/change-mark-file.ts';
import { takeRunLock } from '../../store/run-lock.ts';
import type { Invocation } from '../command.ts';
import { type Flag, valueFlag } from '../flags/flags.ts';
import { type ConnectionFlags, requireBaseUrl } from '../session.ts';

/** Whether a list can be asked for what changed, and by which time of its records. */
export type Changes =
  | { readonly kind: 'timed'; readonly path: string; readonly help: string }
  | { readonly kind: 'untold'; readonly reason: string };

/** The query parameter that leaves out what changed before (API 4.15, 4.18). */
const startParameter = 'updatedAtStart';

const markName = z
  .string()
  .regex(/^[\w-][\w.-]{0,63}$/, 'expected a name of letters, digits, -, _ and dots')
  .optional();

/** `--since-last` of one list. */
export function sinceLastFlag(changes: Changes): Flag<string | undefined> {
  const isHidden = changes.kind === 'untold';
  const help = isHidden ? `not offered: ${changes.reason}` : changes.help;
  return { ...valueFlag(markName, { value: 'NAME', help }), isHidden };
}

/** A list that is to be told from the last one of its name. */
export interface NamedList {
  readonly operation: string;
  readonly name: string;
  /** Dotted path of the time a record was last changed at. */
  readonly timePath: string;
  /** The filters as typed. */
  readonly filters: Readonly<Record<string, unknown>>;
  readonly account: string;
}

/** What is new in a list. */
export interface NewRecords {
  /** What to ask the service for besides the filters. */
  readonly query: Readonly<Record<string, string>>;
  /** How the total of the list goes on: `changed since …`. */
  readonly inWords: string;
  /** Those of a page that were not shown before. */
  of(page: readonly JsonObject[]): readonly JsonObject[];
  /** To be called when all were written: the next run begins here. */
  keep(): void;
}

/**
 * Does `work` with what is new in a list since the last run of its name, while no other run of that name can.
 * @throws Failure('locked') while another run of the name goes on; as `readChangeMark`; and what `work` throws.
 */
export async function withNewRecords(
  { context, flags, sources, notices }: Invocation<ConnectionFlags>,
  list: NamedList,
  work: (records: NewRecords) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { operation, name, timePath, account } = list;
  const service = serviceUrl(requireBaseUrl(flags.baseUrl));
  const folder = stateFolder(findFolders(context.env), sources.profile.name, service);
  const path = changeMarkPath(folder, operation, name);
  const lock = await takeRunLock(`${path}.lock`, `list --since-last ${name}`);
  try {
    const subject: MarkSubject = { account, filters: list.filters as JsonObject };
    const mark = readChangeMark(path, subject);
    const reading = new ChangeReading(mark);
    const startedMs = context.clock.now();
    return await work({
      query: mark === undefined ? {} : { [startParameter]: new Date(mark.sinceMs).toISOString() },
      inWords:
        mark === undefined ? `, the first run for '${name}'` : ` changed since the last run for '${name}'`,
      of: (page) => page.filter((record) => reading.isNew(record, valueAt(record, timePath))),
      keep: () => {
        const next = reading.next(context.clock.now() - startedMs);
        if (next === undefined) return;
        writeChangeMark(path, subject, next);
        if (!reading.isForgetful(next)) return;
        notices.warning(
          `more than ${counted(seenMaximum, 'record')} changed at nearly the same time; the next run shows some of them again`,
        );
      },
    });
  } finally {
    lock.release();
  }
}

/** Flags with which a list leaves records out that the next run would then not show either, and why. */
const clashes = {
  limit: 'would leave out changes for good',
  after: 'would leave out changes for good',
  updatedAtStart: 'is what --since-last itself finds out',
} as const;

/**
 * The path of the time by which a list tells what changed.
 * @throws Failure('usage') where it cannot, or where `flags` would leave changes out for good.
 */
export function changeTimePath(changes: Changes, flags: Readonly<Record<string, unknown>>): string {
  if (changes.kind === 'untold') {
    throw new Failure(
      'usage',
      `--since-last: ${changes.reason}`,
      'keep two lists with -o ndjson and compare them',
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
  return changes.path;
}
