/** Maximum hashes in a part of the index, and maximum range of answers: a power of two. */
const partSize = 2 ** 19;
/** Leading bits of a hash that select its bucket in a part; a bucket holds some eight hashes. */
const bucketBits = 16;

/**
 * An index in memory from 32-bit hashes to the numbers of answers: some 4 MiB per million records, read from the file.
 * May return an answer without the hash, but never misses one with it.
 */
export class HashIndex {
  readonly #parts: PackedHashes[] = [];
  #recent = new RecentHashes();

  /** Requires ascending answer numbers. */
  add(hash: number, answer: number): void {
    const { count, first } = this.#recent;
    if (count >= partSize || (count > 0 && answer - first >= partSize)) {
      this.#parts.push(new PackedHashes(this.#recent));
      this.#recent = new RecentHashes();
    }
    this.#recent.add(hash, answer);
  }

  /** Adds the answers that may hold `hash` to `found`. */
  find(hash: number, found: Set<number>): void {
    for (const part of this.#parts) part.find(hash, found);
    this.#recent.find(hash, found);
  }
}

/** The last added hashes: an open-addressing table of pairs of hash and answer. */
class RecentHashes {
  /** Twice the room that a part needs. */
  readonly #pairs = new Int32Array(4 * partSize);
  count = 0;
  /** The first and last answer. */
  first = 0;
  last = 0;

  add(hash: number, answer: number): void {
    const pairs = this.#pairs;
    let at = this.#placeOf(hash);
    while (pairs[at + 1] !== 0) at = (at + 2) & (pairs.length - 1);
    pairs[at] = hash;
    pairs[at + 1] = answer;
    if (this.count === 0) this.first = answer;
    this.last = answer;
    this.count += 1;
  }

  find(hash: number, found: Set<number>): void {
    const pairs = this.#pairs;
    for (let at = this.#placeOf(hash); pairs[at + 1] !== 0; at = (at + 2) & (pairs.length - 1)) {
      if (pairs[at] === hash) found.add(pairs[at + 1] ?? 0);
    }
  }

  forEach(visit: (hash: number, answer: number) => void): void {
    for (let at = 0; at < this.#pairs.length; at += 2) {
      const answer = this.#pairs[at + 1] ?? 0;
      if (answer !== 0) visit(this.#pairs[at] ?? 0, answer);
    }
  }

  #placeOf(hash: number): number {
    return (hash << 1) & (this.#pairs.length - 1);
  }
}

/**
 * A full part, in 4 bytes per hash: sorted by bucket, the bits of the hash after the bucket's, and the answer relative
 * to the first one.
 */
class PackedHashes {
  readonly #starts = new Uint32Array(2 ** bucketBits + 1);
  readonly #values: Uint32Array;
  readonly #firstAnswer: number;
  readonly #answerBits: number;
  readonly #answerMask: number;
  readonly #restBits: number;

  constructor(recent: RecentHashes) {
    this.#firstAnswer = recent.first;
    this.#answerBits = 32 - Math.clz32(recent.last - recent.first);
    this.#answerMask = (1 << this.#answerBits) - 1;
    this.#restBits = Math.min(32 - bucketBits, 32 - this.#answerBits);
    this.#values = new Uint32Array(recent.count);
    const starts = this.#starts;
    recent.forEach((hash) => {
      const after = bucketOf(hash) + 1;
      starts[after] = (starts[after] ?? 0) + 1;
    });
    for (let bucket = 1; bucket < starts.length; bucket += 1) {
      starts[bucket] = (starts[bucket] ?? 0) + (starts[bucket - 1] ?? 0);
    }
    const ends = starts.slice();
    recent.forEach((hash, answer) => {
      const bucket = bucketOf(hash);
      const at = ends[bucket] ?? 0;
      this.#values[at] = (this.#restOf(hash) << this.#answerBits) | (answer - this.#firstAnswer);
      ends[bucket] = at + 1;
    });
  }

  find(hash: number, found: Set<number>): void {
    const bucket = bucketOf(hash);
    const rest = this.#restOf(hash);
    const end = this.#starts[bucket + 1] ?? 0;
    for (let at = this.#starts[bucket] ?? 0; at < end; at += 1) {
      const value = this.#values[at] ?? 0;
      if (value >>> this.#answerBits === rest) found.add(this.#firstAnswer + (value & this.#answerMask));
    }
  }

  #restOf(hash: number): number {
    return (hash << bucketBits) >>> (32 - this.#restBits);
  }
}

function bucketOf(hash: number): number {
  return hash >>> (32 - bucketBits);
}
