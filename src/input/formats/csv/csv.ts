import { liveCell } from '../../../base/csv-row.ts';
import { countLineEnds } from '../../open/decode.ts';
import { columnNames } from '../../records/headers.ts';
import type { Fault } from '../../records/problem.ts';
import { type InputRow, type RowBatch, reasonIn, type SourceFormat } from '../../records/row-batch.ts';
import type { Delimited, HeaderShape } from '../format.ts';
import {
  namelessCell,
  noHeader,
  raggedRow,
  rowTooLong,
  strayQuote,
  textAfterQuote,
  unclosedQuote,
} from './csv-problems.ts';
import {
  areTornText,
  areUnpaired,
  type CsvRow,
  isBlankRow,
  noQuotes,
  type QuoteUse,
  quoteUseOf,
  RowReader,
  rowMaximum,
} from './csv-rows.ts';

interface CsvShape extends Pick<Delimited, 'delimiter'>, Partial<Pick<Delimited, 'firstLine'> & HeaderShape> {
  /** The format of the text, without its header. If given, rows keep their text. */
  readonly sourceFormat?: SourceFormat | undefined;
}

/**
 * Reads the rows of a delimited text (RFC 4180; lines end with LF, CR LF or CR, also mixed). Skips blank rows. A quote
 * opens a quoted cell only as its first character, so `="007"` and, in a text without quoting, `5" pipe` are plain
 * cells. A row whose width or quotes deviate from the other rows of its piece is a problem, and reading continues. A
 * broken quote or an overlong row ends the reading.
 */
export async function* readCsv(
  text: AsyncIterable<string | Fault>,
  shape: CsvShape,
): AsyncGenerator<RowBatch> {
  const reader = new RowReader(shape.delimiter);
  const table = new CsvTable(shape);
  // A piece is held until the next one is read, because the last row of the last piece may lack its line end.
  let held: string | undefined;
  let end: Fault | undefined;
  for await (const piece of text) {
    if (typeof piece !== 'string') {
      end = piece;
      break;
    }
    if (held !== undefined) yield table.add(await reader.read(held), reader);
    if (table.fault) return;
    held = piece;
  }
  const rows = await reader.read(held ?? '');
  if (reader.heldText.length > rowMaximum) yield table.add(rows, reader);
  else yield table.end([...rows, ...(await reader.end({ isCutOff: end !== undefined }))], reader, end);
}

/** The role of a row, by its position relative to the header. */
type RowRole = 'above' | 'header' | 'guide' | 'blank' | 'record';

class CsvTable {
  readonly #delimiter: string;
  readonly #headerRow: number;
  #guidesLeft: number;
  #sourceFormat: SourceFormat | undefined;
  #header: readonly string[] = [];
  #headerLine = 1;
  /** The header as written; empty until it is read. */
  #headerCells: readonly string[] = [];
  /** Number of cells of a record. */
  #width = 0;
  #hasRecords = false;
  /** True if any cell is quoted. Otherwise quotes are ordinary characters. */
  #isQuoting = false;
  #rows: InputRow[] = [];
  /** The problem that ended the reading. */
  fault: Fault | undefined;

  constructor({ delimiter, firstLine = 1, headerRow = 1, guideRows = 0, sourceFormat }: CsvShape) {
    this.#delimiter = delimiter;
    this.#headerRow = Math.max(firstLine, headerRow);
    this.#guidesLeft = guideRows;
    this.#sourceFormat = sourceFormat;
  }

  /** Adds the rows of a piece. */
  add(rows: readonly CsvRow[], { heldText, line }: RowReader): RowBatch {
    this.#addAll(rows);
    if (heldText.length > rowMaximum) this.fault ??= { line, ...rowTooLong };
    return this.#batch();
  }

  /** Adds the last rows, and the problem that ended the text. */
  end(rows: readonly CsvRow[], reader: RowReader, end: Fault | undefined): RowBatch {
    this.#addAll(rows);
    if (this.fault) return this.#batch();
    const isUnended = reader.isUnended && !isBlankRow(rows.at(-1)?.cells ?? []);
    if (end !== undefined) this.fault = end;
    else if (reader.isUnclosed) this.fault = { line: reader.line, ...unclosedQuote };
    else if (isUnended && this.#hasRecords) return { ...this.#batch(), lacksLineEnd: true };
    else if (this.#headerRow > 1 && this.#headerRow >= reader.line) this.fault = noHeader(this.#headerRow);
    return this.#batch();
  }

  #addAll(rows: readonly CsvRow[]): void {
    const quoteUses = rows.map((row) => quoteUseOf(row, this.#delimiter));
    const lastQuoting = quoteUses.findLastIndex(({ isQuoting }) => isQuoting);
    let at = -1;
    for (const row of rows) {
      at += 1;
      const quotes = quoteUses[at] ?? noQuotes;
      this.fault ??= breakIn(row, quotes);
      if (this.fault) return;
      const role = this.#roleOf(row);
      if (role !== 'above') this.#isQuoting ||= at <= lastQuoting;
      if (role === 'blank') continue;
      if (role === 'header') this.#begin(row);
      if (role !== 'record') this.#keepHead(row, role);
      if (role !== 'header' && role !== 'record') continue;
      if (role === 'record' && !this.#hasRecords) this.#width = widthOf(this.#headerCells, rows.slice(at));
      const damage = this.#damageIn(row, quotes);
      if (damage && (role === 'header' || areUnpaired(quotes.strays))) this.fault = damage;
      else if (damage) this.#rows.push({ ...liveRow(row), problem: damage });
      else if (role === 'record') this.#rows.push(liveRow(row));
      this.#hasRecords ||= role === 'record';
    }
  }

  /** The role of the next row. */
  #roleOf({ cells, line }: CsvRow): RowRole {
    const hasHeader = this.#headerCells.length > 0;
    if (line < this.#headerRow) return 'above';
    if (isBlankRow(cells)) return hasHeader && this.#guidesLeft === 0 ? 'blank' : 'above';
    if (!hasHeader) return 'header';
    if (this.#guidesLeft === 0) return 'record';
    this.#guidesLeft -= 1;
    return 'guide';
  }

  #begin({ cells, line }: CsvRow): void {
    this.#header = columnNames(cells);
    this.#headerLine = line;
    this.#headerCells = cells;
    this.#width = cells.length;
  }

  /** The problem of a row that deviates from the others. */
  #damageIn({ cells, line }: CsvRow, { strays }: QuoteUse): Fault | undefined {
    const names = this.#header.length;
    if (strays.length === 0 && cells.length === this.#width && cells.length === names) return undefined;
    if (strays.length > 0 && (this.#isQuoting || areTornText(strays))) return strayQuote(line, strays);
    if (line === this.#headerLine) return undefined;
    if (cells.length !== this.#width) return raggedRow(line, cells, this.#headerCells.length);
    return cells.length === names || isBlankRow(cells.slice(names))
      ? undefined
      : namelessCell(line, cells, names);
  }

  #keepHead({ cells, raw }: CsvRow, role: RowRole): void {
    if (!this.#sourceFormat) return;
    const { head } = this.#sourceFormat;
    const header = { headerAt: head.length, reasonAt: reasonIn(cells) };
    this.#sourceFormat = { ...this.#sourceFormat, head: [...head, raw], ...(role === 'header' && header) };
  }

  /** The rows since the last batch. */
  #batch(): RowBatch {
    const rows = this.#rows;
    this.#rows = [];
    const sourceFormat = this.#sourceFormat && {
      ...this.#sourceFormat,
      surplusCells: this.#width - this.#headerCells.length,
    };
    return {
      header: this.#header,
      headerLine: this.#headerLine,
      isHeaderWhole: true,
      rows,
      end: this.fault,
      surplusCells: this.#surplusCells() || undefined,
      sourceFormat,
    };
  }

  /** Number of cells of every record beyond the header; negative if records lack columns that have names. */
  #surplusCells(): number {
    const headerWidth = this.#headerCells.length;
    if (this.#width >= headerWidth) return this.#width - headerWidth;
    return Math.min(0, this.#width - this.#header.length);
  }
}

/** The problem of a row that makes the rows below it unknown. */
function breakIn({ raw, line }: CsvRow, { misclosedAt }: QuoteUse): Fault | undefined {
  if (raw.length > rowMaximum) return { line, ...rowTooLong };
  if (misclosedAt === -1) return undefined;
  return { line: line + countLineEnds(raw.slice(0, misclosedAt)), ...textAfterQuote };
}

/** Minimum number of rows whose common width overrides that of the header. */
const rowsAgreeing = 2;

/**
 * The number of cells of a record: that of the header, unless all `rows` have another. They may have fewer cells, or
 * further blank ones, but no sign of an unquoted delimiter within a text.
 */
function widthOf(header: readonly string[], rows: readonly CsvRow[]): number {
  const records = rows.map(({ cells }) => cells).filter((cells) => !isBlankRow(cells));
  const [first = header] = records;
  const named = columnNames(header).length;
  // A cell may begin like the rest of a sentence (`Mug` and ` blue`), though no header does.
  const mayBeTorn = first.length > named && !header.some(isRestOfText);
  const areAlike = records.every(
    (cells) =>
      cells.length === first.length &&
      isBlankRow(cells.slice(named)) &&
      !(mayBeTorn && cells.some(isRestOfText)),
  );
  const haveAmounts = [...first.keys()].some((at) => records.every((cells) => isAmountAt(cells, at)));
  return areAlike && !haveAmounts && records.length >= rowsAgreeing ? first.length : header.length;
}

function isRestOfText(cell: string): boolean {
  return /^ \S/.test(cell);
}

/** True if two cells look like one amount with a thousands separator, `12` and `900`. */
function isAmountAt(cells: readonly string[], at: number): boolean {
  return /^\d{1,3}$/.test(cells[at] ?? '') && /^\d{3}$/.test(cells[at + 1] ?? '');
}

/** Removes the protection that keeps spreadsheets from running the cells as formulas. */
function liveRow(row: CsvRow): CsvRow {
  const isMarked = row.cells.some((cell) => liveCell(cell) !== cell);
  return isMarked ? { ...row, cells: row.cells.map(liveCell) } : row;
}
