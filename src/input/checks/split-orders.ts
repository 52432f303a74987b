import { IdNumbers } from '../ids/id-numbers.ts';
import type { InputFiles } from '../open/open.ts';
import type { Problem } from '../records/problem.ts';
import { quoted } from '../records/quoted.ts';

/** Lines of one file that are told apart. */
const lineLimit = 2 ** 32;

/**
 * Finds the orders that are in several files of an input whose ids are made with `{n}`. Files that overlap have the same rows, which
 * counted on from one file to the next would be further items.
 */
export class SplitOrders {
  readonly #files: InputFiles['files'];
  /** By order, where it began in the last file that has it. */
  readonly #beginnings = new IdNumbers();

  constructor({ files }: InputFiles) {
    this.#files = files;
  }

  /** Takes a row of `order`; what is wrong where it is the first of it in this file, and another one has it too. */
  find(
    order: string,
    { fileIndex, line }: { readonly fileIndex: number; readonly line: number },
    column: string,
  ): Problem | undefined {
    const isHere = (place: number) => Math.floor(place / lineLimit) === fileIndex;
    const here = fileIndex * lineLimit + line;
    const before = this.#beginnings.put(order, (known = here) => (isHere(known) ? known : here));
    if (before === undefined || isHere(before)) return undefined;
    const other = `${this.#shown(Math.floor(before / lineLimit))}:${before % lineLimit}`;
    return {
      file: this.#shown(fileIndex),
      line,
      column,
      value: quoted(order),
      code: 'order-in-two-files',
      reason: `this order is also in another file, on ${other}, and {n} would count its rows in both as different items`,
      remedy:
        'if the files overlap, push them one after the other: what was sent is skipped; if the order is really split over both, join them into one file',
    };
  }

  #shown(fileIndex: number): string {
    return this.#files[fileIndex]?.shownAs ?? '';
  }
}
