import type { InputOptions } from '../../../input/records/options.ts';
import type { progressFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { readingProgress } from '../../runtime/reading-progress.ts';

/** Shows the progress of checking an input until `done` is called; call it even if the check fails. */
export function checkingProgress(
  invocation: Invocation<typeof progressFlags>,
): Required<Pick<InputOptions, 'onRead'>> & { readonly done: () => void } {
  const progress = readingProgress(invocation);
  let isAgain = false;
  let latest = 0;
  return {
    onRead: (done) => {
      isAgain ||= done < latest;
      latest = done;
      progress.update({ label: isAgain ? 'checking records again' : 'checking records', done });
    },
    done: () => progress.done(),
  };
}
