import type { InputOptions } from '../../../input/records/options.ts';
import type { progressFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { readingProgress } from '../../runtime/reading-progress.ts';

/** Calls `check` with what shows the progress of checking an input, which ends with it. */
export async function withCheckingProgress<R>(
  invocation: Invocation<typeof progressFlags>,
  check: (reading: Required<Pick<InputOptions, 'onRead'>>) => Promise<R>,
): Promise<R> {
  const progress = readingProgress(invocation);
  let isAgain = false;
  let latest = 0;
  try {
    return await check({
      onRead: (done) => {
        isAgain ||= done < latest;
        latest = done;
        progress.update({ label: isAgain ? 'checking records again' : 'checking records', done });
      },
    });
  } finally {
    progress.done();
  }
}
