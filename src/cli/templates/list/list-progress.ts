import type { ListPage } from '../../../client/paginate.ts';
import type { progressFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { readingProgress } from '../../runtime/reading-progress.ts';

/** The part of a list to read. */
interface ListPart {
  readonly limit?: number | undefined;
  /** True if it starts within the list, so that the total does not apply. */
  readonly isPart?: boolean;
}

/** Yields the same pages of `records` (`review records`) and shows the progress of reading them. */
export async function* withListProgress<P extends ListPage>(
  invocation: Invocation<typeof progressFlags>,
  records: string,
  { limit = Number.POSITIVE_INFINITY, isPart = false }: ListPart,
  pages: AsyncIterable<P>,
): AsyncGenerator<P> {
  const progress = readingProgress(invocation);
  const label = `reading ${records}`;
  let done = 0;
  try {
    for await (const page of pages) {
      done += 'lines' in page ? page.lines.count : page.sent.length;
      const total = isPart || page.totalCount == null ? undefined : Math.min(limit, page.totalCount);
      progress.update({ label, done, total });
      yield page;
    }
  } finally {
    progress.done();
  }
}
