import { createProgress, type Progress } from '../../output/terminal/progress.ts';
import type { progressFlags } from '../flags/shared-flags.ts';
import type { Invocation } from './command.ts';

/** Hide progress for the first second to avoid flicker. */
const quietMs = 1_000;

/**
 * The progress of work that only reads. By default it is shown on a terminal only: elsewhere such work reports its
 * total alone. A new label starts a new part of the work, with its own rate.
 */
export function readingProgress({ context, flags }: Invocation<typeof progressFlags>): Progress {
  const { clock, streams } = context;
  const isUnwatched = flags.progress === 'auto' && !streams.isErrorTerminal;
  const open = () => createProgress(streams, isUnwatched ? 'none' : flags.progress, clock);
  const startedMs = clock.monotonicMs();
  let progress = open();
  let label: string | undefined;
  return {
    update: (state) => {
      if (label !== undefined && label !== state.label) {
        progress.done();
        progress = open();
      }
      label = state.label;
      if (clock.monotonicMs() - startedMs >= quietMs) progress.update(state);
    },
    done: () => progress.done(),
  };
}
