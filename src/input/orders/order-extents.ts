import { IdNumbers } from '../ids/id-numbers.ts';

/** The most rows that may wait for the other rows of their orders, about 50 MB. */
export const rowsHeldMaximum = 50_000;

/**
 * An order's number is packed: the number of its rows is the remainder by this, the number of its last row the
 * quotient.
 */
const countLimit = 2 ** 21;

/** The number of rows of each order and the position of its last row, collected in one pass over all rows. */
export class OrderExtents {
  /** The field that identifies the order of a record. */
  readonly key: string;
  readonly #ends = new IdNumbers();
  #rowCount = 0;
  #latest: string | undefined;
  #isScattered = false;

  constructor(key: string) {
    this.key = key;
  }

  orderOf(record: object): string {
    return String(Reflect.get(record, this.key));
  }

  /** Adds the next row, which belongs to `order`. */
  take(order: string): void {
    this.#rowCount += 1;
    const end = this.#rowCount * countLimit;
    const before = this.#ends.put(
      order,
      (known = 0) => end + Math.min(known % countLimit, countLimit - 2) + 1,
    );
    if (before !== undefined && order !== this.#latest) this.#isScattered = true;
    this.#latest = order;
  }

  /** Whether an order has rows of other orders among its own. */
  get isScattered(): boolean {
    return this.#isScattered;
  }

  /** Whether row `rowNumber`, counted from 1, is the last row of `order`. */
  isLast(order: string, rowNumber: number): boolean {
    return Math.floor((this.#ends.get(order) ?? 0) / countLimit) === rowNumber;
  }

  /** The most rows of incomplete orders at any time, including the order of the current row. */
  mostHeld(): number {
    let most = 0;
    let complete = 0;
    for (const end of this.#ends.numbers().toSorted()) {
      most = Math.max(most, Math.floor(end / countLimit) - complete);
      complete += end % countLimit;
    }
    return most;
  }
}
