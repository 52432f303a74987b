import { Failure } from '../../base/failure.ts';

/** A part of a table: what it holds has the same first bits of its hash. */
interface SplitPart<P> {
  /** How many first bits those are. */
  readonly bits: number;
  /** Keeps what has zero as the next bit of its hash, and gives a part with all else. */
  split(): P;
}

/** Beyond so many bits (some 40 to 60 million hashes) the input must be split. */
const bitsMaximum = 14;

/** The parts of a table that grows by one part at a time: each is found by the first bits of a hash, and split in two by a further bit once it is full. */
export class SplitParts<P extends SplitPart<P>> {
  /** By the first bits of a hash; neighbours may be one part. */
  #parts: P[];
  #bits: number;

  /** Begins with parts of so many bits. */
  constructor(bits: number, make: () => P) {
    this.#parts = Array.from({ length: 2 ** bits }, make);
    this.#bits = bits;
  }

  /** The part of a hash with this higher half. */
  of(high: number): P {
    // There is a part for every beginning of a hash. Nothing is shifted by 32 bits, which would be by none.
    return this.#parts[this.#bits === 0 ? 0 : high >>> (32 - this.#bits)] as P;
  }

  /** Each part once. */
  all(): readonly P[] {
    return [...new Set(this.#parts)];
  }

  /** @throws Failure('input') where there are too many parts. */
  split(part: P): void {
    if (part.bits === this.#bits) this.#double();
    const one = part.split();
    for (const [index, other] of this.#parts.entries()) {
      if (other === part && (index >>> (this.#bits - one.bits)) & 1) this.#parts[index] = one;
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
