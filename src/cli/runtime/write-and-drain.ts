import type { JsonObject } from '../../base/json.ts';
import { type OutputOptions, type Written, writeRecords } from '../../output/formats/records.ts';
import type { Streams } from '../../output/terminal/streams.ts';
import type { View } from '../../output/views/view.ts';

/**
 * Writes the results of work that has to be completed whatever happens to stdout. When the reader has closed stdout,
 * the work continues. When stdout fails (a full disk), `stop` is called: no new work begins, and work in progress is
 * completed.
 */
export async function writeAndDrain(
  batches: AsyncGenerator<readonly JsonObject[]>,
  view: View,
  options: OutputOptions,
  { streams, stop }: { readonly streams: Streams; readonly stop: () => void },
): Promise<Written> {
  const unstoppable: AsyncIterable<readonly JsonObject[]> = {
    [Symbol.asyncIterator]: () => ({ next: () => batches.next() }),
  };
  let written: Written;
  try {
    written = await writeRecords(unstoppable, view, options, streams);
  } catch (error) {
    stop();
    await drain(batches);
    throw error;
  }
  await drain(batches);
  return written;
}

async function drain(batches: AsyncGenerator<unknown>): Promise<void> {
  while (!(await batches.next()).done);
}
