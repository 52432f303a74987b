import { SplitParts } from './split-parts.ts';

/** Slots per part. All parts have this size, and all are freed together. */
const slotsOfPart = 4096;
const fullestPart = slotsOfPart * 0.9;
/** How many bits of a hash select its part initially. */
const bitsAtFirst = 4;

/** The content of a part before it is split. */
const before = { lows: new Uint32Array(slotsOfPart), rests: new Uint16Array(slotsOfPart) };

/**
 * A set of 64-bit hashes in 7 to 13 bytes each. It stores 52 bits of each: with 10 million hashes a false positive
 * occurs in about one of a hundred runs. It consists of open-addressing tables; a full one is split by a further bit.
 */
export class IdHashes {
  readonly #parts = new SplitParts(bitsAtFirst, () => new Part(bitsAtFirst));

  /** Adds a hash given as two halves; false if it is probably known. @throws Failure('input') if there are too many. */
  add(high: number, low: number): boolean {
    const part = this.#parts.of(high);
    // Zero marks a free slot.
    const isNew = part.add(low || 1, (high >>> (16 - bitsAtFirst)) & 0xffff);
    if (isNew && part.count > fullestPart) this.#parts.split(part);
    return isNew;
  }
}

class Part {
  /** How many leading bits all its hashes have in common. */
  bits: number;
  count = 0;
  /** The low half of the hash by slot; zero marks a free one. */
  readonly #lows = new Uint32Array(slotsOfPart);
  /** The 16 bits after the first `bitsAtFirst` by slot. */
  readonly #rests = new Uint16Array(slotsOfPart);

  constructor(bits: number) {
    this.bits = bits;
  }

  /** Whether the hash is new. There is always a free slot. */
  add(low: number, rest: number): boolean {
    const lows = this.#lows;
    let slot = low & (slotsOfPart - 1);
    for (let found = lows[slot]; found !== 0; found = lows[slot]) {
      if (found === low && this.#rests[slot] === rest) return false;
      slot = (slot + 1) & (slotsOfPart - 1);
    }
    lows[slot] = low;
    this.#rests[slot] = rest;
    this.count += 1;
    return true;
  }

  /** Keeps the hashes whose next bit is zero and returns a new part with the others. */
  split(): Part {
    this.bits += 1;
    const one = new Part(this.bits);
    const { lows, rests } = before;
    lows.set(this.#lows);
    rests.set(this.#rests);
    this.#lows.fill(0);
    this.count = 0;
    for (let slot = 0; slot < slotsOfPart; slot += 1) {
      const low = lows[slot] ?? 0;
      const rest = rests[slot] ?? 0;
      const isOne = (rest >>> (16 + bitsAtFirst - this.bits)) & 1;
      if (low !== 0) (isOne ? one : this).add(low, rest);
    }
    return one;
  }
}
