import { Failure } from '../base/failure.ts';

const slotsAtFirst = 1024;
/** Beyond this many slots (about 47 million ids) the input must be split. */
const slotsMaximum = 67_108_864;
const fullest = 0.7;

/** Where an id was seen: the index of the file and the line in it. */
export interface Sighting {
  readonly fileIndex: number;
  readonly line: number;
}

/**
 * Remembers where ids were seen in 14 bytes a slot, whatever their length: an open-addressing table of 64-bit hashes.
 * That two of a million different ids are taken for the same happens once in some 37 million runs.
 */
export class SeenIds {
  #hashes = new Uint32Array(2 * slotsAtFirst);
  #lines = new Uint32Array(slotsAtFirst);
  #files = new Uint16Array(slotsAtFirst);
  #count = 0;

  /** Where `id` was seen before; undefined, and remembered, when it is new. Throws `input` when there are too many. */
  add(id: string, fileIndex: number, line: number): Sighting | undefined {
    const high = hash(id, 0x9e3779b1, 0xdeadbeef);
    // Never zero in both halves: that is a free slot.
    const low = (hash(id, 0x5f356495, 0x41c6ce57) | Number(high === 0)) >>> 0;
    const slot = slotOf(this.#hashes, high, low);
    if (this.#isTaken(slot)) return { fileIndex: this.#files[slot] ?? 0, line: this.#lines[slot] ?? 0 };
    this.#hashes[2 * slot] = high;
    this.#hashes[2 * slot + 1] = low;
    this.#lines[slot] = line;
    this.#files[slot] = fileIndex;
    this.#count += 1;
    if (this.#count > this.#lines.length * fullest) this.#grow();
    return undefined;
  }

  #isTaken(slot: number): boolean {
    return this.#hashes[2 * slot] !== 0 || this.#hashes[2 * slot + 1] !== 0;
  }

  #grow(): void {
    const [hashes, lines, files] = [this.#hashes, this.#lines, this.#files];
    const size = lines.length * 2;
    if (size > slotsMaximum) {
      throw new Failure('input', `more than ${this.#count - 1} records in one run`, 'split the input');
    }
    this.#hashes = new Uint32Array(2 * size);
    this.#lines = new Uint32Array(size);
    this.#files = new Uint16Array(size);
    for (let slot = 0; slot < lines.length; slot += 1) {
      const [high = 0, low = 0] = [hashes[2 * slot], hashes[2 * slot + 1]];
      if (high === 0 && low === 0) continue;
      const moved = slotOf(this.#hashes, high, low);
      this.#hashes[2 * moved] = high;
      this.#hashes[2 * moved + 1] = low;
      this.#lines[moved] = lines[slot] ?? 0;
      this.#files[moved] = files[slot] ?? 0;
    }
  }
}

/** The slot that holds the hash, or the free one where it belongs. There always is a free one. */
function slotOf(hashes: Uint32Array, high: number, low: number): number {
  const mask = hashes.length / 2 - 1;
  let slot = low & mask;
  while (hashes[2 * slot] !== high || hashes[2 * slot + 1] !== low) {
    if (hashes[2 * slot] === 0 && hashes[2 * slot + 1] === 0) return slot;
    slot = (slot + 1) & mask;
  }
  return slot;
}

/** Half of the hash: multiplicative over the code units, then mixed until every bit depends on all of them. */
function hash(text: string, factor: number, seed: number): number {
  let mixed = seed ^ text.length;
  for (let at = 0; at < text.length; at += 1) mixed = Math.imul(mixed ^ text.charCodeAt(at), factor);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
