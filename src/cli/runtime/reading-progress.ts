import { createProgress, type Progress } from '../../output/terminal/progress.ts';
import type { progressFlags } from '../flags/shared-flags.ts';
import type { Invocation } from './command.ts';

/** What is read in less shows nothing, so that no line flickers. */
const quietMs = 1_000;

/**
 * The progress of work that only reads. Unless a mode was chosen it is shown on a terminal only: a reading that is not
 * watched says nothing but its total. With another label another part of the work begins, at a pace of its own.
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
