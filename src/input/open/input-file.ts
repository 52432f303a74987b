import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Failure, messageOf, systemCodeOf } from '../../base/failure.ts';
import type { Encoding } from '../records/options.ts';
import { isGzip, pieceBytes, unpack } from './bytes.ts';

/** A piece of the bytes of a file, 64 KiB but for the last; `broken-gzip` comes last where packed data is damaged or cut short. */
export type Bytes = Buffer | 'broken-gzip';

/**
 * A file of the input. What gzip packed, whatever its name, is unpacked piece by piece, so that memory is the same however much comes
 * out. All reading throws `unreadable-path` where disk or pipe fails, and `input` for a file that changed since it was opened.
 */
export interface InputFile {
  /** The path as typed. */
  readonly shownAs: string;
  /** Aborted where the input need not be looked at any more; the passes over it before anything is sent throw its reason. */
  readonly stopping: AbortSignal;
  /** How its text is encoded, as far as it was read: UTF-8 while all of it was ASCII. */
  encoding: Encoding;
  /** Whether the bytes come from a pipe, and once. */
  readonly isReadOnce: boolean;
  isPacked(): Promise<boolean>;
  /** What `read` gives, from its beginning, as often as there are questions about it; what is looked at is held until it is read. */
  peek(): AsyncGenerator<Bytes>;
  /** All bytes; where they come from a pipe, once. */
  read(): AsyncGenerator<Bytes>;
  /** The file where it can be read anywhere and as often as needed; bytes of a pipe are copied to a private file. */
  onDisk(): Promise<DiskFile>;
}

/** What tells that a file is still the one that was opened. */
interface FileVersion {
  readonly size: number;
  readonly modifiedMs: number;
  readonly inode: number;
}

export class DiskFile implements InputFile {
  readonly shownAs: string;
  readonly stopping: AbortSignal;
  readonly path: string;
  readonly version: FileVersion;
  readonly isReadOnce = false;
  encoding: Encoding = 'utf-8';

  static async open(
    { shownAs, stopping }: Pick<InputFile, 'shownAs' | 'stopping'>,
    path: string,
  ): Promise<DiskFile> {
    return new DiskFile({ shownAs, stopping, path, version: await versionOf(path) });
  }

  private constructor({
    shownAs,
    stopping,
    path,
    version,
  }: Pick<DiskFile, 'shownAs' | 'stopping' | 'path' | 'version'>) {
    this.shownAs = shownAs;
    this.stopping = stopping;
    this.path = path;
    this.version = version;
  }

  async isPacked(): Promise<boolean> {
    return isGzip(await this.bytesAt(0, pieceBytes));
  }

  peek(): AsyncGenerator<Bytes> {
    return this.read();
  }

  async *read(): AsyncGenerator<Bytes> {
    await this.checkUnchanged();
    try {
      const stream = createReadStream(this.path, { highWaterMark: pieceBytes });
      yield* (await unpack(stream)).pieces;
    } catch (error) {
      if (!isBrokenGzip(error)) throw this.#unreadable(error);
      yield 'broken-gzip';
      return;
    }
    await this.checkUnchanged();
  }

  async onDisk(): Promise<DiskFile> {
    return this;
  }

  /** The `length` bytes from `start` on, as they are; fewer where the file ends before. */
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

  /** Throws `input` when the file is no longer the one that was opened. */
  async checkUnchanged(): Promise<void> {
    const now = await versionOf(this.path).catch(() => undefined);
    const { size, modifiedMs, inode } = this.version;
    if (now?.size === size && now.modifiedMs === modifiedMs && now.inode === inode) return;
    throw new Failure(
      'input',
      `${this.shownAs}: the file changed while it was being read`,
      'run the command again when nothing writes to the file any more',
      { file: this.shownAs },
    );
  }

  #unreadable(error: unknown): Failure {
    return unreadable(this.shownAs, messageOf(error), 'check the disk, then run the command again', error);
  }
}

async function versionOf(path: string): Promise<FileVersion> {
  const { size, mtimeMs, ino } = await stat(path);
  return { size, modifiedMs: mtimeMs, inode: ino };
}

export function isBrokenGzip(error: unknown): boolean {
  return systemCodeOf(error)?.startsWith('Z_') === true;
}

export function unreadable(path: string, reason: string, hint: string, cause?: unknown): Failure {
  return new Failure('unreadable-path', `${path} cannot be read: ${reason}`, hint, { file: path, cause });
}
