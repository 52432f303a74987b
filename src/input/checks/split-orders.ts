import { IdNumbers } from '../../base/id-set.ts';
import type { InputFiles } from '../open/open.ts';
import { quoted } from '../records/cell.ts';
import type { Problem } from '../records/problem.ts';

/** More than the lines of any file. */
const lineLimit = 2 ** 32;

/**
 * Finds orders that occur in several files of an input whose ids are made with `{n}`. Overlapping files have the same
 * rows, which would be numbered as further items.
 */
export class SplitOrders {
  readonly #files: InputFiles['files'];
  /** By order, its first line in the last file that has it. */
  readonly #beginnings = new IdNumbers();

  constructor({ files }: InputFiles) {
    this.#files = files;
  }

  /**
   * Adds a row of `order`; returns a problem if it is the order's first row in this file and another file has the
   * order.
   */
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
      reason:
        `this order is also in another file, on ${other}, and {n} would count its rows in both as ` +
        'different items',
      remedy:
        'if the files overlap, push them one after the other: records already sent are skipped; ' +
        'if the order is really split over both, join them into one file',
    };
  }

  #shown(fileIndex: number): string {
    return this.#files[fileIndex]?.shownAs ?? '';
  }
}
