import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, read, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure, messageOf } from './failure.ts';

/** Records of one file as columns of text, one line number and one text of each column a record. */
export interface SpoolBatch {
  readonly file: string;
  readonly lines: readonly number[];
  readonly columns: readonly (readonly string[])[];
}

/** How much is held in memory, in bytes; what is beyond that goes to a file. */
const heldMaximum = 1024 * 1024;

/** How much is read from the file at once, in bytes. */
const readBytes = 512 * 1024;

/**
 * Numbers that a batch begins with: its length in bytes, the number of its records, that of its columns, and the index
 * of its file.
 */
const headNumbers = 4;
const numberBytes = 4;

/**
 * Keeps records of an input for as long as a run needs them, in order: in memory while they are few, else in a
 * file that only this user can read. That file has no name from the moment it was made, so whatever ends the process
 * frees it. It is written before the first request leaves and read without holding up requests under way, as often as
 * needed.
 */
export class Spool {
  readonly #folder: string;
  readonly #fileNames: string[] = [];
  /** Whole batches, until they fill it. */
  #held: Buffer<ArrayBuffer> = aligned(0);
  #heldBytes = 0;
  #descriptor: number | undefined;
  #path: string | undefined;
  #writtenBytes = 0;
  /** Where each batch begins. */
  readonly #starts: number[] = [];

  /** The file is made in `folder`, or where that does not exist in the folder for temporary files. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Adds a batch behind those before it. Texts are well-formed: they hold no half of a surrogate pair.
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

  /** How many batches there are. */
  get length(): number {
    return this.#starts.length;
  }

  /** The batch that was added as number `index`, counted from 0; waits for the disk. */
  batchAt(index: number): SpoolBatch {
    const { [index]: start = 0, [index + 1]: end = this.#writtenBytes + this.#heldBytes } = this.#starts;
    const heldAt = start - this.#writtenBytes;
    if (heldAt >= 0)
      return decodeBatch(this.#held.subarray(heldAt, end - this.#writtenBytes), this.#fileNames);
    const bytes = aligned(end - start);
    readSync(this.#descriptor ?? -1, bytes, 0, bytes.length, start);
    return decodeBatch(bytes, this.#fileNames);
  }

  /** The batches in the order in which they were added. */
  async *batches(): AsyncGenerator<SpoolBatch> {
    for await (const bytes of this.#stored()) yield decodeBatch(bytes, this.#fileNames);
    for (const bytes of batchesIn(this.#held.subarray(0, this.#heldBytes)))
      yield decodeBatch(bytes, this.#fileNames);
  }

  /** Lets go of everything; may be called twice. */
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
        `what was read of the input cannot be kept: ${messageOf(error)}`,
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
      // Some systems keep the name of an open file; there it goes when the spool is closed.
      this.#path = path;
    }
    return descriptor;
  }

  /**
   * The batches in the file, each valid until the next one is asked for; a piece of the file is in memory at a time.
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
      // After the whole batches comes the beginning of another, which needs room for its rest.
      const room = used === 0 ? aligned(2 * piece.length) : piece;
      kept = there.copy(room, 0, used);
      piece = room;
    }
  }
}

const readFrom = promisify(read);

/** Memory that begins where numbers may. */
function aligned(bytes: number): Buffer<ArrayBuffer> {
  return Buffer.from(new ArrayBuffer(bytes));
}

/** The whole batches at the beginning of `bytes`. */
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
 * A batch is its head, the line numbers, of each column the lengths of its texts and how many bytes they take together,
 * then the texts of one column after the other; all in all a multiple of four bytes.
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
