import type { JsonObject } from '../../base/json.ts';
import { streamOf } from '../../base/lists.ts';
import { chosenFormat } from '../../output/formats/formats.ts';
import {
  type OutputOptions,
  type RecordBatch,
  type Written,
  writeRecords,
} from '../../output/formats/records.ts';
import { writeRecord } from '../../output/formats/write-record.ts';
import { noteUnlisted } from '../../output/terminal/notices.ts';
import { writeOutput } from '../../output/terminal/streams.ts';
import { terminalText } from '../../output/terminal/terminal-text.ts';
import { counted } from '../../output/terminal/totals.ts';
import type { View } from '../../output/views/view.ts';
import type { outputFlags } from '../flags/shared-flags.ts';
import type { Invocation } from './command.ts';

type PrintInvocation = Invocation<typeof outputFlags>;

/** Writes records in the format of the flags, as `writeRecords` does. */
export function printRecords(
  { context, flags }: PrintInvocation,
  view: View,
  records: AsyncIterable<RecordBatch> | readonly JsonObject[],
  options: Pick<OutputOptions, 'firstRows'> = {},
): Promise<Written> {
  const batches = Symbol.asyncIterator in records ? records : streamOf([records]);
  return writeRecords(batches, view, { ...flags, format: flags.output, ...options }, context.streams);
}

/** Writes one record in the format of the flags, as `writeRecord` does. `lines` replace the table for people. */
export async function printRecord(
  { context: { streams }, flags }: PrintInvocation,
  view: View,
  record: JsonObject,
  lines?: readonly string[],
): Promise<void> {
  const isForPeople = chosenFormat(flags.output, streams) === 'table' && flags.fields === undefined;
  if (lines === undefined || !isForPeople)
    return writeRecord(record, view, { ...flags, format: flags.output }, streams);
  await writeOutput(streams, `${lines.map(terminalText).join('\n')}\n`);
}

/**
 * Prints a list like `printRecords`, then reports omitted columns and the `summary` for the number of records on
 * stderr. Reports nothing if the reader has closed stdout.
 */
export async function printList(
  invocation: PrintInvocation,
  view: View,
  records: Parameters<typeof printRecords>[2],
  summary: (written: number) => string,
  options: Pick<OutputOptions, 'firstRows'> = {},
): Promise<Written> {
  const { notices } = invocation;
  const result = await printRecords(invocation, view, records, options);
  const { isCut, leftOut, unlisted, written } = result;
  if (isCut) return result;
  if (leftOut.length > 0) {
    notices.info(
      `${counted(leftOut.length, 'column')} not shown (${leftOut.join(', ')}); --fields selects others`,
    );
  }
  noteUnlisted(unlisted, view.noun, notices);
  notices.summary(summary(written));
  return result;
}

/** Options for printing results of work that must be completed whatever happens to stdout. */
interface Completing {
  /** Called if stdout fails (a full disk): no new work starts, and work in progress is completed. */
  readonly stop: () => void;
  /** True if the work ends when the reader has closed stdout. */
  readonly endsWithReader?: boolean;
}

/** Like `printRecords`, for results of work that is completed whatever happens to stdout. */
export async function printAll(
  invocation: PrintInvocation,
  view: View,
  batches: AsyncGenerator<readonly JsonObject[]>,
  { stop, endsWithReader = false }: Completing,
): Promise<Written> {
  const unstoppable = { [Symbol.asyncIterator]: () => ({ next: () => batches.next() }) };
  try {
    return await printRecords(invocation, view, endsWithReader ? batches : unstoppable);
  } catch (error) {
    stop();
    throw error;
  } finally {
    while (!(await batches.next()).done);
  }
}
