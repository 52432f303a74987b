import { lazy, madeOnUse } from '../../base/lazy.ts';
import type { InputOptions } from '../records/options.ts';
import type { Fault } from '../records/problem.ts';
import type { RecordKind } from '../records/record-kinds.ts';
import { type Binding, bind } from './binding.ts';
import type { RecognizedFile } from './recognize.ts';

interface BoundRow {
  readonly header: readonly string[];
  readonly binding: Binding;
}

/**
 * The problem of a file whose header is below the row that would be read as the header. Its remedy is the flag with the
 * line of the header.
 */
export function misplacedHeader(
  recognized: RecognizedFile,
  kind: RecordKind,
  options: InputOptions,
): readonly Fault[] {
  const below = findHeaderBelow(recognized, kind, options);
  if (below === undefined) return [];
  const { line, assumedLine, binding } = below;
  const flag = `--header-row ${line}`;
  const correction = { remedy: `line ${line} looks like the header; add ${flag}`, choices: [flag] };
  // One problem stands for all columns that the row above lacks.
  if (binding) return binding.missingColumns.slice(0, 1).map((lack) => ({ ...lack, ...correction }));
  const reason = `there are two headers, on lines ${assumedLine} and ${line}`;
  return [{ line, code: 'second-header', reason, ...correction }];
}

/**
 * Finds a header that is not the first row of a table: below a title or an incomplete row, or below another header. The
 * last one of consecutive headers counts. Below a row that names no field, a header may itself be incomplete.
 */
export function findHeaderBelow(recognized: RecognizedFile, kind: RecordKind, options: InputOptions) {
  const { format, headerRow = 1, preset } = recognized;
  if (preset?.row !== undefined || (format.kind !== 'delimited' && format.kind !== 'xlsx')) return undefined;
  const rows = recognized.rows.map(({ cells: header, line: headerLine }) =>
    // Bound on demand: most files need only the first two rows, and binding compares each cell with all names.
    madeOnUse({
      header,
      headerLine,
      binding: lazy(() => bind(kind, { ...recognized, header, headerLine }, options)),
    }),
  );
  const from = rows.findIndex(({ headerLine }) => headerLine >= headerRow);
  const assumed = rows[from];
  if (assumed === undefined) return undefined;
  const isTitle = boundColumns(assumed).size === 0;
  const isHeader = (index: number) => {
    const row = rows[index];
    if (row === undefined) return false;
    if (!hasRequired(row.binding)) return isTitle && namesSeveral(row);
    return !hasRequired(assumed.binding) || isMostlyBound(row);
  };
  let at = hasRequired(assumed.binding)
    ? from
    : rows.findIndex((_, index) => index > from && isHeader(index));
  if (at === -1) return undefined;
  while (isHeader(at + 1)) at += 1;
  const line = rows[at]?.headerLine;
  if (line === undefined || at === from) return undefined;
  return {
    assumedLine: assumed.headerLine,
    binding: hasRequired(assumed.binding) ? undefined : assumed.binding,
    line,
  };
}

function hasRequired({ missingColumns, columns }: Binding): boolean {
  return missingColumns.length === 0 && columns.some(({ indexes }) => indexes.length > 0);
}

/** True if most cells of a row name fields; a single one may be a value. */
function isMostlyBound(row: BoundRow): boolean {
  return boundColumns(row).size * 2 > row.header.filter((name) => name.trim() !== '').length;
}

/** True if several cells of a row name fields, unlike those of a record. */
function namesSeveral(row: BoundRow): boolean {
  return boundColumns(row).size > 1;
}

/** Names of the columns that fields use or, at the user's choice, may use. */
function boundColumns({ header, binding: { columns, choices } }: BoundRow): ReadonlySet<string> {
  const chosen = columns.flatMap(({ indexes }) => indexes.flatMap((index) => header[index] ?? []));
  return new Set([...chosen, ...choices.flatMap((choice) => choice.columns)]);
}
