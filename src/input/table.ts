import { liveCell } from '../base/csv-row.ts';
import { firstBytes } from './bytes.ts';
import { charsetOf } from './charset.ts';
import { contentOf } from './content.ts';
import { readCsv } from './csv.ts';
import { decodeFile, firstPieceOf } from './decode.ts';
import { type Format, findFormat } from './format.ts';
import { readJson, readNdjson } from './json.ts';
import { brokenPromise, misnamed } from './misnamed.ts';
import type { InputFile } from './open.ts';
import type { Cell, InputOptions, Notice, Problem, Row, SheetOptions, Stretch, Writing } from './place.ts';
import type { SheetNames } from './xlsx.ts';

/** A file as rows under a header, whatever its format. Throws what `decodeFile` and `findFormat` throw. */
export async function* readTable(file: InputFile, options: InputOptions): AsyncGenerator<Stretch> {
  const content = await contentOf(file);
  const problem = content.kind === 'foreign' ? content.problem : misnamed(file, content.kind, options);
  if (problem) yield unreadable(problem);
  else if (content.kind === 'xlsx') yield* await readWorkbook(file, options);
  else yield* readText(file, options);
}

/** The sheets of a workbook that may be asked for; undefined where the file is none. Throws as `readTable`. */
export async function sheetNames(file: InputFile, options: SheetOptions): Promise<SheetNames | undefined> {
  if ((await contentOf(file)).kind !== 'xlsx') return undefined;
  const { findSheetNames } = await import('./xlsx.ts');
  return findSheetNames(file, options);
}

/** What there is to know of how a file is read: of a workbook the sheet. Throws as `readTable`. */
export async function tableNotice(file: InputFile, options: SheetOptions): Promise<Notice | undefined> {
  if ((await contentOf(file)).kind !== 'xlsx') return undefined;
  const { sheetNotice } = await import('./xlsx.ts');
  return sheetNotice(file, options);
}

function unreadable(problem: Problem): Stretch {
  return { header: [], headerLine: 1, isHeaderWhole: true, rows: [], problems: [problem], isBroken: true };
}

async function readWorkbook(file: InputFile, options: InputOptions): Promise<AsyncIterable<Stretch>> {
  const { readXlsx } = await import('./xlsx.ts');
  return readXlsx(file, options);
}

async function* readText(file: InputFile, options: InputOptions): AsyncGenerator<Stretch> {
  const first = await firstPieceOf(file, options);
  if (first === undefined) return;
  const beginning = typeof first === 'string' ? first : '';
  const problem = brokenPromise(file, beginning, options);
  if (problem) {
    yield unreadable(problem);
    return;
  }
  const format = await findFormat(beginning, file.shownAs, options);
  const writing = options.keepRaw ? await writingOf(file, beginning, format, options) : undefined;
  const open = () => decodeFile(file, options);
  switch (format.kind) {
    case 'delimited': {
      const headerRow = Math.max(format.firstLine, options.headerRow ?? 1);
      const { delimiter } = format;
      const { guideRows, hasIdColumns } = options;
      const rows = readCsv(file, open, { delimiter, headerRow, guideRows, writing, hasIdColumns });
      for await (const stretch of rows) yield { ...stretch, rows: stretch.rows.map(withLiveCells) };
      break;
    }
    case 'json':
      yield* readJson(file, open(), writing);
      break;
    case 'ndjson':
      yield* readNdjson(file, open(), writing);
      break;
  }
}

/** A row as it was before its cells were kept from being run by a spreadsheet. */
function withLiveCells(row: Row): Row {
  const isMarked = (cell: Cell) => typeof cell === 'string' && liveCell(cell) !== cell;
  if (!row.cells.some(isMarked)) return row;
  return { ...row, cells: row.cells.map((cell) => (typeof cell === 'string' ? liveCell(cell) : cell)) };
}

async function writingOf(
  file: InputFile,
  beginning: string,
  format: Format,
  options: InputOptions,
): Promise<Writing> {
  const { encoding, mark } = await charsetOf(file, options.encoding);
  const isMarked = mark.length > 0 && (await firstBytes(file, mark.length)).equals(mark);
  const [lineEnd = '\n'] = /\r\n|\n|\r/.exec(beginning) ?? [];
  const common = { encoding, isMarked, lineEnd, header: '', isOfWorkbook: false };
  return format.kind === 'delimited'
    ? { ...common, format: 'csv', delimiter: format.delimiter }
    : { ...common, format: format.kind, delimiter: '' };
}
