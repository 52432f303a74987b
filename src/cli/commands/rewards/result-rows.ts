import { Failure } from '../../../base/failure.ts';
import { koreanZone } from '../../../base/korean-time.ts';
import { sentenceList } from '../../../base/sentence-list.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { readId } from '../../../input/cells/id.ts';
import { plainCell, refuseTyped } from '../../../input/cells/typed.ts';
import { headerInDoubt } from '../../../input/formats/csv/csv-problems.ts';
import { readTable } from '../../../input/formats/open-table.ts';
import { recognize } from '../../../input/mapping/recognize.ts';
import type { InputFile } from '../../../input/open/input-file.ts';
import { isRefusal } from '../../../input/records/cell.ts';
import { HeaderIndex } from '../../../input/records/headers.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import type { Problem } from '../../../input/records/problem.ts';
import type { InputRow, RowBatch } from '../../../input/records/row-batch.ts';
import { cellText, type ResultRow } from '../../../payer/read-results.ts';

/** The columns of a person's file: those it must have, and those it may have. */
interface RowColumns {
  readonly required: readonly string[];
  /** It must have one of these. */
  readonly oneOf?: readonly string[];
  readonly known: readonly string[];
  /** Other names of a column. */
  readonly synonyms?: Readonly<Record<string, readonly string[]>>;
  /** The headers that a person assigned to columns. */
  readonly map?: ReadonlyMap<string, string>;
}

/** Columns are known by name alone, so no fields are mapped, and no cell is read as a time. */
const unmapped = { map: [], set: [], timeZone: koreanZone };

/**
 * The rows of a file that a person wrote or filled in, by the names of the known columns; other columns are ignored.
 * @throws Failure('input') if it cannot be read, or if a column is missing or ambiguous.
 */
export async function* resultRows(
  file: InputFile,
  options: Partial<InputOptions>,
  columns: RowColumns,
): AsyncGenerator<ResultRow> {
  const settings = { ...unmapped, ...options };
  for await (const batch of readTable(await recognize(file, settings), settings)) {
    const problem = batch.rows.find((row) => row.problem)?.problem ?? batch.end;
    if (problem !== undefined) throw unreadable({ file: file.shownAs, ...problem });
    const found = findColumns(file, batch, columns);
    const used = new Set(found.map(([, column]) => column));
    // If money is moved, any unknown column may be the result of a lost delimiter.
    const doubt = headerInDoubt(batch, used, () => true);
    if (doubt !== undefined) throw unreadable({ file: file.shownAs, ...doubt });
    for (const row of batch.rows) {
      yield { line: row.line, cells: Object.fromEntries(found.map((column) => cellOf(file, row, column))) };
    }
  }
}

/** The failure for a problem of a file, or of one of its lines. */
export function unreadable({
  file,
  line,
  reason,
  remedy,
}: Pick<Problem, 'file' | 'line' | 'reason' | 'remedy'>): Failure {
  return new Failure('input', `${file}${line === undefined ? '' : `:${line}`}: ${reason}`, remedy, {
    file,
    ...(line === undefined ? {} : { line }),
  });
}

/** The types of columns that do not identify a payment; all others are read like ids. */
const columnTypes: Readonly<Record<string, 'money' | 'dateTime' | 'text'>> = {
  amount: 'money',
  paidAt: 'dateTime',
  reviewCategory: 'text',
  createdAt: 'text',
  outcome: 'text',
  status: 'text',
  message: 'text',
};

function cellOf(
  { shownAs: file }: InputFile,
  { line, cells, typed: kinds }: InputRow,
  [name, column]: FoundColumn,
) {
  const cell = cells[column];
  const typed = kinds?.get(column);
  const type = columnTypes[name] ?? 'id';
  // A JSON number may already be rounded, and two receipts may have become one.
  if (type === 'id' && typeof cell === 'number' && !Number.isSafeInteger(cell)) {
    const reason = `${name}: ${cell} is a JSON number, and may have lost digits`;
    throw unreadable({ file, line, reason, remedy: 'write the value in quotes' });
  }
  if (typed === undefined) return [name, cell] as const;
  const refusal = refuseTyped(type, typed, cell);
  if (refusal !== undefined) {
    const { reason, remedy } = refusal;
    throw unreadable({ file, line, reason: `${name}: ${reason}`, remedy });
  }
  return [name, plainCell(type, typed) ?? cell] as const;
}

/** The problems of an id that a spreadsheet has rewritten: digits may be lost. */
const rewritten: ReadonlySet<string> = new Set(['id-mangled', 'id-apostrophe']);

/** @throws Failure('input') for an id in one of these columns that a spreadsheet has rewritten. */
export async function* withWholeIds(
  rows: AsyncIterable<ResultRow>,
  file: string,
  names: readonly string[],
): AsyncGenerator<ResultRow> {
  for await (const row of rows) {
    const { line, cells } = row;
    for (const name of names) {
      const id = readId(cells[name] ?? '');
      if (!isRefusal(id) || !rewritten.has(id.code)) continue;
      const reason = `${name}: '${cellText(cells[name])}': ${id.reason}`;
      throw unreadable({ file, line, reason, remedy: id.remedy });
    }
    yield row;
  }
}

type FoundColumn = readonly [name: string, column: number];

function findColumns(file: InputFile, batch: RowBatch, columns: RowColumns): readonly FoundColumn[] {
  const index = new HeaderIndex(batch.header);
  const found = columns.known.flatMap((name): FoundColumn[] => {
    const [column, other] = columnsOf(name, index, columns);
    if (column === undefined) return [];
    if (other !== undefined) throw ambiguous(file, batch, columns, { name, columns: [column, other] });
    return [[name, column]];
  });
  // Each JSON record names its own columns, so only a table has a header that can lack one.
  if (batch.isHeaderWhole) checkColumns(file, batch, new Set(found.map(([name]) => name)), columns);
  return found;
}

/** The columns that may be `name`: those a person assigned, else those of that name, else those of its synonyms. */
function columnsOf(name: string, index: HeaderIndex, { map, synonyms }: RowColumns): readonly number[] {
  const mapped = map?.get(name);
  if (mapped !== undefined) return index.columnsNamed(mapped);
  const own = index.columnsNamed(name);
  return own.length > 0
    ? own
    : [...new Set((synonyms?.[name] ?? []).flatMap((other) => index.columnsNamed(other)))];
}

function ambiguous(
  file: InputFile,
  batch: RowBatch,
  { map }: RowColumns,
  { name, columns }: { readonly name: string; readonly columns: readonly number[] },
): Failure {
  const headers = columns.map((column) => batch.header[column] ?? '');
  const canChoose = map !== undefined && new Set(headers).size > 1;
  const hint = canChoose
    ? `choose: ${headers.map((header) => `--map ${shellWord(`${name}=${header}`)}`).join(' or ')}`
    : 'rename one of them';
  const reason =
    new Set(headers).size > 1
      ? `the column of ${name} may be ${headers.join(' or ')}`
      : `${columns.length} columns are called ${headers[0]}`;
  return misfit(file, batch, reason, hint);
}

function checkColumns(
  file: InputFile,
  batch: RowBatch,
  found: ReadonlySet<string>,
  { required, oneOf = [], map }: RowColumns,
): void {
  const missing = [...new Set([...required, ...(map?.keys() ?? [])])].filter((name) => !found.has(name));
  const lacks = oneOf.length > 0 && !oneOf.some((name) => found.has(name)) ? [oneOf.join(' or ')] : [];
  const lacking = [...missing, ...lacks];
  if (lacking.length === 0) return;
  const needed = [...required, ...(oneOf.length === 0 ? [] : [`one of ${oneOf.join(', ')}`])];
  const columns = batch.header.length === 0 ? 'it has no header' : `its columns: ${batch.header.join(', ')}`;
  const named = map === undefined ? '' : `; to name one: --map ${missing[0] ?? oneOf[0]}=COLUMN`;
  throw misfit(
    file,
    batch,
    `column missing: ${lacking.map((name) => map?.get(name) ?? name).join(', ')}`,
    `needed: ${sentenceList(needed, 'and')}; ${columns}${named}`,
  );
}

function misfit({ shownAs }: InputFile, { headerLine }: RowBatch, reason: string, remedy: string): Failure {
  return unreadable({ file: shownAs, line: headerLine, reason, remedy });
}
