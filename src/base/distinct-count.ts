/**
 * Number of recent keys, up to twice as many, among which repeated ones are detected: a record moves by a page or two,
 * not by hundreds.
 */
const recentMaximum = 10_000;

/** Counts different keys. A key may be repeated soon after it was added. */
export class DistinctCount {
  #recent = new Set<unknown>();
  #earlier = new Set<unknown>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(key: unknown): void {
    if (this.#recent.has(key) || this.#earlier.has(key)) return;
    this.#count += 1;
    this.#recent.add(key);
    if (this.#recent.size < recentMaximum) return;
    this.#earlier = this.#recent;
    this.#recent = new Set();
  }
}
