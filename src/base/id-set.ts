import { tmpdir } from 'node:os';
import { Failure } from './failure.ts';
import { Spool, type SpoolBatch } from './spool.ts';
import { textHashHalves } from './text-hash.ts';

/** Maximum ids per table, which bounds memory. */
const idsMaximum = 60_000_000;
/**
 * The leading bits of a hash select a part of the table. Parts grow one at a time, so that little is copied at once.
 */
const partBits = 4;
const slotsAtFirst = 64;
const fullest = 0.88;
const growth = 1.5;

/**
 * A part of a table: an open-addressing map from hashes of ids to numbers. A slot has the number plus one, or 0 if
 * free, and the low half of the hash; in a whole table also the high halves of the hash and of the number.
 */
class Part {
  readonly #size: number;
  readonly #width: 2 | 4;
  readonly #slots: Uint32Array;
  #count = 0;

  constructor(size: number, width: 2 | 4) {
    this.#size = size;
    this.#width = width;
    this.#slots = new Uint32Array(size * width);
  }

  get isFull(): boolean {
    return this.#count > this.#size * fullest;
  }

  /** The slot of a hash whose number `isSame` accepts, or a free slot for it. */
  find(high: number, low: number, isSame: (number: number) => boolean): number {
    const slots = this.#slots;
    const width = this.#width;
    let at = Math.floor((low / 2 ** 32) * this.#size) * width;
    while (slots[at] !== 0 || (width === 4 && slots[at + 3] !== 0)) {
      const isHash = slots[at + 1] === low && (width === 2 || slots[at + 2] === high);
      if (isHash && isSame(this.numberAt(at) ?? 0)) break;
      at += width;
      if (at === slots.length) at = 0;
    }
    return at;
  }

  numberAt(at: number): number | undefined {
    const stored = this.#storedAt(at);
    return stored === 0 ? undefined : stored - 1;
  }

  set(at: number, high: number, low: number, number: number): void {
    if (this.#storedAt(at) === 0) this.#count += 1;
    this.#slots[at] = number + 1;
    this.#slots[at + 1] = low;
    if (this.#width === 2) return;
    this.#slots[at + 2] = high;
    this.#slots[at + 3] = (number + 1) / 2 ** 32;
  }

  enlarged(): Part {
    const larger = new Part(Math.ceil(this.#size * growth), this.#width);
    for (let at = 0; at < this.#slots.length; at += this.#width) {
      const number = this.numberAt(at);
      if (number === undefined) continue;
      const high = this.#slots[at + 2] ?? 0;
      const low = this.#slots[at + 1] ?? 0;
      larger.set(larger.find(high, low, isNone), high, low, number);
    }
    return larger;
  }

  *numbers(): Generator<number> {
    for (let at = 0; at < this.#slots.length; at += this.#width) {
      const number = this.numberAt(at);
      if (number !== undefined) yield number;
    }
  }

  #storedAt(at: number): number {
    const low = this.#slots[at] ?? 0;
    return this.#width === 2 ? low : low + (this.#slots[at + 3] ?? 0) * 2 ** 32;
  }
}

const isNone = () => false;
const isAny = () => true;

/**
 * A map from hashes of ids to numbers. With `areWhole` it stores all 64 bits of a hash; otherwise 36, and its owner
 * compares the ids.
 */
class HashTable {
  readonly #parts: Part[];
  #count = 0;

  constructor(areWhole: boolean) {
    // Parts begin with different sizes, so that they are not full at the same time.
    const sizeOf = (index: number) => Math.round(slotsAtFirst * growth ** (index / 2 ** partBits));
    const width = areWhole ? 4 : 2;
    this.#parts = Array.from({ length: 2 ** partBits }, (_, index) => new Part(sizeOf(index), width));
  }

  /** The part for this high half of a hash. */
  partOf(high: number): Part {
    return this.#parts[high >>> (32 - partBits)] as Part;
  }

  /** Counts a new number in the part of a hash. @throws Failure('input') if there are too many. */
  grow(high: number): void {
    this.#count += 1;
    if (this.#count > idsMaximum)
      throw new Failure('input', 'the input has more records than one run can process', 'split the input');
    const part = this.partOf(high);
    if (part.isFull) this.#parts[high >>> (32 - partBits)] = part.enlarged();
  }

  *all(): Generator<number> {
    for (const part of this.#parts) yield* part.numbers();
  }
}

/**
 * A map from ids to integers below 2^53, in 19 to 27 bytes per id, whatever its length. With a million ids, two share a
 * number in about one of 37 million runs.
 */
export class IdNumbers {
  readonly #table = new HashTable(true);
  readonly #halves = new Uint32Array(2);

  /**
   * Sets the number of `id` to `change(before)` and returns the previous number, which is undefined for a new id.
   * @throws Failure('input') if there are too many ids.
   */
  put(id: string, change: (before: number | undefined) => number): number | undefined {
    textHashHalves(id, this.#halves);
    const high = this.#halves[0] ?? 0;
    const low = this.#halves[1] ?? 0;
    const part = this.#table.partOf(high);
    const at = part.find(high, low, isAny);
    const before = part.numberAt(at);
    part.set(at, high, low, change(before));
    if (before === undefined) this.#table.grow(high);
    return before;
  }

  get(id: string): number | undefined {
    textHashHalves(id, this.#halves);
    const high = this.#halves[0] ?? 0;
    const low = this.#halves[1] ?? 0;
    const part = this.#table.partOf(high);
    return part.numberAt(part.find(high, low, isAny));
  }

  /** The numbers of all ids, unordered. */
  numbers(): Iterable<number> {
    return this.#table.all();
  }
}

/** The first occurrence of an id: the index of the file and the line in it. */
export interface FirstOccurrence {
  readonly fileIndex: number;
  readonly line: number;
}

/** Ids per batch, all of one file. */
const batchSize = 256;

/**
 * Stores the first occurrences of ids, in 10 to 14 bytes of memory each: a hash, and the position of the id in a spool.
 * If a hash seems to repeat, the id is read from there, so ids are never confused.
 */
export class SeenIds {
  readonly #hash: typeof textHashHalves;
  readonly #halves = new Uint32Array(2);
  readonly #table = new HashTable(false);
  readonly #spool: Spool;
  /** The newest ids, all of one file, not yet in the spool. */
  #fileIndex = 0;
  #ids: string[] = [];
  #lines: number[] = [];
  /** The last batch read. */
  #read: { readonly index: number; readonly batch: SpoolBatch } | undefined;
  #id = '';
  readonly #isSame = (number: number): boolean =>
    this.#batch(Math.floor(number / batchSize)).columns[0]?.[number % batchSize] === this.#id;

  /** Ids are stored in a file in `folder`; `hash` computes the hash of an id in two halves. */
  constructor(folder = tmpdir(), hash = textHashHalves) {
    this.#spool = new Spool(folder);
    this.#hash = hash;
  }

  /**
   * Returns the first occurrence of `id`; undefined for a new id, which is stored.
   * @throws Failure('input') if there are too many ids; as `Spool.add`.
   */
  add(id: string, fileIndex: number, line: number): FirstOccurrence | undefined {
    this.#hash(id, this.#halves);
    this.#id = id;
    const high = this.#halves[0] ?? 0;
    const low = this.#halves[1] ?? 0;
    const part = this.#table.partOf(high);
    const at = part.find(high, low, this.#isSame);
    const number = part.numberAt(at);
    if (number !== undefined) return this.#occurrence(number);
    if (fileIndex !== this.#fileIndex || this.#ids.length === batchSize) this.#flush(fileIndex);
    part.set(at, high, low, this.#spool.length * batchSize + this.#ids.length);
    this.#table.grow(high);
    this.#ids.push(id);
    this.#lines.push(line);
    return undefined;
  }

  close(): void {
    this.#spool.close();
  }

  #occurrence(number: number): FirstOccurrence {
    const { file, lines } = this.#batch(Math.floor(number / batchSize));
    return { fileIndex: Number(file), line: lines[number % batchSize] ?? 0 };
  }

  #flush(nextFile: number): void {
    this.#spool.add(this.#newest);
    this.#fileIndex = nextFile;
    this.#ids = [];
    this.#lines = [];
  }

  get #newest(): SpoolBatch {
    return { file: String(this.#fileIndex), lines: this.#lines, columns: [this.#ids] };
  }

  #batch(index: number): SpoolBatch {
    if (index === this.#spool.length) return this.#newest;
    if (this.#read?.index !== index) this.#read = { index, batch: this.#spool.batchAt(index) };
    return this.#read.batch;
  }
}
