/** Of the smallest total, the part that deletions may take while a list is read. */
const deletedMaximum = 0.1;

/** Compares the number of records of a list with the totals of its pages. */
export interface TotalCheck {
  /** Takes the total of the next page. */
  page(total: number | null | undefined): void;
  /**
   * Whether so many records are fewer or more than the totals allow. Equal totals allow that number alone. Totals that
   * change show records that were created or deleted meanwhile, which the list may contain or not.
   */
  isContradicted(records: number): boolean;
}

export function createTotalCheck(): TotalCheck {
  let last: number | undefined;
  let smallest = Number.POSITIVE_INFINITY;
  let largest = Number.NEGATIVE_INFINITY;
  let changes = 0;
  return {
    page: (total) => {
      if (total == null) return;
      changes += Math.abs(total - (last ?? total));
      last = total;
      smallest = Math.min(smallest, total);
      largest = Math.max(largest, total);
    },
    isContradicted: (records) => {
      if (last === undefined) return false;
      return records < smallest - Math.min(changes, smallest * deletedMaximum) || records > largest + changes;
    },
  };
}
