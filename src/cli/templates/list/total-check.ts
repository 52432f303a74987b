import { DistinctCount } from '../../../base/distinct-count.ts';
import type { ExitCode } from '../../../base/failure.ts';
import { countOf, type ListPage, valueAt } from '../../../client/paginate.ts';
import type { Notices } from '../../../output/terminal/notices.ts';

/** The share of the smallest total that deletions may remove while a list is read. */
const deletedMaximum = 0.1;

/** Compares the records of a list with the totals of its pages. */
interface TotalCheck {
  /** Adds the next page. */
  page(page: ListPage): void;
  /**
   * Warns, after the last page, of fewer or more records than the totals allow. Equal totals allow only that number.
   * Changing totals show records that were created or deleted meanwhile, which the list may contain or not.
   */
  end(notices: Notices): ExitCode;
}

export function createTotalCheck(): TotalCheck {
  const records = new DistinctCount();
  let last: number | undefined;
  let smallest = Number.POSITIVE_INFINITY;
  let largest = Number.NEGATIVE_INFINITY;
  let changes = 0;
  let listed = 0;
  const isContradicted = ({ count }: DistinctCount) =>
    last !== undefined &&
    (count < smallest - Math.min(changes, smallest * deletedMaximum) || listed > largest + changes);
  return {
    page: (page) => {
      listed += countOf(page);
      for (let index = 0; index < countOf(page); index += 1) records.add(valueAt(page, index, 'id'));
      const { totalCount: total } = page;
      if (total == null) return;
      changes += Math.abs(total - (last ?? total));
      last = total;
      smallest = Math.min(smallest, total);
      largest = Math.max(largest, total);
    },
    end: (notices) => {
      if (!isContradicted(records)) return 0;
      notices.warning(
        'the total of the service differs from the records it sent: records are missing or listed twice',
        'the list may have changed while it was read: run the same command again; if this persists, report it to the ' +
          'operator of the service',
      );
      return 6;
    },
  };
}
