import { tmpdir } from 'node:os';
import { Spool } from '../../base/spool.ts';
import type { InputOptions } from '../records/options.ts';
import type { Problem } from '../records/problem.ts';
import { decodeText } from './decode.ts';
import type { Bytes, InputFile } from './input-file.ts';

type Piece = string | Problem;
type TextOptions = Pick<InputOptions, 'encoding' | 'spoolFolder'>;

/** A text in pieces, which can be looked ahead. */
export type TextPieces = Pick<FileText, 'ahead' | typeof Symbol.asyncIterator>;

/** A text of which nothing follows its first piece. */
export function onePiece(piece: string): TextPieces {
  return {
    [Symbol.asyncIterator]: async function* () {
      yield piece;
    },
    ahead: async function* () {},
  };
}

/** Converts the bytes of a file to text. */
type ReadText = (file: InputFile, bytes: AsyncIterable<Bytes>, choice: TextOptions) => AsyncGenerator<Piece>;

/** The text of a file, read once from beginning to end. */
export class FileText implements AsyncIterable<Piece> {
  readonly #file: InputFile;
  readonly #choice: TextOptions;
  readonly #read: ReadText;
  readonly #source: AsyncGenerator<Piece>;
  /** Pieces that `ahead` has read before their turn. */
  #spool: Spool | undefined;
  #problem: Problem | undefined;
  #givenCount = 0;

  constructor(file: InputFile, choice: TextOptions, read: ReadText = decodeText) {
    this.#file = file;
    this.#choice = choice;
    this.#read = read;
    this.#source = read(file, file.read(), choice);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Piece> {
    try {
      while (this.#spool === undefined) {
        const piece = await this.#next();
        if (piece === undefined) return;
        this.#givenCount += 1;
        yield piece;
      }
      for await (const { columns } of this.#spool.batches()) yield* columns[0] ?? [];
      if (this.#problem !== undefined) yield this.#problem;
      yield* this.#source;
    } finally {
      this.#spool?.close();
      await this.#source.return(undefined);
    }
  }

  /**
   * The pieces that have not been given yet, which will still be given later; may be called once. A file is read a
   * second time for this; the pieces of a pipe are kept in a spool.
   */
  async *ahead(): AsyncGenerator<Piece> {
    if (!this.#file.isReadOnce) {
      let passed = 0;
      for await (const piece of this.#read(this.#file, this.#file.read(), this.#choice)) {
        if (passed >= this.#givenCount) yield piece;
        passed += 1;
      }
      return;
    }
    this.#spool = new Spool(this.#choice.spoolFolder ?? tmpdir());
    for (let piece = await this.#next(); piece !== undefined; piece = await this.#next()) {
      if (typeof piece === 'string') this.#spool.add({ file: '', lines: [1], columns: [[piece]] });
      else this.#problem = piece;
      yield piece;
    }
  }

  async #next(): Promise<Piece | undefined> {
    const { done, value } = await this.#source.next();
    return done ? undefined : value;
  }
}
