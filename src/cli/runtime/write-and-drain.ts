import type { JsonObject } from '../../base/json.ts';
import { type OutputOptions, writeRecords } from '../../output/formats/records.ts';
import type { Streams } from '../../output/terminal/streams.ts';
import type { View } from '../../output/views/view.ts';

/**
 * Writes what comes of work that must not be left half done, and takes it to its end whatever happens to stdout: when the reader has gone
 * away the work goes on; when stdout fails (a full disk) `stop` is told to take no new work, and what is under way is finished.
 */
export async function writeAndDrain(
  batches: AsyncGenerator<readonly JsonObject[]>,
  view: View,
  options: OutputOptions,
  { streams, stop }: { readonly streams: Streams; readonly stop: () => void },
): Promise<void> {
  const unstoppable: AsyncIterable<readonly JsonObject[]> = {
    [Symbol.asyncIterator]: () => ({ next: () => batches.next() }),
  };
  try {
    await writeRecords(unstoppable, view, options, streams);
  } catch (error) {
    stop();
    await drain(batches);
    throw error;
  }
  await drain(batches);
}

async function drain(batches: AsyncGenerator<unknown>): Promise<void> {
  while (!(await batches.next()).done);
}
