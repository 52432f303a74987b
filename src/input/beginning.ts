import { countLines, RowReader } from './csv-rows.ts';
import { decodeFile } from './decode.ts';
import { type Format, findFormat } from './format.ts';
import { readJson, readNdjson } from './json.ts';
import type { InputFile } from './open.ts';
import type { Encoding, InputOptions, Problem } from './place.ts';

/** How many rows are given. */
const rowsMaximum = 20;

/** How a file begins, before anything is said about its header. */
export interface Beginning {
  readonly format: Format['kind'];
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

/** The first rows of a file, those above its header too. `options.headerRow` is not looked at. Throws what `readTable` throws. */
export async function readBeginning(
  file: InputFile,
  { headerRow: _, ...options }: InputOptions,
): Promise<Beginning> {
  const text = decodeFile(file);
  const { value: first } = await text.next();
  await text.return(undefined);
  const piece = typeof first === 'string' ? first : '';
  const format = await findFormat(piece, file.shownAs, options);
  const problem = typeof first === 'object' ? first : undefined;
  const found = { format: format.kind, encoding: 'utf-8', problem } as const;
  if (format.kind === 'delimited') {
    return { ...found, delimiter: format.delimiter, ...(await rowsOf(piece, format.delimiter)) };
  }
  const read = format.kind === 'json' ? readJson : readNdjson;
  for await (const { header, headerLine, rows } of read(file, onePiece(piece))) {
    const shown = rows.slice(0, rowsMaximum - 1);
    return {
      ...found,
      delimiter: undefined,
      rows: [[...header], ...shown.map(({ cells }) => cells.map(textOf))],
      lines: [headerLine, ...shown.map(({ line }) => line)],
    };
  }
  return { ...found, delimiter: undefined, rows: [], lines: [] };
}

async function* onePiece(piece: string): AsyncGenerator<string> {
  yield piece;
}

function textOf(cell: unknown): string {
  if (cell === undefined || cell === null) return '';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

async function rowsOf(piece: string, delimiter: string): Promise<Pick<Beginning, 'rows' | 'lines'>> {
  const reader = new RowReader(delimiter);
  const written = [...(await reader.read(piece)), ...(await reader.end({ isCutOff: false }))];
  const rows: (readonly string[])[] = [];
  const lines: number[] = [];
  let line = 1;
  for (const row of written) {
    if (rows.length === rowsMaximum) break;
    if (row.record.some((cell) => cell.trim() !== '')) {
      rows.push(row.record);
      lines.push(line);
    }
    line += countLines(row);
  }
  return { rows, lines };
}
