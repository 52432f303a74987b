import type { TextPieces } from '../../open/file-text.ts';
import type { InputFile } from '../../open/input-file.ts';
import { countLineEnds } from '../../open/line-ends.ts';
import { columnNames } from '../../records/headers.ts';
import type { Problem } from '../../records/problem.ts';
import { type InputRow, type RowBatch, reasonColumn, type SourceFormat } from '../../records/row-batch.ts';
import { type CsvDialect, detectDialect, type SeenRows } from './csv-dialect.ts';
import { type BrokenRow, brokenRow, namelessCell, noHeader, raggedRow, strayQuote } from './csv-problems.ts';
import { areTornText, areUnpaired, type QuoteUse, quoteUseOf } from './csv-quotes.ts';
import { RowReader, rowMaximum, type WrittenRow } from './csv-rows.ts';
import { isBlankRow, RowClassifier, type RowRole } from './row-classifier.ts';

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

  /** Adds rows; at least `heldLength` characters of the next row have been read. */
  async take(rows: readonly WrittenRow[], heldLength: number): Promise<RowBatch> {
    await this.#addAll(rows);
    if (heldLength > rowMaximum) this.#stop(this.#broken('row-too-long', this.#classifier.line));
    return this.#batch();
  }

  /** Adds rows that are lines without quotes. */
  async *takeLines(lines: readonly string[], reader: RowReader): AsyncGenerator<RowBatch> {
    for (const [at, line] of lines.entries()) {
      if (!this.#takePlain(line))
        await this.#addAll([reader.row(line)], () => lines.slice(at + 1).map((next) => reader.row(next)));
    }
    yield await this.take([], reader.heldLength);
  }

  /** Adds a line if it is a record like those before it, as nearly every line is; else returns false. */
  #takePlain(line: string): boolean {
    if (this.isStopped || !this.#classifier.isBelowHeader) return false;
    const cells = line.split(this.#shape.delimiter);
    const isAsWide = cells.length === this.#width && cells.length === this.#header.length;
    if (!isAsWide || line.length > rowMaximum || !isVisible(line.charCodeAt(0))) return false;
    const row = { line: this.#classifier.line, cells };
    this.#rows.push(this.#sourceFormat === undefined ? row : { ...row, raw: line });
    this.#classifier.line += 1;
    this.#hasRecords = true;
    return true;
  }

  /** Adds the last rows, and the problem that ended the text. */
  async end(rows: readonly WrittenRow[], fault: 'unclosed-quote' | Problem | undefined): Promise<RowBatch> {
    await this.#addAll(rows);
    if (this.isStopped) return this.#batch();
    const last = rows.at(-1);
    const isUnended = last !== undefined && !/[\r\n]$/.test(last.raw) && !isBlankRow(last.record);
    if (fault === undefined && isUnended && this.#hasRecords) return { ...this.#batch(), lacksLineEnd: true };
    if (fault === 'unclosed-quote') this.#stop(this.#broken(fault, this.#classifier.line));
    else if (fault !== undefined) this.#stop(fault);
    else if (this.#classifier.isBeforeHeader) this.#stop(noHeader(this.#file, this.#shape.headerRow ?? 1));
    return this.#batch();
  }

  /** `following` gives rows that have been read and will be added next. */
  async #addAll(
    rows: readonly WrittenRow[],
    following: () => readonly WrittenRow[] = () => [],
  ): Promise<void> {
    for (const [index, row] of rows.entries()) {
      if (this.isStopped) return;
      const { line } = this.#classifier;
      const quotes = quoteUseOf(row, this.#shape.delimiter);
      const broken = this.#breakIn(row, quotes, line);
      if (broken) {
        this.#stop(broken);
        return;
      }
      const role = this.#classifier.take(row);
      if (role !== 'above') this.#isQuoting ||= quotes.isQuoting;
      if (role === 'blank') continue;
      if (role === 'header') this.#begin(row, line);
      if (role !== 'record') this.#keepHead(row, role);
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

  /** Whether the dialect is needed to judge a row. */
  #isOdd({ record }: WrittenRow, { strays }: QuoteUse): boolean {
    if (this.#dialect) return false;
    return strays.length > 0 || (!this.#hasRecords && record.length !== this.#width);
  }

  /** `rows` are those that have been read, beginning with the current one. */
  async #learnDialect(role: RowRole, [row, ...rows]: readonly WrittenRow[]): Promise<void> {
    // Records before this one are as wide as the header, else the dialect would be known.
    const isRecord = role === 'record' && row !== undefined;
    const records = [...(this.#hasRecords ? [this.#headerCells] : []), ...(isRecord ? [row.record] : [])];
    const [header, isQuoting, classifier] = [this.#headerCells, this.#isQuoting, this.#classifier.copy()];
    this.#dialect = await this.#detectDialect({ header, records, isQuoting, classifier, rows });
    this.#width = this.#dialect.width;
  }

  /** The problem of a row that deviates from the dialect. */
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
    if (isEnd) this.#stop(problem);
    else this.#rows.push({ ...this.#row(line, row), problem });
  }

  #row(line: number, { record: cells, raw }: WrittenRow): InputRow {
    return this.#sourceFormat ? { line, cells, raw: withoutLineEnd(raw) } : { line, cells };
  }

  #keepHead({ record, raw }: WrittenRow, role: RowRole): void {
    if (!this.#sourceFormat) return;
    const { head } = this.#sourceFormat;
    const header = { headerAt: head.length, hasReasons: record.at(-1)?.trim() === reasonColumn };
    this.#sourceFormat = {
      ...this.#sourceFormat,
      head: [...head, withoutLineEnd(raw)],
      ...(role === 'header' && header),
    };
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

  /** The rows and problems since the last batch. */
  #batch(): RowBatch {
    const [rows, problems] = [this.#rows, this.#problems];
    this.#rows = [];
    this.#problems = [];
    const surplusCells = this.#surplusCells();
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
      ...(surplusCells !== 0 && { surplusCells }),
      ...(sourceFormat && { sourceFormat }),
    };
  }

  /** How many cells every record has beyond the header, whose blank cells at the end may be missing in rows. */
  #surplusCells(): number {
    const headerWidth = this.#headerCells.length;
    if (this.#width >= headerWidth) return this.#width - headerWidth;
    return Math.min(0, this.#width - this.#header.length);
  }
}

/** Whether a character is an ASCII letter or digit, so that a row that begins with it is not blank. */
function isVisible(code: number): boolean {
  const small = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (small >= 0x61 && small <= 0x7a);
}

function withoutLineEnd(raw: string): string {
  return raw.replace(/(?:\r\n|\n|\r)$/, '');
}
