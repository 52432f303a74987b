import { Failure } from '../base/failure.ts';

/** Where an id was seen: the index of the file and the line in it. */
export interface Sighting {
  readonly fileIndex: number;
  readonly line: number;
}

/** The table is split, so that growing it copies a small part and never doubles the whole. */
const partBits = 6;
const slotsAtFirst = 512;
const growth = 1.5;
const fullest = 0.8;
/** Beyond this many slots in one part (about 50 million ids in all) the input must be split. */
const slotsMaximum = 1_000_000;

/**
 * Remembers where ids were seen in about 20 bytes each, whatever their length: an open-addressing table of 64-bit
 * hashes. That two of a million different ids are taken for the same happens once in some 37 million runs.
 */
export class SeenIds {
  readonly #parts = Array.from({ length: 2 ** partBits }, () => new Part());

  /** Where `id` was seen before; undefined, and remembered, when it is new. Throws `input` when there are too many. */
  add(id: string, fileIndex: number, line: number): Sighting | undefined {
    const high = hash(id, 0x9e3779b1, 0xdeadbeef);
    // Never zero in both halves: that is a free slot.
    const low = (hash(id, 0x5f356495, 0x41c6ce57) | Number(high === 0)) >>> 0;
    return this.#parts[high >>> (32 - partBits)]?.add(high, low, fileIndex, line);
  }
}

class Part {
  #hashes = new Uint32Array(mapped(8 * slotsAtFirst));
  #lines = new Uint32Array(mapped(4 * slotsAtFirst));
  #files = new Uint16Array(mapped(2 * slotsAtFirst));
  #count = 0;

  add(high: number, low: number, fileIndex: number, line: number): Sighting | undefined {
    const slot = slotOf(this.#hashes, high, low);
    if (!isFree(this.#hashes, slot)) {
      return { fileIndex: this.#files[slot] ?? 0, line: this.#lines[slot] ?? 0 };
    }
    this.#put(slot, high, low, fileIndex, line);
    this.#count += 1;
    if (this.#count > this.#lines.length * fullest) this.#grow();
    return undefined;
  }

  #put(slot: number, high: number, low: number, fileIndex: number, line: number): void {
    this.#hashes[2 * slot] = high;
    this.#hashes[2 * slot + 1] = low;
    this.#files[slot] = fileIndex;
    this.#lines[slot] = line;
  }

  #grow(): void {
    const [hashes, lines, files] = [this.#hashes, this.#lines, this.#files];
    const size = Math.ceil(lines.length * growth);
    if (size > slotsMaximum) {
      throw new Failure('input', 'the input holds more records than one run takes', 'split the input');
    }
    this.#hashes = new Uint32Array(mapped(8 * size));
    this.#lines = new Uint32Array(mapped(4 * size));
    this.#files = new Uint16Array(mapped(2 * size));
    for (let slot = 0; slot < lines.length; slot += 1) {
      if (isFree(hashes, slot)) continue;
      const high = hashes[2 * slot] ?? 0;
      const low = hashes[2 * slot + 1] ?? 0;
      this.#put(slotOf(this.#hashes, high, low), high, low, files[slot] ?? 0, lines[slot] ?? 0);
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
function slotOf(hashes: Uint32Array, high: number, low: number): number {
  const size = hashes.length / 2;
  let slot = low % size;
  while (!isFree(hashes, slot) && (hashes[2 * slot] !== high || hashes[2 * slot + 1] !== low)) {
    slot = slot + 1 === size ? 0 : slot + 1;
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
