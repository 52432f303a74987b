import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, read, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure, messageOf } from './failure.ts';

/** Records of one file as columns of text: a line number, and one text per column, for each record. */
export interface SpoolBatch {
  readonly file: string;
  readonly lines: readonly number[];
  readonly columns: readonly (readonly string[])[];
}

/** The most that is held in memory, in bytes; the rest goes to a file. */
const heldMaximum = 1024 * 1024;

/** The most that is read from the file at once, in bytes. */
const readBytes = 512 * 1024;

/**
 * The numbers at the beginning of a batch: its length in bytes, its records, its columns, and the index of
 * its file.
 */
const headNumbers = 4;
const numberBytes = 4;

/**
 * Keeps the records of an input in order for the time of a run: a few in memory, more in a file that only
 * this user can read. The file's name is removed at once, so that the end of the process frees it in any
 * case. It is written before the first request, and can be read repeatedly without delaying requests under
 * way.
 */
export class Spool {
  readonly #folder: string;
  readonly #fileNames: string[] = [];
  /** Complete batches that are not in the file yet. */
  #held: Buffer<ArrayBuffer> = aligned(0);
  #heldBytes = 0;
  #descriptor: number | undefined;
  #path: string | undefined;
  #writtenBytes = 0;
  /** The start of each batch. */
  readonly #starts: number[] = [];

  /** The file is made in `folder`; if that does not exist, in the folder for temporary files. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Appends a batch. Its texts are well-formed: without half surrogate pairs.
   * @throws Failure('unwritable-path') where there is no room for the file.
   */
  add(batch: SpoolBatch): void {
    if (batch.lines.length === 0) return;
    if (this.#fileNames.at(-1) !== batch.file) this.#fileNames.push(batch.file);
    const texts = batch.columns.map((column) => column.join(''));
    const bytes = encodedBytes(batch, texts);
    if (this.#heldBytes + bytes > heldMaximum) this.#spill();
    this.#makeRoom(this.#heldBytes + bytes);
    const into = this.#held.subarray(this.#heldBytes, this.#heldBytes + bytes);
    encodeBatch(batch, texts, this.#fileNames.length - 1, into);
    this.#starts.push(this.#writtenBytes + this.#heldBytes);
    this.#heldBytes += bytes;
  }

  /** The number of batches. */
  get length(): number {
    return this.#starts.length;
  }

  /** The batch with this index, from 0; waits for the disk. */
  batchAt(index: number): SpoolBatch {
    const { [index]: start = 0, [index + 1]: end = this.#writtenBytes + this.#heldBytes } = this.#starts;
    const heldAt = start - this.#writtenBytes;
    if (heldAt >= 0)
      return decodeBatch(this.#held.subarray(heldAt, end - this.#writtenBytes), this.#fileNames);
    const bytes = aligned(end - start);
    readSync(this.#descriptor ?? -1, bytes, 0, bytes.length, start);
    return decodeBatch(bytes, this.#fileNames);
  }

  /** The batches in the order of `add`. */
  async *batches(): AsyncGenerator<SpoolBatch> {
    for await (const bytes of this.#stored()) yield decodeBatch(bytes, this.#fileNames);
    for (const bytes of batchesIn(this.#held.subarray(0, this.#heldBytes)))
      yield decodeBatch(bytes, this.#fileNames);
  }

  /** Frees everything; may be called twice. */
  close(): void {
    this.#held = aligned(0);
    this.#heldBytes = 0;
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    if (this.#path !== undefined) rmSync(this.#path, { force: true });
    this.#descriptor = undefined;
    this.#path = undefined;
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#held.length) return;
    const held = aligned(Math.max(bytes, Math.min(2 * bytes, heldMaximum)));
    this.#held.copy(held, 0, 0, this.#heldBytes);
    this.#held = held;
  }

  #spill(): void {
    try {
      this.#descriptor ??= this.#makeFile();
      for (let at = 0; at < this.#heldBytes; ) {
        at += writeSync(this.#descriptor, this.#held, at, this.#heldBytes - at);
      }
      this.#writtenBytes += this.#heldBytes;
      this.#heldBytes = 0;
    } catch (error) {
      throw new Failure(
        'unwritable-path',
        `the input cannot be stored: ${messageOf(error)}`,
        `nothing was sent; free some room in ${this.#place}, then run the same command again`,
        { cause: error },
      );
    }
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
      // Some systems keep the name of an open file; there it is removed on close.
      this.#path = path;
    }
    return descriptor;
  }

  /**
   * The batches in the file, each valid until the next one is read; one piece of the file is in memory at a
   * time.
   */
  async *#stored(): AsyncGenerator<Buffer> {
    let piece = aligned(readBytes);
    let kept = 0;
    for (let at = 0; at < this.#writtenBytes; ) {
      const length = Math.min(piece.length - kept, this.#writtenBytes - at);
      const { bytesRead } = await readFrom(this.#descriptor ?? -1, piece, kept, length, at);
      if (bytesRead === 0) throw new Error(`the spool ends at ${at} of ${this.#writtenBytes} bytes`);
      at += bytesRead;
      const there = piece.subarray(0, kept + bytesRead);
      let used = 0;
      for (const batch of batchesIn(there)) {
        used += batch.length;
        yield batch;
      }
      // After the complete batches comes the beginning of another, which needs room for its rest.
      const room = used === 0 ? aligned(2 * piece.length) : piece;
      kept = there.copy(room, 0, used);
      piece = room;
    }
  }
}

const readFrom = promisify(read);

/** Memory that is aligned for numbers. */
function aligned(bytes: number): Buffer<ArrayBuffer> {
  return Buffer.from(new ArrayBuffer(bytes));
}

/** The complete batches at the beginning of `bytes`. */
function* batchesIn(bytes: Buffer): Generator<Buffer> {
  let start = 0;
  while (bytes.length - start >= headNumbers * numberBytes) {
    const end = start + bytes.readUInt32LE(start);
    if (end > bytes.length) return;
    yield bytes.subarray(start, end);
    start = end;
  }
}

/*
 * A batch is its head, the line numbers, for each column the lengths of its texts and their total in bytes,
 * then the texts column by column; all of it a multiple of four bytes.
 */

function encodedBytes({ lines, columns }: SpoolBatch, texts: readonly string[]): number {
  const numbers = headNumbers + lines.length + columns.length * (lines.length + 1);
  let bytes = numbers * numberBytes;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return Math.ceil(bytes / numberBytes) * numberBytes;
}

function encodeBatch(
  { lines, columns }: SpoolBatch,
  texts: readonly string[],
  fileIndex: number,
  into: Buffer,
): void {
  const count = lines.length;
  const numbers = numbersIn(into, headNumbers + count + columns.length * (count + 1));
  numbers.set([into.length, count, columns.length, fileIndex]);
  numbers.set(lines, headNumbers);
  let at = headNumbers + count;
  let textAt = numbers.byteLength;
  for (const [column, joined] of texts.entries()) {
    const { [column]: parts = [] } = columns;
    for (let index = 0; index < count; index += 1) numbers[at + index] = parts[index]?.length ?? 0;
    const bytes = into.write(joined, textAt);
    numbers[at + count] = bytes;
    at += count + 1;
    textAt += bytes;
  }
}

function decodeBatch(bytes: Buffer, fileNames: readonly string[]): SpoolBatch {
  const [, count = 0, columnCount = 0, fileIndex = 0] = numbersIn(bytes, headNumbers);
  const numbers = numbersIn(bytes, headNumbers + count + columnCount * (count + 1));
  const columns: string[][] = [];
  let textAt = numbers.byteLength;
  for (let at = headNumbers + count; at < numbers.length; at += count + 1) {
    const end = textAt + (numbers[at + count] ?? 0);
    columns.push(cutUp(bytes.toString('utf8', textAt, end), numbers.subarray(at, at + count)));
    textAt = end;
  }
  const lines = Array.from(numbers.subarray(headNumbers, headNumbers + count));
  return { file: fileNames[fileIndex] ?? '', lines, columns };
}

function numbersIn(bytes: Buffer, count: number): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, count);
}

function cutUp(text: string, lengths: Uint32Array): string[] {
  const parts = new Array<string>(lengths.length);
  let start = 0;
  for (let index = 0; index < lengths.length; index += 1) {
    const end = start + (lengths[index] ?? 0);
    parts[index] = text.slice(start, end);
    start = end;
  }
  return parts;
}
