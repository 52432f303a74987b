import { countLineEnds, decodeText } from '../open/decode.ts';
import type { Bytes, InputFile } from '../open/input-file.ts';
import { type Refusal, refuse } from '../records/cell.ts';
import type { InputOptions } from '../records/options.ts';
import type { Fault } from '../records/problem.ts';
import { rowMaximum } from './csv/csv-rows.ts';
import { asCsv } from './sniff.ts';

/**
 * Converts the table of an HTML file to CSV with all cells quoted. The text ends with a problem unless the file has
 * exactly one table, in which no cell spans several rows or columns.
 */
export async function* htmlText(
  file: InputFile,
  bytes: AsyncIterable<Bytes>,
  options: Pick<InputOptions, 'encoding'>,
): AsyncGenerator<string | Fault> {
  const { Parser } = await import('htmlparser2');
  const table = new HtmlTable(file);
  const parser = new Parser(table);
  for await (const piece of decodeText(file, bytes, options)) {
    if (typeof piece === 'string') parser.write(piece);
    yield* table.flush(piece);
    if (typeof piece !== 'string' || table.problem !== undefined) return;
  }
  // Ending the parser would close open elements, as if the file were complete.
  table.end();
  yield* table.flush('');
}

/** Elements that begin a new line within a cell. */
const lineElements = /^(?:br|p|div|li)$/;
/** Elements whose text is code, which browsers do not show. */
const codeElements = /^(?:script|style)$/;

/** Collects the rows of a file's table from the events of the parser. */
class HtmlTable {
  readonly #file: InputFile;
  /** Rows not yet returned, as CSV. */
  #text = '';
  /** Line of the CSV text on which the open row begins. */
  #line = 1;
  #cells: string[] = [];
  #cell: string | undefined;
  #hasSpan = false;
  /** True if part of the open row is hidden. */
  #isHidden = false;
  #isCode = false;
  #openTables = 0;
  /** Characters read since the end of the last row. */
  #sinceRow = 0;
  problem: Fault | undefined;

  constructor(file: InputFile) {
    this.#file = file;
  }

  onopentag(
    name: string,
    { rowspan = '1', colspan = '1', style = '' }: Readonly<Record<string, string>>,
  ): void {
    this.#isHidden ||= /display:\s*none/i.test(style);
    if (this.#cell !== undefined) {
      this.#isCode = codeElements.test(name);
      if (lineElements.test(name)) this.#cell += '\n';
    }
    if (name === 'table') {
      this.#openTables += 1;
      if (this.#openTables > 1 || this.#line > 1) this.#refuse(severalTables);
    }
    if (this.#openTables > 0 && (name === 'td' || name === 'th')) {
      this.#cell = '';
      this.#hasSpan ||= rowspan !== '1' || colspan !== '1';
    }
  }

  ontext(text: string): void {
    if (this.#cell !== undefined && !this.#isCode) this.#cell += text.replace(/\s/g, ' ');
  }

  onclosetag(name: string): void {
    this.#isCode = false;
    if (name === 'table') this.#openTables -= 1;
    if ((name === 'td' || name === 'th') && this.#cell !== undefined) {
      this.#cells.push(shownText(this.#cell));
      this.#cell = undefined;
    }
    if (name === 'tr') this.#endRow();
  }

  /** Refuses a file that ends within its table or has no table. */
  end(): void {
    if (this.#openTables > 0) this.#refuse(cutShort);
    else if (this.#line === 1) this.#refuse(noTable);
  }

  /** Returns the rows completed by a piece, and the problem that ends the text. */
  *flush(piece: string | Fault): Generator<string | Fault> {
    const text = this.#text;
    this.#text = '';
    this.#sinceRow = text === '' ? this.#sinceRow + (typeof piece === 'string' ? piece.length : 0) : 0;
    if (this.#sinceRow > rowMaximum) this.#refuse(endlessRow);
    if (text !== '') yield text;
    if (this.problem !== undefined) yield this.problem;
    else if (typeof piece !== 'string') yield piece;
  }

  #endRow(): void {
    // A title over the whole table is a row of one cell.
    if (this.#hasSpan && this.#cells.length > 1) this.#refuse(spans);
    if (this.problem !== undefined || this.#cells.length === 0) return;
    const row = `${this.#cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`;
    this.#text += row;
    this.#line += countLineEnds(row);
    if (this.#isHidden && this.#cells.some(Boolean)) this.#file.hasHiddenCells = true;
    this.#cells = [];
    this.#hasSpan = false;
    this.#isHidden = false;
  }

  #refuse(why: Refusal): void {
    this.problem ??= { line: this.#line, ...why };
  }
}

/** A text as a browser shows it: runs of spaces collapse, and only elements break lines. */
function shownText(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/ +/g, ' ').trim())
    .join('\n')
    .trim();
}

const noTable = refuse(
  'html-table',
  'this is a web page (HTML) without a table, such as an error or login page',
  'open it in a browser to see what it says, then export the file again',
);

const cutShort = refuse(
  'html-table',
  'the file is cut short: it ends within the table',
  'export or copy it again',
);

const severalTables = refuse(
  'html-table',
  'this is a web page (HTML) with several tables, so it is unclear which of them contains the records',
  `${asCsv}, without the other tables`,
);

const spans = refuse(
  'html-table',
  'cells of this row span several rows or columns (rowspan, colspan), so it is unclear where they belong',
  `${asCsv}, with one value in each cell`,
);

const endlessRow = refuse(
  'row-too-long',
  `the row that starts here is longer than ${rowMaximum} characters`,
  'export the file again: it may have been cut off or damaged',
);
