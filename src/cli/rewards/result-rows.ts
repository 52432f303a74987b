import { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import { comparisonKey } from '../../input/headers.ts';
import type { InputFile } from '../../input/open.ts';
import type { InputOptions, Problem, Stretch } from '../../input/place.ts';
import { readTable } from '../../input/table.ts';
import type { ResultRow } from '../../payer/read-results.ts';

/** The columns a file of a person must have, and which may be missing. */
export interface RowColumns {
  readonly required: readonly string[];
  readonly known: readonly string[];
}

/** Columns are known by name alone, and no cell is read as a time. */
const unmapped = { map: [], set: [], timeZone: '+09:00' };

/**
 * The rows of a file a person wrote or filled in, by the names of the columns that are known; others are passed over.
 * @throws Failure('input') where it cannot be read, or a column is missing.
 */
export async function* resultRows(
  file: InputFile,
  options: Partial<InputOptions>,
  columns: RowColumns,
): AsyncGenerator<ResultRow> {
  const names = new Map(columns.known.map((name) => [comparisonKey(name), name]));
  for await (const stretch of readTable(file, { ...unmapped, ...options })) {
    const [problem] = stretch.problems;
    if (problem !== undefined) throw unreadable(problem);
    const header = stretch.header.map((written) => names.get(comparisonKey(written)));
    checkColumns(file, stretch, header, columns);
    for (const { line, cells } of stretch.rows) {
      const named = header.flatMap((name, index): [string, Json | undefined][] =>
        name === undefined ? [] : [[name, cells[index]]],
      );
      yield { line, cells: Object.fromEntries(named) };
    }
  }
}

function unreadable({ file, line, reason, remedy }: Problem): Failure {
  return new Failure('input', `${file}${line === undefined ? '' : `:${line}`}: ${reason}`, remedy, {
    file,
    ...(line === undefined ? {} : { line }),
  });
}

/** Records of JSON name their columns as they come, so only a table has a header that can lack one. */
function checkColumns(
  { shownAs }: InputFile,
  { isHeaderWhole, headerLine }: Stretch,
  header: readonly (string | undefined)[],
  { required }: RowColumns,
): void {
  const missing = isHeaderWhole ? required.filter((name) => !header.includes(name)) : [];
  if (missing.length === 0) return;
  throw new Failure(
    'input',
    `${shownAs}:${headerLine}: there is no column ${missing.join(', ')}`,
    `the header must name: ${required.join(', ')}`,
    { file: shownAs, line: headerLine },
  );
}
