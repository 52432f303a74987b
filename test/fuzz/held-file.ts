import { statSync } from 'node:fs';
import { devNull } from 'node:os';
import { isGzip, unpack } from '../../src/input/open/bytes.ts';
import { type Bytes, DiskFile, type InputFile, isBrokenGzip } from '../../src/input/open/input-file.ts';
import type { Encoding } from '../../src/input/records/options.ts';

/** A file in memory, so that no read waits for a disk. */
export class HeldFile implements InputFile {
  readonly shownAs: string;
  readonly stopping = new AbortController().signal;
  encoding: Encoding = 'utf-8';
  readonly #content: Buffer;

  constructor(shownAs: string, content: Buffer) {
    this.shownAs = shownAs;
    this.#content = content;
  }

  async isPacked(): Promise<boolean> {
    return isGzip(this.#content);
  }

  async *peek(): AsyncGenerator<Bytes> {
    try {
      yield* (await unpack(this.#pieces())).pieces;
    } catch (error) {
      if (!isBrokenGzip(error)) throw error;
      yield 'broken-gzip';
    }
  }

  read(): AsyncGenerator<Bytes> {
    return this.peek();
  }

  async onDisk(): Promise<DiskFile> {
    const content = this.#content;
    return Object.assign(
      new DiskFile(this, devNull, Object.assign(statSync(devNull), { size: content.length })),
      {
        bytesAt: async (start: number, length: number) => content.subarray(start, start + length),
        checkUnchanged: async () => undefined,
      },
    );
  }

  async *#pieces(): AsyncGenerator<Buffer> {
    if (this.#content.length > 0) yield this.#content;
  }
}
