/** Ids per page. */
const pageSize = 1024;

/** Nine digits at most, so that bitwise operations work. */
const idText = /^[1-9]\d{0,8}$/;

/**
 * Values by id, in the order of the ids, which are whole numbers as text. Ids are assigned consecutively, so pages suit
 * them: a map with millions of strings takes ten times as long to fill, and three times the memory.
 */
export class IdTable<V> {
  readonly #pages = new Map<number, (V | undefined)[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: string): V | undefined {
    // '1e6' and '01000000' are numbers, but not ids.
    if (!idText.test(id)) return undefined;
    const number = Number(id);
    return this.#pages.get(pageOf(number))?.[number & (pageSize - 1)];
  }

  set(id: string, value: V): void {
    this.#put(Number(id), value);
  }

  delete(id: string): void {
    if (this.get(id) !== undefined) this.#put(Number(id), undefined);
  }

  *values(): Generator<V> {
    for (const page of this.#pages.values()) {
      for (const value of page) if (value !== undefined) yield value;
    }
  }

  #put(number: number, value: V | undefined): void {
    let page = this.#pages.get(pageOf(number));
    if (page === undefined) {
      page = new Array<V | undefined>(pageSize).fill(undefined);
      this.#pages.set(pageOf(number), page);
    }
    const slot = number & (pageSize - 1);
    this.#size += Number(value !== undefined) - Number(page[slot] !== undefined);
    page[slot] = value;
  }
}

function pageOf(number: number): number {
  return (number / pageSize) >>> 0;
}
