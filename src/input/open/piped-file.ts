import { createWriteStream, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { addAbortSignal, PassThrough, pipeline } from 'node:stream';
import { pipeline as pipelineDone } from 'node:stream/promises';
import { isNoSpace } from '../../base/disk-full.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import type { Encoding } from '../records/options.ts';
import { pieceBytes, type Unpacked, unpack } from './bytes.ts';
import { type Bytes, DiskFile, type InputFile, isBrokenGzip, unreadable } from './input-file.ts';

/** The name and source of a pipe, and the path for a private copy. */
interface PipedFileOptions {
  readonly shownAs: string;
  readonly stopping: AbortSignal;
  readonly open: () => NodeJS.ReadableStream | AsyncIterable<Uint8Array>;
  readonly pathOfCopy: () => string;
}

/** Standard input, a pipe or a device. It is opened on first use and can be read only once. */
export class PipedFile implements InputFile {
  readonly shownAs: string;
  readonly stopping: AbortSignal;
  encoding: Encoding = 'utf-8';
  readonly #options: PipedFileOptions;
  #stream: PassThrough | undefined;
  #unpacked: Promise<Unpacked> | undefined;
  /** Pieces peeked but not yet read. */
  readonly #held: Bytes[] = [];
  #isRead = false;
  #copy: DiskFile | undefined;

  constructor(options: PipedFileOptions) {
    this.shownAs = options.shownAs;
    this.stopping = options.stopping;
    this.#options = options;
  }

  async isPacked(): Promise<boolean> {
    return (await this.#open()).isPacked;
  }

  async *peek(): AsyncGenerator<Bytes> {
    if (this.#copy !== undefined) {
      yield* this.#copy.peek();
      return;
    }
    for (let at = 0; ; at += 1) {
      const piece = this.#held[at] ?? (await this.#next());
      if (piece === undefined) return;
      if (at === this.#held.length) this.#held.push(piece);
      yield piece;
    }
  }

  async *read(): AsyncGenerator<Bytes> {
    if (this.#copy !== undefined) {
      yield* this.#copy.read();
      return;
    }
    if (this.#isRead) throw new Error(`${this.shownAs} can be read once, and has been read`);
    this.#isRead = true;
    for (;;) {
      const piece = this.#held.shift() ?? (await this.#next());
      if (piece === undefined) return;
      yield piece;
    }
  }

  async onDisk(): Promise<DiskFile> {
    this.#copy ??= await this.#keep();
    return this.#copy;
  }

  close(): void {
    this.#stream?.destroy();
  }

  /** Copies the raw bytes if nothing was read yet, else the unpacked ones. */
  async #keep(): Promise<DiskFile> {
    const path = this.#options.pathOfCopy();
    const bytes = this.#unpacked === undefined ? this.#connect() : wholePieces(this.read());
    try {
      await pipelineDone(bytes, createWriteStream(path, { fd: openSync(path, 'wx', 0o600) }));
    } catch (error) {
      const hint = `free some room in ${tmpdir()}, or name a file instead`;
      throw this.#failure(error, `it could not be copied: ${reasonOf(error)}`, hint);
    }
    return new DiskFile(this, path, await stat(path));
  }

  /** The next piece; undefined at the end. */
  async #next(): Promise<Bytes | undefined> {
    try {
      const { pieces } = await this.#open();
      const { done, value } = await pieces.next();
      return done ? undefined : value;
    } catch (error) {
      if (isBrokenGzip(error)) return 'broken-gzip';
      throw this.#failure(
        error,
        messageOf(error),
        'check the program that writes to it, or name a file instead',
      );
    }
  }

  #open(): Promise<Unpacked> {
    this.#unpacked ??= unpack(this.#connect());
    return this.#unpacked;
  }

  #connect(): PassThrough {
    this.#stream = new PassThrough({ highWaterMark: pieceBytes });
    addAbortSignal(this.stopping, this.#stream);
    // Reading the second stream throws the errors of both.
    return pipeline(this.#options.open(), this.#stream, () => undefined);
  }

  #failure(error: unknown, reason: string, hint: string): unknown {
    if (this.stopping.aborted) return this.stopping.reason;
    if (error instanceof Failure) return error;
    return unreadable(this.shownAs, reason, hint, error);
  }
}

function reasonOf(error: unknown): string {
  return isNoSpace(error) ? 'the disk is full' : messageOf(error);
}

async function* wholePieces(pieces: AsyncIterable<Bytes>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) if (piece !== 'broken-gzip') yield piece;
}
