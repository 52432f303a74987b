import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, read, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { Failure, messageOf } from './failure.ts';

/** Records of one file as columns of text: for each record, a line number and one text per column. */
export interface SpoolBatch {
  readonly file: string;
  readonly lines: readonly number[];
  readonly columns: readonly (readonly string[])[];
}

/** Maximum bytes in memory; the rest goes to a file. */
const heldMaximum = 1024 * 1024;

/** Maximum bytes read from the file at once, unless a batch is larger. */
const readBytes = 512 * 1024;

/**
 * Keeps the records of an input, in order, for the duration of a run: a few in memory, more in a file that only this
 * user can read. The file is unlinked at once, so that the system frees it in any case when the process ends. It is
 * written before the first request, and can be read repeatedly without delaying requests in progress.
 */
export class Spool {
  readonly #folder: string;
  /** The newest batches, not yet in the file. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #descriptor: number | undefined;
  #path: string | undefined;
  /** The end of each batch in the file. */
  readonly #ends: number[] = [];

  /** The file is created in `folder`; if that does not exist, in the folder for temporary files. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Appends a batch.
   * @throws Failure('unwritable-path') if the disk is full.
   */
  add(batch: SpoolBatch): void {
    if (batch.lines.length === 0) return;
    const bytes = serialize(batch);
    if (this.#heldBytes + bytes.length > heldMaximum) this.#spill();
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
  }

  /** The number of batches. */
  get length(): number {
    return this.#ends.length + this.#held.length;
  }

  /** The batch with this index, from 0; blocks on the disk. */
  batchAt(index: number): SpoolBatch {
    const held = this.#held[index - this.#ends.length];
    if (held !== undefined) return deserialize(held);
    const start = this.#startOf(index);
    const bytes = Buffer.allocUnsafe(this.#startOf(index + 1) - start);
    readSync(this.#descriptor ?? -1, bytes, 0, bytes.length, start);
    return deserialize(bytes);
  }

  /** Yields the batches in the order of `add`, with one piece of the file in memory at a time. */
  async *batches(): AsyncGenerator<SpoolBatch> {
    for (let index = 0; index < this.length; ) {
      const start = this.#startOf(index);
      let next = index + 1;
      while (next < this.#ends.length && this.#startOf(next + 1) - start <= readBytes) next += 1;
      if (index >= this.#ends.length) yield this.batchAt(index);
      else {
        const piece = await this.#read(start, this.#startOf(next));
        for (let at = index; at < next; at += 1)
          yield deserialize(piece.subarray(this.#startOf(at) - start, this.#startOf(at + 1) - start));
      }
      index = next;
    }
  }

  /** Frees everything. Can be called twice. */
  close(): void {
    this.#held = [];
    this.#heldBytes = 0;
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    if (this.#path !== undefined) rmSync(this.#path, { force: true });
    this.#descriptor = undefined;
    this.#path = undefined;
  }

  #startOf(index: number): number {
    return this.#ends[index - 1] ?? 0;
  }

  async #read(start: number, end: number): Promise<Buffer> {
    const piece = Buffer.allocUnsafe(end - start);
    for (let at = 0; at < piece.length; ) {
      const { bytesRead } = await readFrom(this.#descriptor ?? -1, piece, at, piece.length - at, start + at);
      if (bytesRead === 0) throw new Error(`the spool ends at ${start + at} of ${end} bytes`);
      at += bytesRead;
    }
    return piece;
  }

  #spill(): void {
    try {
      this.#descriptor ??= this.#makeFile();
      const bytes = Buffer.concat(this.#held);
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
    } catch (error) {
      throw new Failure(
        'unwritable-path',
        `the input cannot be stored: ${messageOf(error)}`,
        `nothing was sent; free some space in ${this.#place}, then run the same command again`,
        { cause: error },
      );
    }
    for (const { length } of this.#held) this.#ends.push(this.#startOf(this.#ends.length) + length);
    this.#held = [];
    this.#heldBytes = 0;
  }

  get #place(): string {
    return existsSync(this.#folder) ? this.#folder : tmpdir();
  }

  #makeFile(): number {
    const path = join(this.#place, `.spool-${randomBytes(8).toString('hex')}`);
    const descriptor = openSync(path, 'wx+', 0o600);
    try {
      rmSync(path);
    } catch {
      // Some systems do not unlink an open file; there it is removed on close.
      this.#path = path;
    }
    return descriptor;
  }
}

const readFrom = promisify(read);
