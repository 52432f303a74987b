import { countLineEnds, countLines, misclosedQuoteAt, RowReader, type WrittenRow } from './csv-rows.ts';
import type { InputFile } from './open.ts';
import type { Problem, Row, Stretch, Writing } from './place.ts';

/** The longest row, in characters; what is longer is most likely the trace of a quote that was never closed. */
export const rowMaximum = 1_048_576;

export interface CsvShape {
  readonly delimiter: string;
  /** The line on which the header stands; without it the first row that is not blank is the header. */
  readonly headerRow?: number | undefined;
  /** How many rows right below the header are no records. */
  readonly guideRows?: number | undefined;
  /** How the text is written, but for its header; where given, rows come with their text. */
  readonly writing?: Writing | undefined;
}

/**
 * The rows of a delimited text (RFC 4180; lines end with LF, CR LF or CR, also mixed). Blank rows are passed over. A quote
 * opens a quoted cell only as its first character, so `="007"` and `5" pipe` are plain cells. A row with other cells
 * than the header is a problem and reading goes on; a broken quote or an endless row is one that ends it.
 */
export async function* readCsv(
  file: InputFile,
  text: AsyncIterable<string | Problem>,
  shape: CsvShape,
): AsyncGenerator<Stretch> {
  const table = new CsvTable(file.shownAs, shape);
  const reader = new RowReader(shape.delimiter);
  for await (const piece of text) {
    if (typeof piece !== 'string') {
      yield table.end(await reader.end({ isCutOff: true }), piece);
      return;
    }
    yield table.take(await reader.read(piece), reader.heldLength);
    if (table.isStopped) return;
  }
  const rows = await reader.end({ isCutOff: false });
  yield table.end(rows, reader.isUnclosed ? 'unclosed-quote' : undefined);
}

class CsvTable {
  readonly #file: string;
  readonly #delimiter: string;
  readonly #headerRow: number;
  #guideRows: number;
  #writing: Writing | undefined;
  #header: readonly string[] = [];
  #headerLine = 1;
  #hasFitting = false;
  /** The line after the last row. */
  #line = 1;
  #rows: Row[] = [];
  #unread: Row[] = [];
  #problems: Problem[] = [];
  isStopped = false;

  constructor(file: string, { delimiter, headerRow = 1, guideRows = 0, writing }: CsvShape) {
    this.#file = file;
    this.#delimiter = delimiter;
    this.#headerRow = headerRow;
    this.#guideRows = guideRows;
    this.#writing = writing;
  }

  /** Takes the next rows; of the one after them at least `heldLength` characters have come. */
  take(rows: readonly WrittenRow[], heldLength: number): Stretch {
    this.#addAll(rows);
    if (heldLength > rowMaximum) this.#stop(this.#broken('row-too-long', this.#line));
    return this.#stretch();
  }

  /** Takes the last rows, and what kept the text from being read further. */
  end(rows: readonly WrittenRow[], fault: 'unclosed-quote' | Problem | undefined): Stretch {
    this.#addAll(rows);
    if (fault === 'unclosed-quote') this.#stop(this.#broken(fault, this.#line));
    else if (fault !== undefined) this.#stop(fault);
    else if (this.#isBeforeHeader()) this.#stop(this.#noHeader());
    return this.#stretch();
  }

  #addAll(rows: readonly WrittenRow[]): void {
    for (const row of rows) {
      if (this.isStopped) return;
      this.#add(row);
    }
  }

  #add(row: WrittenRow): void {
    const { record: cells } = row;
    const line = this.#line;
    const broken = this.#breakIn(row);
    if (broken) {
      this.#stop(broken);
      return;
    }
    this.#line += countLines(row);
    if (this.#isAboveRecords()) this.#keepHeader(row);
    if (line < this.#headerRow || isBlankRow(cells)) return;
    if (this.#header.length === 0) this.#begin(cells, line);
    else if (this.#guideRows > 0) this.#guideRows -= 1;
    else if (hasWidth(cells, this.#header.length)) {
      this.#hasFitting = true;
      this.#rows.push(this.#row(line, row));
    } else {
      this.#problems.push(this.#ragged(line, cells.length));
      if (this.#writing) this.#unread.push(this.#row(line, row));
    }
  }

  #row(line: number, { record: cells, raw }: WrittenRow): Row {
    return this.#writing ? { line, cells, raw: withoutLineEnd(raw) } : { line, cells };
  }

  #isAboveRecords(): boolean {
    return this.#header.length === 0 || this.#guideRows > 0;
  }

  #keepHeader({ raw }: WrittenRow): void {
    if (!this.#writing) return;
    const { header, lineEnd } = this.#writing;
    this.#writing = { ...this.#writing, header: header + withoutLineEnd(raw) + lineEnd };
  }

  #breakIn(row: WrittenRow): Problem | undefined {
    if (row.raw.length > rowMaximum) return this.#broken('row-too-long', this.#line);
    const misclosed = misclosedQuoteAt(row, this.#delimiter);
    if (misclosed === -1) return undefined;
    return this.#broken('text-after-quote', this.#line + countLineEnds(row.raw.slice(0, misclosed)));
  }

  #begin(header: readonly string[], line: number): void {
    this.#header = namesOf(header);
    this.#headerLine = line;
  }

  /** Whether the rows ended before the line of the header came. */
  #isBeforeHeader(): boolean {
    return this.#headerRow > 1 && this.#headerRow >= this.#line;
  }

  #stop(problem: Problem): void {
    this.isStopped = true;
    this.#problems.push(problem);
  }

  /** What came since the last stretch. */
  #stretch(): Stretch {
    const [rows, problems, unread] = [this.#rows, this.#problems, this.#unread];
    this.#rows = [];
    this.#problems = [];
    this.#unread = [];
    return {
      header: this.#header,
      headerLine: this.#headerLine,
      isHeaderWhole: true,
      rows,
      problems,
      isBroken: this.isStopped,
      ...(this.#writing && { unread, writing: this.#writing }),
    };
  }

  #noHeader(): Problem {
    return {
      file: this.#file,
      code: 'no-header',
      reason: `the file ends before line ${this.#headerRow}, where its header should be`,
      remedy: 'give --header-row the line of the header, counted from 1',
    };
  }

  #ragged(line: number, width: number): Problem {
    return {
      file: this.#file,
      line,
      code: 'ragged-row',
      reason: `this row has ${width === 1 ? '1 cell' : `${width} cells`}, the header has ${this.#header.length}`,
      remedy: this.#mayBeHeader(line, width)
        ? `if line ${line} is the header, below a title, add --header-row ${line}; otherwise ${evenOut}`
        : evenOut,
    };
  }

  /** Whether what was taken for the header may be a title: few cells, and no row under it fits before this wider one. */
  #mayBeHeader(line: number, width: number): boolean {
    const isNear = line - this.#headerLine <= titleRowsMaximum;
    return isNear && width > this.#header.length && (!this.#hasFitting || this.#header.length === 1);
  }

  #broken(code: BrokenRow, line: number): Problem {
    return { file: this.#file, line, code, ...brokenRows[code] };
  }
}

/** How far below a title the header is looked for, in lines. */
const titleRowsMaximum = 20;
const evenOut = 'give the row as many cells as the header, and put cells that hold the delimiter in quotes';

const brokenRows = {
  'unclosed-quote': {
    reason: 'a quote opened in this row is never closed',
    remedy: 'close the quote; a quote inside a quoted cell is written twice ("")',
  },
  'text-after-quote': {
    reason: 'text follows the closing quote of a cell',
    remedy: 'write a quote inside a quoted cell twice (""), or look for an unclosed quote in the rows above',
  },
  'row-too-long': {
    reason: `the row that starts here is longer than ${rowMaximum} characters`,
    remedy: 'look for a quote that is opened and never closed, or shorten the row',
  },
} as const;

type BrokenRow = keyof typeof brokenRows;

function withoutLineEnd(raw: string): string {
  return raw.replace(/(?:\r\n|\n|\r)$/, '');
}

/** The names of the columns; blank ones at the end are the trace of an empty spreadsheet column. */
function namesOf(cells: readonly string[]): string[] {
  const names = cells.map((name) => name.trim());
  while (names.at(-1) === '') names.pop();
  return names;
}

function isBlankRow(cells: readonly string[]): boolean {
  return cells.every((cell) => cell === '' || cell.trim() === '');
}

/** Whether a row fits the header: cells beyond it may only be blank. */
function hasWidth(cells: readonly string[], width: number): boolean {
  return cells.length === width || (cells.length > width && isBlankRow(cells.slice(width)));
}
