import { isBlankRow, namesOf, type RowPlaces } from './csv-places.ts';
import { quoteUseOf } from './csv-quotes.ts';
import { RowReader, rowMaximum, type WrittenRow } from './csv-rows.ts';
import type { Problem } from './place.ts';

/** What a delimited text does throughout: a single row that does otherwise is damaged. */
export interface CsvHabits {
  /** How many cells a record has. */
  readonly width: number;
  /** Whether any cell is quoted; where none is, a quote is a character like others. */
  readonly isQuoting: boolean;
}

/** From how many rows on their agreement says more than their header. */
const rowsAgreeing = 2;

/**
 * Reads the whole text for its habits. Records are as wide as the header, unless all of them have one other width: fewer
 * cells, or more that are blank, and no sign that a delimiter within a text has torn it.
 */
export async function findHabits(
  text: AsyncIterable<string | Problem>,
  delimiter: string,
  places: RowPlaces,
): Promise<CsvHabits> {
  const widths = new Widths();
  let isQuoting = false;
  for await (const rows of rowsOf(text, delimiter)) {
    for (const row of rows) {
      const role = places.take(row);
      isQuoting ||= role !== 'above' && quoteUseOf(row, delimiter).isQuoting;
      if (role === 'header') widths.begin(row.record);
      else if (role === 'record') widths.add(row.record);
    }
  }
  return { width: widths.common, isQuoting };
}

/** The rows of a text, as far as they can be told apart. */
async function* rowsOf(
  text: AsyncIterable<string | Problem>,
  delimiter: string,
): AsyncGenerator<readonly WrittenRow[]> {
  const reader = new RowReader(delimiter);
  for await (const piece of text) {
    if (typeof piece !== 'string') break;
    yield await reader.read(piece);
    if (reader.heldLength > rowMaximum) break;
  }
  yield await reader.end({ isCutOff: false });
}

class Widths {
  #header: readonly string[] = [];
  #named = 0;
  #width: number | undefined;
  #rows = 0;
  #isRegular = true;
  #thousands: readonly number[] = [];

  begin(header: readonly string[]): void {
    this.#header = header;
    this.#named = namesOf(header).length;
  }

  add(cells: readonly string[]): void {
    if (!this.#isRegular) return;
    this.#width ??= cells.length;
    const thousands = thousandsIn(cells);
    this.#thousands = this.#rows === 0 ? thousands : this.#thousands.filter((at) => thousands.includes(at));
    this.#rows += 1;
    const isSurplusBlank = isBlankRow(cells.slice(this.#named));
    this.#isRegular = cells.length === this.#width && isSurplusBlank && !this.#isTorn(cells);
  }

  get common(): number {
    const { length } = this.#header;
    const isAgreed = this.#isRegular && this.#rows >= rowsAgreeing && this.#thousands.length === 0;
    return isAgreed ? (this.#width ?? length) : length;
  }

  /** Whether a cell begins like the rest of a sentence, `Mug` and ` blue`, and the headers do not. */
  #isTorn(cells: readonly string[]): boolean {
    return cells.length > this.#named && cells.some(isRestOfText) && !this.#header.some(isRestOfText);
  }
}

function isRestOfText(cell: string): boolean {
  return /^ \S/.test(cell);
}

/** Where two cells look like one amount in the English way, `12` and `900`. */
function thousandsIn(cells: readonly string[]): number[] {
  return [...cells.keys()].filter(
    (at) => /^\d{1,3}$/.test(cells[at] ?? '') && /^\d{3}$/.test(cells[at + 1] ?? ''),
  );
}
