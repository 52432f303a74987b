/** Pairs of a hash and the number of an answer, as many of one hash as there are. A pair takes 14 to 27 bytes. */
export class HashTable {
  /** Hash and number of each slot, the number 0 where it is free. */
  #slots = new Uint32Array(2 * 1024);
  #mask = 1023;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Puts a pair that may be there already. */
  add(hash: number, answer: number): void {
    const slots = this.#slots;
    let slot = hash & this.#mask;
    for (; slots[2 * slot + 1] !== 0; slot = (slot + 1) & this.#mask) {
      if (slots[2 * slot] === hash && slots[2 * slot + 1] === answer) return;
    }
    slots[2 * slot] = hash;
    slots[2 * slot + 1] = answer;
    this.#size += 1;
    if (this.#size > 0.6 * this.#mask) this.#grow();
  }

  /** Adds the answers of `hash` to `found`. */
  find(hash: number, found: number[]): void {
    const slots = this.#slots;
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const answer = slots[2 * slot + 1] ?? 0;
      if (answer === 0) return;
      if (slots[2 * slot] === hash) found.push(answer);
    }
  }

  *pairs(): Generator<readonly [hash: number, answer: number]> {
    const slots = this.#slots;
    for (let at = 0; at < slots.length; at += 2) {
      const answer = slots[at + 1] ?? 0;
      if (answer !== 0) yield [slots[at] ?? 0, answer];
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(2 * before.length);
    this.#mask = 2 * this.#mask + 1;
    this.#size = 0;
    for (let at = 0; at < before.length; at += 2) {
      const answer = before[at + 1] ?? 0;
      if (answer !== 0) this.add(before[at] ?? 0, answer);
    }
  }
}
