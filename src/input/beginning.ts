import { charsetOf } from './charset.ts';
import { contentOf } from './content.ts';
import { countLines, RowReader } from './csv-rows.ts';
import { firstPieceOf } from './decode.ts';
import { type Format, findFormat } from './format.ts';
import { readJson, readNdjson } from './json.ts';
import { brokenPromise, misnamed } from './misnamed.ts';
import type { InputFile } from './open.ts';
import type { Encoding, InputOptions, Problem } from './place.ts';

/** How many rows are given. */
const rowsMaximum = 20;

/** How a file begins, before anything is said about its header. */
export interface Beginning {
  /** `unknown` for what is no table. */
  readonly format: Format['kind'] | 'xlsx' | 'unknown';
  /** Workbooks hold UTF-8. */
  readonly encoding: Encoding;
  /** Only of a delimited text. */
  readonly delimiter: string | undefined;
  /** The first rows that are not blank, every cell as text; of JSON the names of the fields, then the records. */
  readonly rows: readonly (readonly string[])[];
  /** The lines the rows start on. */
  readonly lines: readonly number[];
  /** What keeps the file from being read so far. */
  readonly problem: Problem | undefined;
}

type Rows = Pick<Beginning, 'rows' | 'lines'>;

const noRows: Rows = { rows: [], lines: [] };
const nothingKnown = {
  format: 'unknown',
  encoding: 'utf-8',
  delimiter: undefined,
  problem: undefined,
} as const;

/** The first rows of a file, those above its header too. Throws what `readTable` throws. */
export async function readBeginning(file: InputFile, options: InputOptions): Promise<Beginning> {
  const content = await contentOf(file);
  const problem = content.kind === 'foreign' ? content.problem : misnamed(file, content.kind, options);
  if (problem) return { ...nothingKnown, ...noRows, problem };
  return content.kind === 'xlsx' ? ofWorkbook(file, options) : ofText(file, options);
}

async function ofWorkbook(file: InputFile, options: InputOptions): Promise<Beginning> {
  const { readFirstRows } = await import('./xlsx.ts');
  const sheet = await readFirstRows(file, options, rowsMaximum);
  if ('code' in sheet) return { ...nothingKnown, ...noRows, format: 'xlsx', problem: sheet };
  const rows = new FirstRows();
  for (const { cells, line } of sheet) rows.add(cells, line);
  return { ...nothingKnown, format: 'xlsx', ...rows.given };
}

async function ofText(file: InputFile, options: InputOptions): Promise<Beginning> {
  const { encoding } = await charsetOf(file, options.encoding);
  const first = await firstPieceOf(file, options);
  const piece = typeof first === 'string' ? first : '';
  const broken = brokenPromise(file, piece, options);
  if (broken) return { ...nothingKnown, ...noRows, encoding, problem: broken };
  // Where the header stands is not known here, even where a flag says so: the rows above it are looked at too.
  const { headerRow: _, ...shape } = options;
  const format = await findFormat(piece, file.shownAs, shape);
  const problem = typeof first === 'object' ? first : undefined;
  const found = { format: format.kind, encoding, problem };
  return format.kind === 'delimited'
    ? { ...found, delimiter: format.delimiter, ...(await delimitedRows(piece, format)) }
    : { ...found, delimiter: undefined, ...(await jsonRows(file, piece, format.kind)) };
}

async function delimitedRows(
  piece: string,
  { delimiter, firstLine }: Extract<Format, { kind: 'delimited' }>,
): Promise<Rows> {
  const reader = new RowReader(delimiter);
  const rows = new FirstRows();
  let line = 1;
  for (const row of [...(await reader.read(piece)), ...(await reader.end({ isCutOff: false }))]) {
    if (line >= firstLine) rows.add(row.record, line);
    line += countLines(row);
  }
  return rows.given;
}

async function jsonRows(file: InputFile, piece: string, format: 'json' | 'ndjson'): Promise<Rows> {
  const read = format === 'json' ? readJson : readNdjson;
  for await (const { header, headerLine, rows: records } of read(file, onePiece(piece))) {
    const rows = new FirstRows();
    rows.add(header, headerLine);
    for (const { cells, line } of records) rows.add(cells.map(textOf), line);
    return rows.given;
  }
  return noRows;
}

class FirstRows {
  readonly #rows: (readonly string[])[] = [];
  readonly #lines: number[] = [];

  add(cells: readonly string[], line: number): void {
    if (this.#rows.length === rowsMaximum || cells.every((cell) => cell.trim() === '')) return;
    this.#rows.push(cells);
    this.#lines.push(line);
  }

  get given(): Rows {
    return { rows: this.#rows, lines: this.#lines };
  }
}

async function* onePiece(piece: string): AsyncGenerator<string> {
  yield piece;
}

function textOf(cell: unknown): string {
  if (cell === undefined || cell === null) return '';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
