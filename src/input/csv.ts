import type { InputFile } from './open.ts';
import type { Problem, Row, Stretch } from './place.ts';

/** The longest row, in characters; what is longer is most likely the trace of a quote that was never closed. */
export const rowMaximum = 1_048_576;

const quote = '"';
const quoteCode = 34;
const lineFeed = 10;
const carriageReturn = 13;

export interface CsvShape {
  readonly delimiter: string;
  /** The line on which the header stands; without it the first row that is not blank is the header. */
  readonly headerRow?: number | undefined;
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
  for await (const piece of text) {
    yield typeof piece === 'string' ? table.read(piece, false) : table.stop(piece);
    if (table.isStopped) return;
  }
  yield table.read('', true);
}

/** The rows of `text` as they stand, ragged and blank ones too: what a delimited text says before it has a header. */
export function splitRows(text: string, delimiter: string): string[][] {
  const splitter = new RowSplitter(delimiter);
  splitter.add(text, true);
  const rows: string[][] = [];
  for (let row = splitter.next(); typeof row === 'object'; row = splitter.next()) rows.push(row);
  return rows;
}

class CsvTable {
  readonly #file: string;
  readonly #splitter: RowSplitter;
  readonly #headerRow: number;
  #header: readonly string[] = [];
  #headerLine = 1;
  isStopped = false;

  constructor(file: string, { delimiter, headerRow = 1 }: CsvShape) {
    this.#file = file;
    this.#splitter = new RowSplitter(delimiter);
    this.#headerRow = headerRow;
  }

  /** Takes the next piece of the text and gives the rows that are complete now. */
  read(piece: string, isEnd: boolean): Stretch {
    const rows: Row[] = [];
    const problems: Problem[] = [];
    const splitter = this.#splitter;
    splitter.add(piece, isEnd);
    let cells = splitter.next();
    for (; typeof cells === 'object'; cells = splitter.next()) {
      const line = splitter.rowLine;
      if (isBlankRow(cells) || line < this.#headerRow) continue;
      if (this.#header.length === 0) this.#begin(cells, line);
      else if (hasWidth(cells, this.#header.length)) rows.push({ line, cells });
      else problems.push(this.#ragged(line, cells.length));
    }
    if (cells !== 'incomplete') {
      this.isStopped = true;
      if (cells !== 'end') problems.push(this.#broken(cells, splitter));
      else if (this.#header.length === 0 && this.#headerRow > splitter.line) problems.push(this.#noHeader());
    }
    return this.#stretch(rows, problems);
  }

  stop(problem: Problem): Stretch {
    this.isStopped = true;
    return this.#stretch([], [problem]);
  }

  #begin(header: readonly string[], line: number): void {
    this.#header = namesOf(header);
    this.#headerLine = line;
  }

  #stretch(rows: readonly Row[], problems: readonly Problem[]): Stretch {
    return { header: this.#header, headerLine: this.#headerLine, isHeaderWhole: true, rows, problems };
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
      remedy: 'give the row as many cells as the header, and put cells that hold the delimiter in quotes',
    };
  }

  #broken(code: BrokenRow, { rowLine, line }: RowSplitter): Problem {
    switch (code) {
      case 'unclosed-quote':
        return {
          file: this.#file,
          line: rowLine,
          code,
          reason: 'a quote opened in this row is never closed',
          remedy: 'close the quote; a quote inside a quoted cell is written twice ("")',
        };
      case 'text-after-quote':
        return {
          file: this.#file,
          line,
          code,
          reason: 'text follows the closing quote of a cell',
          remedy:
            'write a quote inside a quoted cell twice (""), or look for an unclosed quote in the rows above',
        };
      case 'row-too-long':
        return {
          file: this.#file,
          line: rowLine,
          code,
          reason: `the row that starts here is longer than ${rowMaximum} characters`,
          remedy: 'look for a quote that is opened and never closed, or shorten the row',
        };
    }
  }
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

type BrokenRow = 'unclosed-quote' | 'text-after-quote' | 'row-too-long';

/** Splits text that comes in pieces into rows of cells; holds no more than one piece and one row. */
class RowSplitter {
  readonly #delimiter: string;
  #text = '';
  #at = 0;
  #isEnd = false;
  /** The line of the row `next` gave last, or choked on. */
  rowLine = 0;
  /** The line the splitter has come to. */
  line = 1;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  add(piece: string, isEnd: boolean): void {
    this.#text = this.#at === this.#text.length ? piece : this.#text.slice(this.#at) + piece;
    this.#at = 0;
    this.#isEnd = isEnd;
  }

  /** The next row; `incomplete` when it needs another piece, `end` after the last one. */
  next(): string[] | 'incomplete' | 'end' | BrokenRow {
    const start = this.#at;
    const startLine = this.line;
    this.rowLine = startLine;
    if (start === this.#text.length) return this.#isEnd ? 'end' : 'incomplete';
    const row = this.#row();
    if (typeof row === 'object') {
      return this.#at - start > rowMaximum ? 'row-too-long' : row;
    }
    if (row !== 'incomplete') return row;
    this.#at = start;
    this.line = startLine;
    if (this.#text.length - start > rowMaximum) return 'row-too-long';
    return this.#isEnd ? 'unclosed-quote' : 'incomplete';
  }

  #row(): string[] | 'incomplete' | 'text-after-quote' {
    const cells: string[] = [];
    const delimiterCode = this.#delimiter.charCodeAt(0);
    for (;;) {
      const cell =
        this.#text.charCodeAt(this.#at) === quoteCode ? this.#quotedCell() : this.#plainCell(delimiterCode);
      if (cell === undefined) return 'incomplete';
      cells.push(cell);
      const code = this.#text.charCodeAt(this.#at);
      this.#at += 1;
      if (code === delimiterCode) continue;
      if (this.#at > this.#text.length) {
        this.#at = this.#text.length;
        return this.#isEnd ? cells : 'incomplete';
      }
      if (code === carriageReturn) {
        if (this.#text.charCodeAt(this.#at) === lineFeed) this.#at += 1;
      } else if (code !== lineFeed) {
        return 'text-after-quote';
      }
      this.line += 1;
      return cells;
    }
  }

  #plainCell(delimiterCode: number): string {
    const start = this.#at;
    const text = this.#text;
    let at = start;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === delimiterCode || code === lineFeed || code === carriageReturn) break;
    }
    this.#at = at;
    return text.slice(start, at);
  }

  /** Undefined when its end is not in the text yet. */
  #quotedCell(): string | undefined {
    const start = this.#at + 1;
    let end = this.#text.indexOf(quote, start);
    let hasDoubled = false;
    while (end !== -1 && this.#text.charCodeAt(end + 1) === quoteCode) {
      hasDoubled = true;
      end = this.#text.indexOf(quote, end + 2);
    }
    if (end === -1 || (end === this.#text.length - 1 && !this.#isEnd)) return undefined;
    this.#at = end + 1;
    const cell = this.#text.slice(start, end);
    this.line += countLineEnds(cell);
    return hasDoubled ? cell.replaceAll('""', quote) : cell;
  }
}

function countLineEnds(text: string): number {
  if (!text.includes('\n') && !text.includes('\r')) return 0;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === lineFeed || (code === carriageReturn && text.charCodeAt(at + 1) !== lineFeed)) count += 1;
  }
  return count;
}
