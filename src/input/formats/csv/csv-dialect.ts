import type { Problem } from '../../records/problem.ts';
import { quoteUseOf } from './csv-quotes.ts';
import { RowReader, rowMaximum, type WrittenRow } from './csv-rows.ts';
import { columnNames, isBlankRow, type RowClassifier } from './row-classifier.ts';

/** What a delimited text does throughout: a single row that does otherwise is damaged. */
export interface CsvDialect {
  /** How many cells a record has. */
  readonly width: number;
  /** Whether any cell is quoted; where none is, a quote is a character like others. */
  readonly isQuoting: boolean;
}

/** From how many rows on their agreement says more than their header. */
const rowsAgreeing = 2;

/** What a text has shown until its dialect are asked for. */
export interface SeenRows {
  readonly header: readonly string[];
  /** Its records, of alike ones the last alone. */
  readonly records: readonly (readonly string[])[];
  readonly isQuoting: boolean;
  /** Where the next row stands. */
  readonly places: RowClassifier;
  /** Rows that have come and were not looked at. */
  readonly rows: readonly WrittenRow[];
}

/** What follows: the text of the row that has come in part, and the pieces after it. */
interface FollowingText {
  readonly begun: string;
  readonly text: AsyncIterable<string | Problem>;
}

/**
 * Reads the rest of a text for the dialect of the whole. Records are as wide as the header, unless all of them have one other width: fewer
 * cells, or more that are blank, and no sign that a delimiter within a text has torn it.
 */
export async function detectDialect(
  seen: SeenRows,
  following: FollowingText,
  delimiter: string,
): Promise<CsvDialect> {
  const widths = new Widths(seen.header);
  for (const record of seen.records) widths.add(record);
  let { isQuoting } = seen;
  const take = (row: WrittenRow) => {
    const role = seen.places.take(row);
    isQuoting ||= quoteUseOf(row, delimiter).isQuoting;
    if (role === 'record') widths.add(row.record);
  };
  for (const row of seen.rows) take(row);
  for await (const rows of rowsOf(following, delimiter)) for (const row of rows) take(row);
  return { width: widths.common, isQuoting };
}

/** The rows of a text, as far as they can be told apart. */
async function* rowsOf(
  { begun, text }: FollowingText,
  delimiter: string,
): AsyncGenerator<readonly WrittenRow[]> {
  const reader = new RowReader(delimiter);
  yield await reader.read(begun);
  for await (const piece of text) {
    if (typeof piece !== 'string') break;
    yield await reader.read(piece);
    if (reader.heldLength > rowMaximum) break;
  }
  yield await reader.end({ isCutOff: false });
}

class Widths {
  readonly #header: readonly string[];
  readonly #named: number;
  #width: number | undefined;
  #rows = 0;
  #isRegular = true;
  #thousands: readonly number[] = [];

  constructor(header: readonly string[]) {
    this.#header = header;
    this.#named = columnNames(header).length;
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
