import { IdNumbers } from './id-numbers.ts';

/** Where an id was seen: the index of the file and the line in it. */
export interface Sighting {
  readonly fileIndex: number;
  readonly line: number;
}

/** Lines of one file that are told apart. */
const lineLimit = 2 ** 32;

/** Remembers where ids were first seen, in the memory of `IdNumbers`. */
export class SeenIds {
  readonly #places = new IdNumbers();

  /** Where `id` was seen before; undefined, and remembered, when it is new. Throws `input` when there are too many. */
  add(id: string, fileIndex: number, line: number): Sighting | undefined {
    const before = this.#places.putNew(id, fileIndex * lineLimit + line);
    if (before === undefined) return undefined;
    return { fileIndex: Math.floor(before / lineLimit), line: before % lineLimit };
  }
}
