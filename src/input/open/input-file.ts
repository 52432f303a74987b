import { createReadStream, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Failure, messageOf, systemCodeOf } from '../../base/failure.ts';
import type { Encoding } from '../records/options.ts';
import { isGzip, pieceBytes, unpack } from './bytes.ts';

/** A piece of a file; all but the last have 64 KiB. `broken-gzip` ends packed data that is damaged or incomplete. */
export type Bytes = Buffer | 'broken-gzip';

/**
 * A file of the input. Gzip files are unpacked piece by piece in constant memory, whatever their name. All reading
 * throws `unreadable-path` if the disk or the pipe fails, and `input` if the file changed since it was opened.
 */
export interface InputFile {
  /** The path as typed. */
  readonly shownAs: string;
  /** Aborted when the input is no longer needed. Passes before the first request is sent then throw its reason. */
  readonly stopping: AbortSignal;
  /** Encoding of the text read so far: UTF-8 as long as it is all ASCII. */
  encoding: Encoding;
  /** True if the part of a web page read so far hides cells of its table. */
  hasHiddenCells?: true;
  isPacked(): Promise<boolean>;
  /**
   * Yields the bytes from the beginning, as often as needed. The first piece of a file, and all peeked bytes of a pipe,
   * are held until `read` yields them, so that each pass fetches them once.
   */
  peek(): AsyncGenerator<Bytes>;
  /** Yields all bytes. A pipe can be read only once. */
  read(): AsyncGenerator<Bytes>;
  /** Returns the file on disk, for random access. A pipe is copied to a private file. */
  onDisk(): Promise<DiskFile>;
}

export class DiskFile implements InputFile {
  readonly shownAs: string;
  readonly stopping: AbortSignal;
  readonly path: string;
  /** State of the file when it was opened. */
  readonly version: Stats;
  encoding: Encoding = 'utf-8';
  #firstPiece: Buffer | undefined;

  constructor({ shownAs, stopping }: Pick<InputFile, 'shownAs' | 'stopping'>, path: string, version: Stats) {
    this.shownAs = shownAs;
    this.stopping = stopping;
    this.path = path;
    this.version = version;
  }

  async isPacked(): Promise<boolean> {
    return isGzip(await this.#first());
  }

  async *peek(): AsyncGenerator<Bytes> {
    await this.checkUnchanged();
    yield* this.#unpacked(await this.#first());
  }

  async *read(): AsyncGenerator<Bytes> {
    await this.checkUnchanged();
    const first = await this.#first();
    this.#firstPiece = undefined;
    yield* this.#unpacked(first);
    await this.checkUnchanged();
  }

  async onDisk(): Promise<DiskFile> {
    return this;
  }

  /** Reads up to `length` raw bytes from `start` on. */
  async bytesAt(start: number, length: number): Promise<Buffer> {
    try {
      const handle = await open(this.path);
      try {
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, start);
        return buffer.subarray(0, bytesRead);
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  /** @throws Failure('input') if the file changed since it was opened. */
  async checkUnchanged(): Promise<void> {
    const now = await stat(this.path).catch(() => undefined);
    const { size, mtimeMs, ino } = this.version;
    if (now?.size === size && now.mtimeMs === mtimeMs && now.ino === ino) return;
    throw new Failure(
      'input',
      `${this.shownAs}: the file changed while it was being read`,
      'run the command again when no program writes to the file',
      { file: this.shownAs },
    );
  }

  /** The first raw piece. It may be shorter than `pieceBytes`, because one read may return less. */
  async #first(): Promise<Buffer> {
    this.#firstPiece ??= Buffer.from(await this.bytesAt(0, pieceBytes));
    return this.#firstPiece;
  }

  /** Yields the unpacked bytes of the file, which begins with `first`. */
  async *#unpacked(first: Buffer): AsyncGenerator<Bytes> {
    try {
      yield* (await unpack(this.#from(first))).pieces;
    } catch (error) {
      if (!isBrokenGzip(error)) throw this.#unreadable(error);
      yield 'broken-gzip';
    }
  }

  async *#from(first: Buffer): AsyncGenerator<Buffer> {
    if (first.length > 0) yield first;
    if (first.length === this.version.size) return;
    yield* createReadStream(this.path, { start: first.length, highWaterMark: pieceBytes });
  }

  #unreadable(error: unknown): Failure {
    return unreadable(this.shownAs, messageOf(error), 'check the disk, then run the command again', error);
  }
}

export function isBrokenGzip(error: unknown): boolean {
  return systemCodeOf(error)?.startsWith('Z_') === true;
}

export function unreadable(path: string, reason: string, hint: string, cause?: unknown): Failure {
  return new Failure('unreadable-path', `${path || "''"} cannot be read: ${reason}`, hint, {
    file: path,
    cause,
  });
}
