import { Failure } from '../base/failure.ts';
import { textHashHalves } from '../base/text-hash.ts';

/** Slots of one part. All parts are of this size, so that memory they let go of is taken again. */
const slotsOfPart = 4096;
const fullestPart = slotsOfPart * 0.8;
/** Beyond so many bits that tell parts apart (some 40 million ids) the input must be split. */
const bitsMaximum = 14;

/** Both halves of the hash that was made last. */
const halves = new Uint32Array(2);

/**
 * A whole number below 2^53 for each of many ids, in some 27 bytes an id, whatever its length: open-addressing tables of 64-bit
 * hashes, each of which is split in two by a further bit once it is full. That two of a million different ids are taken
 * for the same happens once in some 37 million runs.
 */
export class IdNumbers {
  /** By the first bits of a hash; neighbours may be one part. */
  #parts: Part[] = [new Part(0)];
  #bits = 0;

  /**
   * Keeps for `id` what `change` makes of its number, undefined for a new one, and gives the number it had. Throws `input` when
   * there are too many ids.
   */
  put(id: string, change: (before: number | undefined) => number): number | undefined {
    const part = this.#find(id);
    const slot = part.slotOf(halves);
    const before = part.numberAt(slot);
    this.#fill(part, slot, change(before));
    return before;
  }

  /** Keeps `number` for an id that has none, and gives the one it had. Throws as `put`. */
  putNew(id: string, number: number): number | undefined {
    const part = this.#find(id);
    const slot = part.slotOf(halves);
    const before = part.numberAt(slot);
    if (before === undefined) this.#fill(part, slot, number);
    return before;
  }

  get(id: string): number | undefined {
    const part = this.#find(id);
    return part.numberAt(part.slotOf(halves));
  }

  /** The numbers of all ids, in no order. */
  numbers(): Float64Array {
    const parts = [...new Set(this.#parts)];
    const numbers = new Float64Array(parts.reduce((sum, { count }) => sum + count, 0));
    let at = 0;
    for (const part of parts) {
      for (const slot of part.filledSlots()) {
        numbers[at] = part.numberAt(slot) ?? 0;
        at += 1;
      }
    }
    return numbers;
  }

  /** The part of an id, whose hash is in `halves` then. */
  #find(id: string): Part {
    textHashHalves(id, halves);
    return this.#partOf(halves[0] ?? 0);
  }

  /** There is a part for every beginning of a hash. */
  #partOf(high: number): Part {
    return this.#parts[this.#bits === 0 ? 0 : high >>> (32 - this.#bits)] as Part;
  }

  #fill(part: Part, slot: number, number: number): void {
    const isFull = part.fill(slot, halves, number);
    if (isFull) this.#split(part);
  }

  #split(part: Part): void {
    if (part.bits === this.#bits) this.#double();
    const bits = part.bits + 1;
    const [zero, one] = [new Part(bits), new Part(bits)];
    part.moveTo((high) => ((high >>> (32 - bits)) & 1 ? one : zero));
    for (const [index, other] of this.#parts.entries()) {
      if (other === part) this.#parts[index] = (index >>> (this.#bits - bits)) & 1 ? one : zero;
    }
  }

  #double(): void {
    if (this.#bits === bitsMaximum) {
      throw new Failure('input', 'the input holds more records than one run takes', 'split the input');
    }
    this.#bits += 1;
    this.#parts = this.#parts.flatMap((part) => [part, part]);
  }
}

/** A slot is 16 bytes: the halves of a hash, none of which is zero in both, and the number. */
class Part {
  /** How many first bits all its hashes have in common. */
  readonly bits: number;
  readonly #hashes: Uint32Array;
  readonly #numbers: Float64Array;
  count = 0;

  constructor(bits: number) {
    const memory = new ArrayBuffer(16 * slotsOfPart);
    this.bits = bits;
    this.#hashes = new Uint32Array(memory);
    this.#numbers = new Float64Array(memory);
  }

  /** The slot that holds a hash, or the free one where it belongs. There always is a free one. */
  slotOf(hash: Uint32Array): number {
    const hashes = this.#hashes;
    const high = hash[0] ?? 0;
    const low = hash[1] ?? 0;
    let slot = low & (slotsOfPart - 1);
    for (;;) {
      const atHigh = hashes[4 * slot];
      const atLow = hashes[4 * slot + 1];
      if ((atHigh === high && atLow === low) || (atHigh === 0 && atLow === 0)) return slot;
      slot = (slot + 1) & (slotsOfPart - 1);
    }
  }

  /** Undefined for a free slot. */
  numberAt(slot: number): number | undefined {
    const isFree = this.#hashes[4 * slot] === 0 && this.#hashes[4 * slot + 1] === 0;
    return isFree ? undefined : this.#numbers[2 * slot + 1];
  }

  /** Fills a free slot, or changes the number of one that holds this hash; whether the part is full then. */
  fill(slot: number, hash: Uint32Array, number: number): boolean {
    const high = hash[0] ?? 0;
    const low = hash[1] ?? 0;
    if (this.#hashes[4 * slot] !== high || this.#hashes[4 * slot + 1] !== low) this.count += 1;
    this.#hashes[4 * slot] = high;
    this.#hashes[4 * slot + 1] = low;
    this.#numbers[2 * slot + 1] = number;
    return this.count > fullestPart;
  }

  *filledSlots(): Generator<number> {
    for (let slot = 0; slot < slotsOfPart; slot += 1) {
      if (this.numberAt(slot) !== undefined) yield slot;
    }
  }

  /** Puts everything into the parts that `partOf` names by the first half of a hash. */
  moveTo(partOf: (high: number) => Part): void {
    for (const slot of this.filledSlots()) {
      const hash = this.#hashes.subarray(4 * slot, 4 * slot + 2);
      const part = partOf(hash[0] ?? 0);
      part.fill(part.slotOf(hash), hash, this.numberAt(slot) ?? 0);
    }
  }
}
