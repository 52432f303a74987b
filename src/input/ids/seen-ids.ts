import { tmpdir } from 'node:os';
import { Spool, type SpoolBatch } from '../../base/spool.ts';
import { textHashHalves } from '../../base/text-hash.ts';
import { IdHashes } from './id-hashes.ts';
import { IdNumbers } from './id-numbers.ts';

/** Where an id first occurs: the index of the file and the line in it. */
export interface FirstOccurrence {
  readonly fileIndex: number;
  readonly line: number;
}

/** Ids of one file per batch. */
const batchSize = 256;

/**
 * Stores the first occurrences of ids. Only hashes are in memory; the ids and their places are in a spool, which is
 * read from the first possible duplicate on. So no id is mistaken for another one, even if their hashes collide.
 */
export class SeenIds {
  readonly #hash: typeof textHashHalves;
  readonly #hashes = new IdHashes();
  readonly #halves = new Uint32Array(2);
  readonly #spool: Spool;
  /** The latest ids, all of one file, which are not in the spool yet. */
  #fileIndex = 0;
  #ids: string[] = [];
  #lines: number[] = [];
  #numbers: NumberedIds | undefined;
  /** The last batch that was read. */
  #read: { readonly index: number; readonly batch: SpoolBatch } | undefined;

  /** Ids that do not fit into memory go to a file in `folder`; `hash` computes the hash of an id in two halves. */
  constructor(folder = tmpdir(), hash = textHashHalves) {
    this.#spool = new Spool(folder);
    this.#hash = hash;
  }

  /**
   * The first occurrence of `id`; undefined for a new id, which is stored.
   * @throws Failure('input') if there are too many ids; as `Spool.add`.
   */
  add(id: string, fileIndex: number, line: number): FirstOccurrence | undefined {
    this.#hash(id, this.#halves);
    const isNew = this.#hashes.add(this.#halves[0] ?? 0, this.#halves[1] ?? 0);
    const before = isNew ? undefined : this.#find(id);
    if (before === undefined) this.#keep(id, fileIndex, line);
    return before;
  }

  close(): void {
    this.#spool.close();
  }

  #keep(id: string, fileIndex: number, line: number): void {
    if (fileIndex !== this.#fileIndex || this.#ids.length === batchSize) this.#flush(fileIndex);
    this.#ids.push(id);
    this.#lines.push(line);
    this.#numbers?.add(id, this.#spool.length * batchSize + this.#ids.length - 1);
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

  #find(id: string): FirstOccurrence | undefined {
    this.#numbers ??= this.#numberAll();
    const number = this.#numbers.find(id, (known) => this.#batchOf(known).columns[0]?.[known % batchSize]);
    if (number === undefined) return undefined;
    const { file, lines } = this.#batchOf(number);
    return { fileIndex: Number(file), line: lines[number % batchSize] ?? 0 };
  }

  #numberAll(): NumberedIds {
    const numbers = new NumberedIds(this.#hash);
    for (let index = 0; index <= this.#spool.length; index += 1) {
      const [ids = []] = this.#batch(index).columns;
      for (const [at, id] of ids.entries()) numbers.add(id, index * batchSize + at);
    }
    return numbers;
  }

  #batchOf(number: number): SpoolBatch {
    return this.#batch(Math.floor(number / batchSize));
  }

  #batch(index: number): SpoolBatch {
    if (index === this.#spool.length) return this.#newest;
    if (this.#read?.index !== index) this.#read = { index, batch: this.#spool.batchAt(index) };
    return this.#read.batch;
  }
}

/** The positions of ids in the spool. */
class NumberedIds {
  readonly #numbers: IdNumbers;
  /** Ids whose hash collides with that of an earlier one. */
  readonly #alike = new Map<string, number>();

  constructor(hash: typeof textHashHalves) {
    this.#numbers = new IdNumbers(hash);
  }

  /** Adds a new id. */
  add(id: string, number: number): void {
    if (this.#numbers.putNew(id, number) !== undefined) this.#alike.set(id, number);
  }

  /** The number of an id; `idOf` gives the id of a number. */
  find(id: string, idOf: (number: number) => string | undefined): number | undefined {
    const number = this.#numbers.get(id);
    return number === undefined || idOf(number) === id ? number : this.#alike.get(id);
  }
}
