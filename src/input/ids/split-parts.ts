import { Failure } from '../../base/failure.ts';

/** A part of a table, for hashes with the same leading bits. */
interface SplitPart<P> {
  /** The number of those bits. */
  readonly bits: number;
  /** Keeps the hashes whose next bit is zero and returns a new part with the others. */
  split(): P;
}

/** With more bits (about 40 to 60 million hashes) the input must be split. */
const bitsMaximum = 14;

/** An extendible hash table: the leading bits of a hash select its part, and a full part is split by a further bit. */
export class SplitParts<P extends SplitPart<P>> {
  /** By the leading bits of a hash; neighbors may be the same part. */
  #parts: P[];
  #bits: number;

  /** Creates the parts for the first `bits` bits. */
  constructor(bits: number, make: () => P) {
    this.#parts = Array.from({ length: 2 ** bits }, make);
    this.#bits = bits;
  }

  /** The part of a hash with this high half. */
  of(high: number): P {
    // There is a part for every prefix. A shift by 32 bits would be a shift by 0.
    return this.#parts[this.#bits === 0 ? 0 : high >>> (32 - this.#bits)] as P;
  }

  /** Each part once. */
  all(): readonly P[] {
    return [...new Set(this.#parts)];
  }

  /** @throws Failure('input') if there are too many parts. */
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
