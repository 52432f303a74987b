import { DistinctCount } from '../base/distinct-count.ts';
import { countOf, type ListPage, valueAt } from './paginate.ts';

/** The share of the smallest total that deletions may remove while a list is read. */
const deletedMaximum = 0.1;

/** Compares the records of a list with the totals of its pages. */
export interface TotalCheck {
  /** Adds the next page. */
  page(page: ListPage): void;
  /**
   * After the last page: true for fewer records, or for more, than the totals allow. Equal totals allow only that
   * number. Changing totals show records that were created or deleted meanwhile, which the list may contain or not.
   */
  readonly isShort: () => boolean;
  readonly isLong: () => boolean;
}

export function createTotalCheck(): TotalCheck {
  const records = new DistinctCount();
  let last: number | undefined;
  let smallest = Number.POSITIVE_INFINITY;
  let largest = Number.NEGATIVE_INFINITY;
  let changes = 0;
  let listed = 0;
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
    isShort: () =>
      last !== undefined && records.count < smallest - Math.min(changes, smallest * deletedMaximum),
    isLong: () => last !== undefined && listed > largest + changes,
  };
}
