const plainId = /^(?!\d+E-\d+$|[a-z]{3,5}-\d\d$)[\w/-]*\d$/i;

/**
 * Whether a cell is certainly an id, as nearly all ids are: ASCII letters, digits and a few signs, with a digit at the
 * end, and neither a date (`Oct-24`) nor a number as Excel writes them (`1E-5`). `readId` returns such a cell
 * unchanged, and a row with such a cell is neither a header nor a total.
 */
export function isPlainId(cell: string): boolean {
  return plainId.test(cell);
}
