import { textHashHalves } from '../../base/text-hash.ts';
import { SplitParts } from './split-parts.ts';

/** Slots per part. All parts have this size, so that freed memory can be reused. */
const slotsOfPart = 4096;
const fullestPart = slotsOfPart * 0.8;

/** Memory as slots of 16 bytes: the two halves of a hash, then the number. */
function slotMemory() {
  const memory = new ArrayBuffer(16 * slotsOfPart);
  return { hashes: new Uint32Array(memory), numbers: new Float64Array(memory) };
}

/** The content of a part before it is split. */
const before = slotMemory();

/** Both halves of the last hash. */
const halves = new Uint32Array(2);

/**
 * A map from ids to whole numbers below 2^53 that takes about 27 bytes per id, whatever its length. It consists of
 * open-addressing tables of 64-bit hashes; a full one is split by a further bit. With a million ids, a collision occurs
 * in about one of 37 million runs.
 */
export class IdNumbers {
  readonly #parts = new SplitParts(0, () => new Part(0));
  readonly #hash: typeof textHashHalves;

  constructor(hash = textHashHalves) {
    this.#hash = hash;
  }

  /**
   * Sets the number of `id` to `change(before)` and returns the number before, which is undefined for a new id.
   * @throws Failure('input') if there are too many ids.
   */
  put(id: string, change: (before: number | undefined) => number): number | undefined {
    const part = this.#find(id);
    const slot = part.slotOf(halves);
    const before = part.numberAt(slot);
    this.#fill(part, slot, change(before));
    return before;
  }

  /** Sets the number of an id that has none, and returns the number before. @throws as `put`. */
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

  /** The numbers of all ids, unordered. */
  numbers(): Float64Array {
    const parts = this.#parts.all();
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

  /** The part of an id; leaves its hash in `halves`. */
  #find(id: string): Part {
    this.#hash(id, halves);
    return this.#parts.of(halves[0] ?? 0);
  }

  #fill(part: Part, slot: number, number: number): void {
    const isFull = part.fill(slot, halves, number);
    if (isFull) this.#parts.split(part);
  }
}

/** A slot whose hash is zero in both halves is free; no hash is. */
class Part {
  /** How many leading bits all its hashes have in common. */
  bits: number;
  readonly #hashes: Uint32Array;
  readonly #numbers: Float64Array;
  count = 0;

  constructor(bits: number) {
    const { hashes, numbers } = slotMemory();
    this.bits = bits;
    this.#hashes = hashes;
    this.#numbers = numbers;
  }

  /** The slot of a hash, or the free slot for it. There is always a free slot. */
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

  /** Fills a free slot, or changes the number of the slot with this hash; returns whether the part is full. */
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

  /** Keeps the hashes whose next bit is zero and returns a new part with the others. */
  split(): Part {
    this.bits += 1;
    const one = new Part(this.bits);
    const { hashes, numbers } = before;
    hashes.set(this.#hashes);
    this.#hashes.fill(0);
    this.count = 0;
    for (let slot = 0; slot < slotsOfPart; slot += 1) {
      const hash = hashes.subarray(4 * slot, 4 * slot + 2);
      const high = hash[0] ?? 0;
      if (high === 0 && hash[1] === 0) continue;
      const part = (high >>> (32 - this.bits)) & 1 ? one : this;
      part.fill(part.slotOf(hash), hash, numbers[2 * slot + 1] ?? 0);
    }
    return one;
  }
}
