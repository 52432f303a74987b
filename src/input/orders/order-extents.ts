import { IdNumbers } from '../ids/id-numbers.ts';

/** Rows that may wait for the others of their orders, some 50 MB. */
export const rowsHeldMaximum = 50_000;

/** The number of an order holds how many rows it has, below this, and above it which row is the last of them. */
const countLimit = 2 ** 21;

/** How many rows each order has and where the last of them is, learned by reading all rows once. */
export class OrderExtents {
  /** The field that names the order of a record. */
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

  /** Takes the next row, which is of `order`. */
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

  /** Whether rows of other orders come between those of one. */
  get isScattered(): boolean {
    return this.#isScattered;
  }

  /** Whether the row taken as the `rowNumber`th, counted from 1, is the last of `order`. */
  isLast(order: string, rowNumber: number): boolean {
    return Math.floor((this.#ends.get(order) ?? 0) / countLimit) === rowNumber;
  }

  /** How many rows there are at most at one time whose order is not complete, that of the last row included. */
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
