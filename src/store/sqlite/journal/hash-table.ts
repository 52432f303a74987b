const slotsAtFirst = 1024;
/** Slots that may be taken, of all. */
const load = 0.6;

/** Pairs of a hash and the number of an answer, as many of one hash as there are. A pair takes 15 to 30 bytes. */
export class HashTable {
  /**
   * 0 of a free slot, else a byte of the hash: so small that most misses stay within the caches of a
   * processor.
   */
  #tags = new Uint8Array(slotsAtFirst);
  /** Hash and number of each slot. */
  #pairs = new Int32Array(2 * slotsAtFirst);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Puts a pair that may be there already. */
  add(hash: number, answer: number): void {
    const mask = this.#tags.length - 1;
    const tag = tagOf(hash);
    let slot = hash & mask;
    for (; this.#tags[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#tags[slot] === tag && this.#isAt(slot, hash, answer)) return;
    }
    this.#tags[slot] = tag;
    this.#pairs[2 * slot] = hash;
    this.#pairs[2 * slot + 1] = answer;
    this.#size += 1;
    if (this.#size > load * mask) this.#grow();
  }

  /** Adds the answers of `hash` to `found`. */
  find(hash: number, found: number[]): void {
    const mask = this.#tags.length - 1;
    const tag = tagOf(hash);
    for (let slot = hash & mask; this.#tags[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#tags[slot] === tag && this.#pairs[2 * slot] === hash)
        found.push(this.#pairs[2 * slot + 1] ?? 0);
    }
  }

  /** Hashes and answers in turn. */
  pairs(): Int32Array {
    const pairs = new Int32Array(2 * this.#size);
    let end = 0;
    for (let slot = 0; slot < this.#tags.length; slot += 1) {
      if (this.#tags[slot] === 0) continue;
      pairs[end] = this.#pairs[2 * slot] ?? 0;
      pairs[end + 1] = this.#pairs[2 * slot + 1] ?? 0;
      end += 2;
    }
    return pairs;
  }

  #isAt(slot: number, hash: number, answer: number): boolean {
    return this.#pairs[2 * slot] === hash && this.#pairs[2 * slot + 1] === answer;
  }

  #grow(): void {
    const [tags, pairs] = [this.#tags, this.#pairs];
    this.#tags = new Uint8Array(2 * tags.length);
    this.#pairs = new Int32Array(2 * pairs.length);
    this.#size = 0;
    for (let slot = 0; slot < tags.length; slot += 1) {
      if (tags[slot] !== 0) this.add(pairs[2 * slot] ?? 0, pairs[2 * slot + 1] ?? 0);
    }
  }
}

/** Of bits that do not choose the slot, as long as there are less than 2^24 slots. */
function tagOf(hash: number): number {
  return hash >>> 24 || 1;
}
