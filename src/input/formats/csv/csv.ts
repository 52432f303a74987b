import type { FileText } from '../../open/file-text.ts';
import type { InputFile } from '../../open/input-file.ts';
import { countLineEnds } from '../../open/line-ends.ts';
import { IdLineReader } from '../../records/id-lines.ts';
import type { Problem } from '../../records/problem.ts';
import type { InputRow, RowBatch, SourceFormat } from '../../records/row-batch.ts';
import { type CsvDialect, detectDialect, type SeenRows } from './csv-dialect.ts';
import { type BrokenRow, brokenRow, namelessCell, noHeader, raggedRow, strayQuote } from './csv-problems.ts';
import { areTornText, areUnpaired, type QuoteUse, quoteUseOf } from './csv-quotes.ts';
import { RowReader, rowMaximum, type WrittenRow } from './csv-rows.ts';
import { columnNames, isBlankRow, RowClassifier, type RowRole } from './row-classifier.ts';

export interface CsvShape {
  readonly delimiter: string;
  /** The line on which the header stands; without it the first row that is not blank is the header. */
  readonly headerRow?: number | undefined;
  /** How many rows right below the header are no records. */
  readonly guideRows?: number | undefined;
  /** How the text is written, but for its header; where given, rows come with their text. */
  readonly sourceFormat?: SourceFormat | undefined;
  /** Whether lines of ids may come as columns. */
  readonly hasIdColumns?: boolean | undefined;
}

/**
 * The rows of a delimited text (RFC 4180; lines end with LF, CR LF or CR, also mixed). Blank rows are passed over. A quote
 * opens a quoted cell only as its first character, so `="007"` and, in a text that never quotes, `5" pipe` are plain cells.
 * A row that differs from what the text does throughout, in its number of cells or its quotes, is a problem and reading
 * goes on; a broken quote or an endless row is one that ends it. Where the first odd row comes, the rest of the text is looked at
 * before its turn, to see what it does throughout.
 */
export async function* readCsv(
  file: Pick<InputFile, 'shownAs'>,
  text: Pick<FileText, 'ahead' | typeof Symbol.asyncIterator>,
  shape: CsvShape,
): AsyncGenerator<RowBatch> {
  const reader = new RowReader(shape.delimiter);
  const dialect = (seen: SeenRows) =>
    detectDialect(seen, { begun: reader.heldText, text: text.ahead() }, shape.delimiter);
  const table = new CsvTable(file.shownAs, shape, dialect);
  for await (const piece of text) {
    if (typeof piece !== 'string') {
      yield await table.end(await reader.end({ isCutOff: true }), piece);
      return;
    }
    const lines = reader.readLines(piece);
    if (lines === undefined) yield await table.take(await reader.read(piece), reader.heldLength);
    else yield* table.takeLines(lines, reader);
    if (table.isStopped) return;
  }
  const rows = await reader.end({ isCutOff: false });
  yield await table.end(rows, reader.isUnclosed ? 'unclosed-quote' : undefined);
}

class CsvTable {
  readonly #file: string;
  readonly #shape: CsvShape;
  readonly #places: RowClassifier;
  readonly #detectDialect: (seen: SeenRows) => Promise<CsvDialect>;
  #dialect: CsvDialect | undefined;
  #idLines: IdLineReader | undefined;
  #sourceFormat: SourceFormat | undefined;
  #header: readonly string[] = [];
  #headerLine = 1;
  /** The header as it stands. */
  #headerCells: readonly string[] = [];
  /** How many cells a record has. */
  #width = 0;
  #hasRecords = false;
  #isQuoting = false;
  #rows: InputRow[] = [];
  #unread: InputRow[] = [];
  #problems: Problem[] = [];
  isStopped = false;

  constructor(file: string, shape: CsvShape, dialect: (seen: SeenRows) => Promise<CsvDialect>) {
    this.#file = file;
    this.#shape = shape;
    this.#places = new RowClassifier(shape);
    this.#detectDialect = dialect;
    this.#sourceFormat = shape.sourceFormat;
    if (shape.hasIdColumns) this.#idLines = new IdLineReader(shape.delimiter);
  }

  /** Takes the next rows; of the one after them at least `heldLength` characters have come. */
  async take(rows: readonly WrittenRow[], heldLength: number): Promise<RowBatch> {
    await this.#addAll(rows);
    if (heldLength > rowMaximum) this.#stop(this.#broken('row-too-long', this.#places.line));
    return this.#batch();
  }

  /** Takes the next rows where they are lines without a quote; from the first one on that is not of ids alone, cell by cell. */
  async *takeLines(lines: readonly string[], reader: RowReader): AsyncGenerator<RowBatch> {
    const taken = this.#takeIds(lines);
    const idRecords = this.#idLines?.flush();
    if (idRecords !== undefined) yield { ...this.#batch(), idRecords: { ...idRecords, texts: lines } };
    for (let at = taken; at < lines.length; at += 1) {
      const line = lines[at] ?? '';
      if (!this.#takePlain(line))
        await this.#addAll([reader.row(line)], () => lines.slice(at + 1).map((next) => reader.row(next)));
    }
    yield await this.take([], reader.heldLength);
  }

  /** Takes lines of ids; how many there were before the first other one. */
  #takeIds(lines: readonly string[]): number {
    const ids = this.#idLines;
    if (!ids?.isReady || !this.#places.isBelowHeader || this.isStopped) return 0;
    const other = lines.findIndex((line, index) => !ids.take(line, this.#places.line + index));
    const taken = other === -1 ? lines.length : other;
    this.#places.line += taken;
    return taken;
  }

  /** Takes a line that is a record like those before it, as nearly every line is; another is left to be looked at. */
  #takePlain(line: string): boolean {
    if (this.isStopped || !this.#places.isBelowHeader) return false;
    const cells = line.split(this.#shape.delimiter);
    const isAsWide = cells.length === this.#width && cells.length === this.#header.length;
    if (!isAsWide || line.length > rowMaximum || !isVisible(line.charCodeAt(0))) return false;
    const row = { line: this.#places.line, cells };
    this.#rows.push(this.#sourceFormat === undefined ? row : { ...row, raw: line });
    this.#places.line += 1;
    this.#hasRecords = true;
    return true;
  }

  /** Takes the last rows, and what kept the text from being read further. */
  async end(rows: readonly WrittenRow[], fault: 'unclosed-quote' | Problem | undefined): Promise<RowBatch> {
    await this.#addAll(rows);
    if (this.isStopped) return this.#batch();
    if (fault === 'unclosed-quote') this.#stop(this.#broken(fault, this.#places.line));
    else if (fault !== undefined) this.#stop(fault);
    else if (this.#places.isBeforeHeader) this.#stop(noHeader(this.#file, this.#shape.headerRow ?? 1));
    return this.#batch();
  }

  /** `following` are those that have come and will be added next. */
  async #addAll(
    rows: readonly WrittenRow[],
    following: () => readonly WrittenRow[] = () => [],
  ): Promise<void> {
    for (const [index, row] of rows.entries()) {
      if (this.isStopped) return;
      const { line } = this.#places;
      const quotes = quoteUseOf(row, this.#shape.delimiter);
      const broken = this.#breakIn(row, quotes, line);
      if (broken) {
        this.#stop(broken);
        return;
      }
      const role = this.#places.take(row);
      if (role !== 'above') this.#isQuoting ||= quotes.isQuoting;
      if (role === 'blank') continue;
      if (role === 'header') this.#begin(row, line);
      if (role !== 'record') this.#keepHeader(row);
      if (role !== 'header' && role !== 'record') continue;
      if (this.#isOdd(row, quotes)) await this.#learnDialect(role, [...rows.slice(index), ...following()]);
      const damage = this.#damageIn(row, quotes, line);
      if (damage)
        this.#leaveOut(row, line, damage, { isEnd: role === 'header' || areUnpaired(quotes.strays) });
      else if (role === 'record') this.#rows.push(this.#row(line, row));
      this.#hasRecords ||= role === 'record';
    }
  }

  #begin({ record }: WrittenRow, line: number): void {
    this.#header = columnNames(record);
    this.#headerLine = line;
    this.#headerCells = record;
    this.#width = record.length;
  }

  /** Whether only the rest of the text can say what to make of a row. */
  #isOdd({ record }: WrittenRow, { strays }: QuoteUse): boolean {
    if (this.#dialect) return false;
    return strays.length > 0 || (!this.#hasRecords && record.length !== this.#width);
  }

  /** `rows` are those that have come, the first of them the one that is looked at. */
  async #learnDialect(role: RowRole, [row, ...rows]: readonly WrittenRow[]): Promise<void> {
    // Records before this one were as wide as the header, or the dialect would be known.
    const isRecord = role === 'record' && row !== undefined;
    const records = [...(this.#hasRecords ? [this.#headerCells] : []), ...(isRecord ? [row.record] : [])];
    const [header, isQuoting, places] = [this.#headerCells, this.#isQuoting, this.#places.copy()];
    this.#dialect = await this.#detectDialect({ header, records, isQuoting, places, rows });
    this.#width = this.#dialect.width;
  }

  /** What is wrong with a row that can be told from those around it. */
  #damageIn({ record: cells }: WrittenRow, { strays }: QuoteUse, line: number): Problem | undefined {
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

  #leaveOut(row: WrittenRow, line: number, problem: Problem, { isEnd }: { readonly isEnd: boolean }): void {
    this.#problems.push(problem);
    if (isEnd) this.isStopped = true;
    else if (this.#sourceFormat) this.#unread.push(this.#row(line, row));
  }

  #row(line: number, { record: cells, raw }: WrittenRow): InputRow {
    return this.#sourceFormat ? { line, cells, raw: withoutLineEnd(raw) } : { line, cells };
  }

  #keepHeader({ raw }: WrittenRow): void {
    if (!this.#sourceFormat) return;
    const { header, lineEnd } = this.#sourceFormat;
    this.#sourceFormat = { ...this.#sourceFormat, header: header + withoutLineEnd(raw) + lineEnd };
  }

  #breakIn({ raw }: WrittenRow, { misclosedAt }: QuoteUse, line: number): Problem | undefined {
    if (raw.length > rowMaximum) return this.#broken('row-too-long', line);
    if (misclosedAt === -1) return undefined;
    return this.#broken('text-after-quote', line + countLineEnds(raw.slice(0, misclosedAt)));
  }

  #broken(code: BrokenRow, line: number): Problem {
    return brokenRow({ file: this.#file, line }, code);
  }

  #stop(problem: Problem): void {
    this.isStopped = true;
    this.#problems.push(problem);
  }

  /** What came since the last batch. */
  #batch(): RowBatch {
    const [rows, problems, unread] = [this.#rows, this.#problems, this.#unread];
    this.#rows = [];
    this.#problems = [];
    this.#unread = [];
    const surplusCells = this.#surplusCells();
    return {
      header: this.#header,
      headerLine: this.#headerLine,
      isHeaderWhole: true,
      rows,
      problems,
      isBroken: this.isStopped,
      ...(surplusCells !== 0 && { surplusCells }),
      ...(this.#sourceFormat && { unread, sourceFormat: this.#sourceFormat }),
      // Rows that are wider or narrower than the header are looked at one by one.
      ...(this.#idLines && this.#width === this.#header.length && { idLines: this.#idLines }),
    };
  }

  /** How many cells more than the header every record has; a header may end in blank ones that no row needs. */
  #surplusCells(): number {
    const headerWidth = this.#headerCells.length;
    if (this.#width >= headerWidth) return this.#width - headerWidth;
    return Math.min(0, this.#width - this.#header.length);
  }
}

/** Whether a row that begins with this character is not blank: an ASCII letter or digit. */
function isVisible(code: number): boolean {
  const small = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (small >= 0x61 && small <= 0x7a);
}

function withoutLineEnd(raw: string): string {
  return raw.replace(/(?:\r\n|\n|\r)$/, '');
}
