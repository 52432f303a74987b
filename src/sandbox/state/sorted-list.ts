/** Sort key; records with equal keys are ordered by id. */
export type Key = string | number;

interface Identified {
  readonly id: string;
}

/** The position of a record in a list. */
export interface Place {
  readonly key: Key;
  readonly id: string;
}

/** Records per block; a block of twice as many is split. */
const blockSize = 512;

/**
 * Records in the order of their keys. Whatever the length of the list, a write costs a binary search and the move of
 * one block. The key of a record must not change while the record is in the list.
 */
export class SortedList<R extends Identified> {
  readonly #keyOf: (record: R) => Key;
  readonly #sign: 1 | -1;
  #blocks: R[][] = [];
  #size: number;

  constructor(records: R[], keyOf: (record: R) => Key, direction: 'ASC' | 'DESC') {
    this.#keyOf = keyOf;
    this.#sign = direction === 'ASC' ? 1 : -1;
    this.#size = records.length;
    records.sort((a, b) => this.#compare(a, { key: keyOf(b), id: b.id }));
    for (let start = 0; start < records.length; start += blockSize) {
      this.#blocks.push(records.slice(start, start + blockSize));
    }
  }

  get size(): number {
    return this.#size;
  }

  has(place: Place): boolean {
    return this.#find(place).isFound;
  }

  insert(record: R): void {
    const { block, index } = this.#find({ key: this.#keyOf(record), id: record.id });
    const records = this.#blocks[block] ?? [];
    if (records.length === 0) this.#blocks.push(records);
    records.splice(index, 0, record);
    this.#size += 1;
    if (records.length >= 2 * blockSize) this.#blocks.splice(block + 1, 0, records.splice(blockSize));
  }

  /** Removes the record at this place, if there is one. */
  remove(place: Place): void {
    const { block, index, isFound } = this.#find(place);
    const records = this.#blocks[block];
    if (!isFound || records === undefined) return;
    records.splice(index, 1);
    this.#size -= 1;
    if (records.length === 0) this.#blocks.splice(block, 1);
  }

  /** The records after a place, whether or not a record is at it; all records if it is undefined. */
  *after(place: Place | undefined): Generator<R> {
    const start = place === undefined ? { block: 0, index: 0, isFound: false } : this.#find(place);
    let index = start.isFound ? start.index + 1 : start.index;
    for (let block = start.block; block < this.#blocks.length; block += 1) {
      yield* this.#blocks[block]?.slice(index) ?? [];
      index = 0;
    }
  }

  /** Binary search for the first position that is not before `place`; the end of the last block if there is none. */
  #find(place: Place): { readonly block: number; readonly index: number; readonly isFound: boolean } {
    const block = firstIndex(
      this.#blocks.length - 1,
      (at) => !this.#isBefore(this.#blocks[at]?.at(-1), place),
    );
    const records = this.#blocks[block] ?? [];
    const index = firstIndex(records.length, (at) => !this.#isBefore(records[at], place));
    return { block, index, isFound: records[index]?.id === place.id };
  }

  #isBefore(record: R | undefined, place: Place): boolean {
    return record !== undefined && this.#compare(record, place) < 0;
  }

  #compare(record: R, { key, id }: Place): number {
    const own = this.#keyOf(record);
    if (own < key) return -this.#sign;
    if (own > key) return this.#sign;
    return this.#sign * compareIds(record.id, id);
  }
}

/** The first index below `count` for which the monotonic `isReached` holds; `count` if it holds for none. */
function firstIndex(count: number, isReached: (index: number) => boolean): number {
  let low = 0;
  let high = Math.max(count, 0);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Compares ids, which are whole numbers as text. */
function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}
