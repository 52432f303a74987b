import { columnNames } from '../../records/headers.ts';
import type { Problem } from '../../records/problem.ts';
import {
  type CsvRow,
  isBlankRow,
  quoteUseOf,
  type RowClassifier,
  RowReader,
  rowMaximum,
} from './csv-rows.ts';

/** The form of the rows of a delimited text; a row that deviates from it is damaged. */
export interface CsvDialect {
  /** The number of cells of a record. */
  readonly width: number;
  /** Whether any cell is quoted; if none is, quotes are ordinary characters. */
  readonly isQuoting: boolean;
}

/** From this many rows on, a common width takes precedence over that of the header. */
const rowsAgreeing = 2;

/** What is known of a text when its dialect is needed. */
export interface SeenRows {
  readonly header: readonly string[];
  /** Its records; of equally wide ones only the last. */
  readonly records: readonly (readonly string[])[];
  readonly isQuoting: boolean;
  /** Classifies the rows from the next one on. */
  readonly classifier: RowClassifier;
  /** Rows that have been read but not examined. */
  readonly rows: readonly CsvRow[];
}

/** The rest of the text: the incomplete row, and the pieces after it. */
interface FollowingText {
  readonly begun: string;
  /** The line on which that row starts. */
  readonly line: number;
  readonly text: AsyncIterable<string | Problem>;
}

/**
 * Detects the dialect of the whole text by reading its rest. Records are as wide as the header, unless all of them have
 * another width: fewer cells, or more that are blank, with no sign of an unquoted delimiter within a text.
 */
export async function detectDialect(
  seen: SeenRows,
  following: FollowingText,
  delimiter: string,
): Promise<CsvDialect> {
  const widths = new Widths(seen.header);
  for (const record of seen.records) widths.add(record);
  let { isQuoting } = seen;
  const take = (row: CsvRow) => {
    const role = seen.classifier.take(row);
    isQuoting ||= quoteUseOf(row, delimiter).isQuoting;
    if (role === 'record') widths.add(row.cells);
  };
  for (const row of seen.rows) take(row);
  for await (const rows of rowsOf(following, delimiter)) for (const row of rows) take(row);
  return { width: widths.common, isQuoting };
}

/** The rows of a text, as far as they can be parsed. */
async function* rowsOf(
  { begun, line, text }: FollowingText,
  delimiter: string,
): AsyncGenerator<readonly CsvRow[]> {
  const reader = new RowReader(delimiter, line);
  yield await reader.read(begun);
  for await (const piece of text) {
    if (typeof piece !== 'string') break;
    yield await reader.read(piece);
    if (reader.heldText.length > rowMaximum) break;
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

  /** Whether a cell begins like the rest of a sentence (`Mug` and ` blue`), and no header does. */
  #isTorn(cells: readonly string[]): boolean {
    return cells.length > this.#named && cells.some(isRestOfText) && !this.#header.some(isRestOfText);
  }
}

function isRestOfText(cell: string): boolean {
  return /^ \S/.test(cell);
}

/** The indexes at which two cells look like one amount with a thousands separator, `12` and `900`. */
function thousandsIn(cells: readonly string[]): number[] {
  return [...cells.keys()].filter(
    (at) => /^\d{1,3}$/.test(cells[at] ?? '') && /^\d{3}$/.test(cells[at + 1] ?? ''),
  );
}
