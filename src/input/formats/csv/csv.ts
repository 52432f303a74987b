import { liveCell } from '../../../base/csv-row.ts';
import { countLineEnds } from '../../open/decode.ts';
import type { TextPieces } from '../../open/file-text.ts';
import type { InputFile } from '../../open/input-file.ts';
import { columnNames } from '../../records/headers.ts';
import type { Problem } from '../../records/problem.ts';
import { type InputRow, type RowBatch, reasonIn, type SourceFormat } from '../../records/row-batch.ts';
import { type CsvDialect, detectDialect, type SeenRows } from './csv-dialect.ts';
import { brokenRows, namelessCell, noHeader, raggedRow, strayQuote } from './csv-problems.ts';
import {
  areTornText,
  areUnpaired,
  type CsvRow,
  isBlankRow,
  type QuoteUse,
  quoteUseOf,
  RowClassifier,
  RowReader,
  type RowRole,
  rowMaximum,
} from './csv-rows.ts';

interface CsvShape {
  readonly delimiter: string;
  /** The line of the header; by default the first row that is not blank. */
  readonly headerRow?: number | undefined;
  /** How many rows right below the header are not records. */
  readonly guideRows?: number | undefined;
  /** The format of the text, without its header; if given, rows keep their text. */
  readonly sourceFormat?: SourceFormat | undefined;
}

/**
 * The rows of a delimited text (RFC 4180; lines end with LF, CR LF or CR, also mixed). Blank rows are skipped. A quote
 * opens a quoted cell only as its first character, so `="007"` and, in a text without quoting, `5" pipe` are plain
 * cells. A row that deviates from the dialect of the text, in its number of cells or its quotes, is a problem, and
 * reading continues; a broken quote or an overlong row ends the reading. At the first odd row, the rest of the text is
 * read ahead to detect the dialect.
 */
export async function* readCsv(
  file: Pick<InputFile, 'shownAs'>,
  text: TextPieces,
  shape: CsvShape,
): AsyncGenerator<RowBatch> {
  const reader = new RowReader(shape.delimiter);
  const dialect = (seen: SeenRows) =>
    detectDialect(seen, { begun: reader.heldText, line: reader.line, text: text.ahead() }, shape.delimiter);
  const table = new CsvTable(file.shownAs, shape, dialect);
  for await (const piece of text) {
    if (typeof piece !== 'string') {
      yield await table.end(await reader.end({ isCutOff: true }), reader, piece);
      return;
    }
    yield await table.take(await reader.read(piece), reader);
    if (table.isStopped) return;
  }
  yield await table.end(await reader.end({ isCutOff: false }), reader);
}

class CsvTable {
  readonly #file: string;
  readonly #shape: CsvShape;
  readonly #classifier: RowClassifier;
  readonly #detectDialect: (seen: SeenRows) => Promise<CsvDialect>;
  #dialect: CsvDialect | undefined;
  #sourceFormat: SourceFormat | undefined;
  #header: readonly string[] = [];
  #headerLine = 1;
  /** The header as written. */
  #headerCells: readonly string[] = [];
  /** The number of cells of a record. */
  #width = 0;
  #hasRecords = false;
  #isQuoting = false;
  #rows: InputRow[] = [];
  #problems: Problem[] = [];
  isStopped = false;

  constructor(file: string, shape: CsvShape, dialect: (seen: SeenRows) => Promise<CsvDialect>) {
    this.#file = file;
    this.#shape = shape;
    this.#classifier = new RowClassifier(shape);
    this.#detectDialect = dialect;
    this.#sourceFormat = shape.sourceFormat;
  }

  /** Adds the rows of a piece. */
  async take(rows: readonly CsvRow[], { heldText, line }: RowReader): Promise<RowBatch> {
    await this.#addAll(rows);
    if (heldText.length > rowMaximum) this.#stop(this.#broken('row-too-long', line));
    return this.#batch();
  }

  /** Adds the last rows, and the problem that ended the text. */
  async end(rows: readonly CsvRow[], reader: RowReader, problem?: Problem): Promise<RowBatch> {
    await this.#addAll(rows);
    if (this.isStopped) return this.#batch();
    const isUnended = reader.isUnended && !isBlankRow(rows.at(-1)?.cells ?? []);
    if (problem !== undefined) this.#stop(problem);
    else if (reader.isUnclosed) this.#stop(this.#broken('unclosed-quote', reader.line));
    else if (isUnended && this.#hasRecords) return { ...this.#batch(), lacksLineEnd: true };
    else if (this.#classifier.isBeforeHeader(reader.line))
      this.#stop(noHeader(this.#file, this.#shape.headerRow ?? 1));
    return this.#batch();
  }

  async #addAll(rows: readonly CsvRow[]): Promise<void> {
    let next = 0;
    for (const row of rows) {
      if (this.isStopped) return;
      next += 1;
      const quotes = quoteUseOf(row, this.#shape.delimiter);
      const broken = this.#breakIn(row, quotes);
      if (broken) return this.#stop(broken);
      const role = this.#classifier.take(row);
      if (role !== 'above') this.#isQuoting ||= quotes.isQuoting;
      if (role === 'blank') continue;
      if (role === 'header') this.#begin(row);
      if (role !== 'record') this.#keepHead(row, role);
      if (role !== 'header' && role !== 'record') continue;
      if (this.#isOdd(row, quotes)) await this.#learnDialect(role, row, rows.slice(next));
      const damage = this.#damageIn(row, quotes);
      if (damage && (role === 'header' || areUnpaired(quotes.strays))) this.#stop(damage);
      else if (damage) this.#rows.push({ ...liveRow(row), problem: damage });
      else if (role === 'record') this.#rows.push(liveRow(row));
      this.#hasRecords ||= role === 'record';
    }
  }

  #begin({ cells, line }: CsvRow): void {
    this.#header = columnNames(cells);
    this.#headerLine = line;
    this.#headerCells = cells;
    this.#width = cells.length;
  }

  /** Whether the dialect is needed to judge a row. */
  #isOdd({ cells }: CsvRow, { strays }: QuoteUse): boolean {
    if (this.#dialect) return false;
    return strays.length > 0 || (!this.#hasRecords && cells.length !== this.#width);
  }

  /** `rows` are those that have been read below the current one. */
  async #learnDialect(role: RowRole, row: CsvRow, rows: readonly CsvRow[]): Promise<void> {
    // Records before this one are as wide as the header, else the dialect would be known.
    const ownCells = role === 'record' ? [row.cells] : [];
    const records = [...(this.#hasRecords ? [this.#headerCells] : []), ...ownCells];
    const [header, isQuoting, classifier] = [this.#headerCells, this.#isQuoting, this.#classifier.copy()];
    this.#dialect = await this.#detectDialect({ header, records, isQuoting, classifier, rows });
    this.#width = this.#dialect.width;
  }

  /** The problem of a row that deviates from the dialect. */
  #damageIn({ cells, line }: CsvRow, { strays }: QuoteUse): Problem | undefined {
    const names = this.#header.length;
    if (strays.length === 0 && cells.length === this.#width && cells.length === names) return undefined;
    const place = { file: this.#file, line };
    if (strays.length > 0 && (this.#dialect?.isQuoting || areTornText(strays)))
      return strayQuote(place, strays);
    if (line === this.#headerLine) return undefined;
    if (cells.length !== this.#width) return raggedRow(place, cells, this.#headerCells.length);
    return cells.length === names || isBlankRow(cells.slice(names))
      ? undefined
      : namelessCell(place, cells, names);
  }

  #keepHead({ cells, raw }: CsvRow, role: RowRole): void {
    if (!this.#sourceFormat) return;
    const { head } = this.#sourceFormat;
    const header = { headerAt: head.length, reasonAt: reasonIn(cells) };
    this.#sourceFormat = { ...this.#sourceFormat, head: [...head, raw], ...(role === 'header' && header) };
  }

  #breakIn({ raw, line }: CsvRow, { misclosedAt }: QuoteUse): Problem | undefined {
    if (raw.length > rowMaximum) return this.#broken('row-too-long', line);
    if (misclosedAt === -1) return undefined;
    return this.#broken('text-after-quote', line + countLineEnds(raw.slice(0, misclosedAt)));
  }

  #broken(code: keyof typeof brokenRows, line: number): Problem {
    return { file: this.#file, line, code, ...brokenRows[code] };
  }

  #stop(problem: Problem): void {
    this.isStopped = true;
    this.#problems.push(problem);
  }

  /** The rows and problems since the last batch. */
  #batch(): RowBatch {
    const [rows, problems] = [this.#rows, this.#problems];
    this.#rows = [];
    this.#problems = [];
    const sourceFormat = this.#sourceFormat && {
      ...this.#sourceFormat,
      surplusCells: this.#width - this.#headerCells.length,
    };
    return {
      header: this.#header,
      headerLine: this.#headerLine,
      isHeaderWhole: true,
      rows,
      problems,
      isBroken: this.isStopped,
      surplusCells: this.#surplusCells() || undefined,
      sourceFormat,
    };
  }

  /** How many cells every record has beyond the header, whose blank cells at the end may be missing in rows. */
  #surplusCells(): number {
    const headerWidth = this.#headerCells.length;
    if (this.#width >= headerWidth) return this.#width - headerWidth;
    return Math.min(0, this.#width - this.#header.length);
  }
}

/** A row without the protection that keeps spreadsheets from running its cells as formulas. */
function liveRow(row: CsvRow): CsvRow {
  const isMarked = row.cells.some((cell) => liveCell(cell) !== cell);
  return isMarked ? { ...row, cells: row.cells.map(liveCell) } : row;
}
