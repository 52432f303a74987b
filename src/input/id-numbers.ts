import { Failure } from '../base/failure.ts';

/** The table is split, so that growing it copies a small part and never doubles the whole. */
const partBits = 6;
const slotsAtFirst = 512;
const growth = 1.5;
const fullest = 0.8;
/** Beyond this many slots in one part (about 50 million ids in all) the input must be split. */
const slotsMaximum = 1_000_000;

/**
 * A whole number below 2^53 for each of many ids, in some 25 bytes an id, whatever its length: an open-addressing table of
 * 64-bit hashes. That two of a million different ids are taken for the same happens once in some 37 million runs.
 */
export class IdNumbers {
  readonly #parts = Array.from({ length: 2 ** partBits }, () => new Part());

  /**
   * Keeps for `id` what `change` makes of its number, undefined for a new one, and gives the number it had. Throws `input` when
   * there are too many ids.
   */
  put(id: string, change: (before: number | undefined) => number): number | undefined {
    const { high, low } = hashOf(id);
    return this.#parts[high >>> (32 - partBits)]?.put(high, low, change);
  }

  get(id: string): number | undefined {
    const { high, low } = hashOf(id);
    return this.#parts[high >>> (32 - partBits)]?.get(high, low);
  }

  /** The numbers of all ids, in no order. */
  numbers(): Float64Array {
    return Float64Array.from(this.#parts.flatMap((part) => part.numbers()));
  }
}

class Part {
  #hashes = new Uint32Array(mapped(8 * slotsAtFirst));
  #numbers = new Float64Array(mapped(8 * slotsAtFirst));
  /** How many slots there are: arrays over memory that could be resized take their time to tell their length. */
  #size = slotsAtFirst;
  #count = 0;

  get(high: number, low: number): number | undefined {
    const slot = slotOf(this.#hashes, this.#size, high, low);
    return isFree(this.#hashes, slot) ? undefined : this.#numbers[slot];
  }

  put(high: number, low: number, change: (before: number | undefined) => number): number | undefined {
    const slot = slotOf(this.#hashes, this.#size, high, low);
    const isNew = isFree(this.#hashes, slot);
    const before = isNew ? undefined : this.#numbers[slot];
    this.#fill(slot, high, low, change(before));
    if (isNew) this.#count += 1;
    if (this.#count > this.#size * fullest) this.#grow();
    return before;
  }

  numbers(): number[] {
    return [...this.#numbers.filter((_, slot) => !isFree(this.#hashes, slot))];
  }

  #fill(slot: number, high: number, low: number, number: number): void {
    this.#hashes[2 * slot] = high;
    this.#hashes[2 * slot + 1] = low;
    this.#numbers[slot] = number;
  }

  #grow(): void {
    const [hashes, numbers, sizeBefore] = [this.#hashes, this.#numbers, this.#size];
    const size = Math.ceil(sizeBefore * growth);
    if (size > slotsMaximum) {
      throw new Failure('input', 'the input holds more records than one run takes', 'split the input');
    }
    this.#hashes = new Uint32Array(mapped(8 * size));
    this.#numbers = new Float64Array(mapped(8 * size));
    this.#size = size;
    for (let slot = 0; slot < sizeBefore; slot += 1) {
      if (isFree(hashes, slot)) continue;
      const high = hashes[2 * slot] ?? 0;
      const low = hashes[2 * slot + 1] ?? 0;
      this.#fill(slotOf(this.#hashes, size, high, low), high, low, numbers[slot] ?? 0);
    }
  }
}

/**
 * Memory that goes back to the system when it is let go of, because a buffer that could be resized is mapped by itself. From the
 * heap of the C library, parts of growing sizes leave gaps: after a million ids some 40 MB stayed with the process.
 */
function mapped(bytes: number): ArrayBuffer {
  return new ArrayBuffer(bytes, { maxByteLength: bytes });
}

function isFree(hashes: Uint32Array, slot: number): boolean {
  return hashes[2 * slot] === 0 && hashes[2 * slot + 1] === 0;
}

/** The slot that holds the hash, or the free one where it belongs. There always is a free one. */
function slotOf(hashes: Uint32Array, size: number, high: number, low: number): number {
  let slot = low % size;
  while (!isFree(hashes, slot) && (hashes[2 * slot] !== high || hashes[2 * slot + 1] !== low)) {
    slot = slot + 1 === size ? 0 : slot + 1;
  }
  return slot;
}

/** Never zero in both halves: that is a free slot. */
function hashOf(id: string): { readonly high: number; readonly low: number } {
  const high = hash(id, 0x9e3779b1, 0xdeadbeef);
  const low = (hash(id, 0x5f356495, 0x41c6ce57) | Number(high === 0)) >>> 0;
  return { high, low };
}

/** Half of the hash: multiplicative over the code units, then mixed until every bit depends on all of them. */
function hash(text: string, factor: number, seed: number): number {
  let mixed = seed ^ text.length;
  for (let at = 0; at < text.length; at += 1) mixed = Math.imul(mixed ^ text.charCodeAt(at), factor);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
