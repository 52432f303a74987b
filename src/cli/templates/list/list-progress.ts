import type { ListPage } from '../../../client/paginate.ts';
import { createProgress } from '../../../output/terminal/progress.ts';
import type { progressFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';

/** A list that is read in less shows nothing, so that no line flickers. */
const quietMs = 1_000;

/** The part of a list that is read. */
interface ListPart {
  readonly limit: number | undefined;
  /** Whether it begins within the list, so that the total says nothing of its end. */
  readonly isPart: boolean;
}

/**
 * The same pages, with the progress of reading them, which ends with them. Unless a mode was chosen it is shown on a
 * terminal only: a list that is not watched says nothing but its total.
 */
export async function* withListProgress<P extends ListPage>(
  { context: { clock, streams }, flags }: Pick<Invocation<typeof progressFlags>, 'context' | 'flags'>,
  noun: string,
  { limit = Number.POSITIVE_INFINITY, isPart }: ListPart,
  pages: AsyncIterable<P>,
): AsyncGenerator<P> {
  const isUnwatched = flags.progress === 'auto' && !streams.isErrorTerminal;
  const progress = createProgress(streams, isUnwatched ? 'none' : flags.progress, clock);
  const startedMs = clock.monotonicMs();
  const label = `reading ${noun} records`;
  let done = 0;
  try {
    for await (const page of pages) {
      done += 'lines' in page ? page.lines.count : page.sent.length;
      const total = isPart || page.totalCount == null ? undefined : Math.min(limit, page.totalCount);
      if (clock.monotonicMs() - startedMs >= quietMs) progress.update({ label, done, total });
      yield page;
    }
  } finally {
    progress.done();
  }
}
