/**
 * Says of most hashes that are not among those added that they are not; never that of one that was. Two bytes a hash.
 */
export class HashFilter {
  readonly #bits: Uint8Array;
  readonly #mask: number;

  /** For about `count` hashes. */
  constructor(count: number) {
    const bitCount = 2 ** Math.min(31, Math.max(10, Math.ceil(Math.log2(16 * count))));
    this.#bits = new Uint8Array(bitCount / 8);
    this.#mask = bitCount - 1;
  }

  add(hash: number): void {
    for (const bit of [hash & this.#mask, secondBit(hash) & this.#mask]) {
      this.#bits[bit >>> 3] = (this.#bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }

  mayHave(hash: number): boolean {
    return this.#has(hash & this.#mask) && this.#has(secondBit(hash) & this.#mask);
  }

  #has(bit: number): boolean {
    return ((this.#bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }
}

function secondBit(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 1;
}
