import { SplitParts } from './split-parts.ts';

/** Slots of one part. All parts are of this size, and none is let go of before the others. */
const slotsOfPart = 4096;
const fullestPart = slotsOfPart * 0.9;
/** How many bits tell parts apart at first. */
const bitsAtFirst = 4;

/** What a part held before it was split. */
const before = { lows: new Uint32Array(slotsOfPart), rests: new Uint16Array(slotsOfPart) };

/**
 * A set of 64-bit hashes, in 7 to 13 bytes each: it keeps 52 bits of each, so that of 10 million different ones one that is new is
 * taken for one of the others once in some hundred runs. Open-addressing tables, each of which is split in two by a further
 * bit once it is full.
 */
export class IdHashes {
  readonly #parts = new SplitParts(bitsAtFirst, () => new Part(bitsAtFirst));

  /** Adds a hash given as two numbers of 32 bits; false where it is likely to be there already. Throws `input` when there are too many. */
  add(high: number, low: number): boolean {
    const part = this.#parts.of(high);
    // Zero is that of a free slot.
    const isNew = part.add(low || 1, (high >>> (16 - bitsAtFirst)) & 0xffff);
    if (isNew && part.count > fullestPart) this.#parts.split(part);
    return isNew;
  }
}

class Part {
  /** How many first bits all its hashes have in common. */
  bits: number;
  count = 0;
  /** By slot, the low half of its hash, zero of a free one. */
  readonly #lows = new Uint32Array(slotsOfPart);
  /** By slot, the 16 bits that follow the first `bitsAtFirst`. */
  readonly #rests = new Uint16Array(slotsOfPart);

  constructor(bits: number) {
    this.bits = bits;
  }

  /** Whether it was not there. There always is a free slot. */
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

  /** Keeps what has zero as the next bit of its hash, and gives a part with all else. */
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
