import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, read, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure, messageOf } from '../base/failure.ts';

/** Records of one file as columns of text, one line number and one text of each column a record. */
export interface SpoolBatch {
  readonly file: string;
  readonly lines: readonly number[];
  readonly columns: readonly (readonly string[])[];
}

/** How much is held in memory, in bytes; what is beyond that goes to a file. */
const heldMaximum = 4 * 1024 * 1024;

/** How much is read from the file at once, in bytes. */
const readBytes = 1024 * 1024;

/** Bytes that a batch begins with: its length, the number of its records, that of its columns, and the index of its file name. */
const headBytes = 16;

/**
 * Keeps validated records between the reading of an input and the sending of them, in order: in memory while they are few, else in a
 * file that only this user can read. That file has no name from the moment it was made, so whatever ends the process frees it.
 * It is written before the first request leaves and read without holding up requests under way, as often as needed.
 */
export class Spool {
  readonly #folder: string;
  readonly #fileNames: string[] = [];
  #held: Buffer[] = [];
  #heldBytes = 0;
  #descriptor: number | undefined;
  #path: string | undefined;
  #writtenBytes = 0;

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
    const bytes = encodeBatch(batch, this.#fileNames.length - 1);
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > heldMaximum) this.#spill();
  }

  /** The batches in the order in which they were added. */
  async *batches(): AsyncGenerator<SpoolBatch> {
    for await (const bytes of this.#stored()) yield decodeBatch(bytes, this.#fileNames);
    for (const bytes of this.#held) yield decodeBatch(bytes, this.#fileNames);
  }

  /** Lets go of everything; may be called twice. */
  close(): void {
    this.#held = [];
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    if (this.#path !== undefined) rmSync(this.#path, { force: true });
    this.#descriptor = undefined;
    this.#path = undefined;
  }

  #spill(): void {
    const bytes = Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    try {
      this.#descriptor ??= this.#makeFile();
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
      this.#writtenBytes += bytes.length;
    } catch (error) {
      throw new Failure(
        'unwritable-path',
        `the validated records cannot be kept until they are sent: ${messageOf(error)}`,
        `free some room in ${this.#place}; nothing was sent`,
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

  /** The batches in the file, a piece of it in memory at a time. */
  async *#stored(): AsyncGenerator<Buffer> {
    let rest = Buffer.alloc(0);
    for (let at = 0; at < this.#writtenBytes; ) {
      const { bytesRead, buffer } = await promisify(read)(this.#descriptor ?? -1, {
        buffer: Buffer.allocUnsafe(Math.min(readBytes, this.#writtenBytes - at)),
        position: at,
      });
      if (bytesRead === 0) throw new Error(`the spool ends at ${at} of ${this.#writtenBytes} bytes`);
      at += bytesRead;
      rest =
        rest.length === 0
          ? buffer.subarray(0, bytesRead)
          : Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      let start = 0;
      while (rest.length - start >= headBytes && rest.length - start >= rest.readUInt32LE(start)) {
        const end = start + rest.readUInt32LE(start);
        yield rest.subarray(start, end);
        start = end;
      }
      rest = rest.subarray(start);
    }
  }
}

/** Head, line numbers, then of each column the lengths of its texts, how many bytes they take together, and the texts. */
function encodeBatch({ lines, columns }: SpoolBatch, fileIndex: number): Buffer {
  const count = lines.length;
  const texts = columns.map((column) => column.join(''));
  const textBytes = texts.map((text) => Buffer.byteLength(text));
  const fixed = headBytes + 4 * count + columns.length * 4 * (count + 1);
  const length = textBytes.reduce((sum, bytes) => sum + bytes, fixed);
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  const put = (value: number) => {
    at = bytes.writeUInt32LE(value, at);
  };
  for (const value of [length, count, columns.length, fileIndex]) put(value);
  for (const line of lines) put(line);
  for (const [index, column] of columns.entries()) {
    for (const text of column) put(text.length);
    put(textBytes[index] ?? 0);
    at += bytes.write(texts[index] ?? '', at);
  }
  return bytes;
}

function decodeBatch(bytes: Buffer, fileNames: readonly string[]): SpoolBatch {
  const count = bytes.readUInt32LE(4);
  const columnCount = bytes.readUInt32LE(8);
  const file = fileNames[bytes.readUInt32LE(12)] ?? '';
  let at = headBytes;
  const numbers = (): number[] => {
    const values = new Array<number>(count);
    for (let index = 0; index < count; index += 1, at += 4) values[index] = bytes.readUInt32LE(at);
    return values;
  };
  const lines = numbers();
  const columns: string[][] = [];
  while (columns.length < columnCount) {
    const lengths = numbers();
    const end = at + 4 + bytes.readUInt32LE(at);
    columns.push(cutUp(bytes.toString('utf8', at + 4, end), lengths));
    at = end;
  }
  return { file, lines, columns };
}

function cutUp(text: string, lengths: readonly number[]): string[] {
  let start = 0;
  return lengths.map((length) => {
    const end = start + length;
    const part = text.slice(start, end);
    start = end;
    return part;
  });
}
