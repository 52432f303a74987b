import {
  type OutputOptions,
  type RecordBatch,
  type Written,
  writeRecords,
} from '../../../output/formats/records.ts';
import { noteUnlisted } from '../../../output/terminal/notices.ts';
import { counted } from '../../../output/terminal/totals.ts';
import type { View } from '../../../output/views/view.ts';
import { integerValue, valueFlag } from '../../flags/flags.ts';
import type { outputFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';

/** Of every list that may be long. */
export const limitFlag = valueFlag(integerValue(0, Number.MAX_SAFE_INTEGER).optional(), {
  value: 'N',
  help: 'maximum number of records (default: all)',
});

/** What a list says of itself besides its flags. */
type ListOptions = Pick<OutputOptions, 'firstRows'> & {
  /** The last line on stderr, for the number of records written. */
  readonly summary: (written: number) => string;
};

/**
 * Writes the records of a list in the format of the flags. Then it writes to stderr which columns were cut, and last
 * the number of records; nothing where the reader has closed stdout.
 */
export async function writeList(
  { context, flags, notices }: Pick<Invocation<typeof outputFlags>, 'context' | 'flags' | 'notices'>,
  records: AsyncIterable<RecordBatch>,
  view: View,
  { summary, ...options }: ListOptions,
): Promise<Written> {
  const { output: format, fields, excel } = flags;
  const given = { format, fields, excel, ...options };
  const result = await writeRecords(records, view, given, context.streams);
  if (result.isCut) return result;
  const { leftOut } = result;
  if (leftOut.length > 0) {
    notices.info(
      `${counted(leftOut.length, 'column')} not shown (${leftOut.join(', ')}); --fields selects others`,
    );
  }
  noteUnlisted(result.unlisted, view.noun, notices);
  notices.summary(summary(result.written));
  return result;
}
