import type { FilePreview } from '../formats/preview.ts';
import type { Binding } from './binding.ts';
import type { Layout } from './layout.ts';

/** Where a header stands. */
export interface HeaderPlace {
  readonly header: readonly string[];
  readonly headerLine: number;
}

type BoundRow = HeaderPlace & { readonly binding: Binding };

/** A row below the one that is taken for the header, and that is the header rather. */
export interface HeaderBelow {
  /** The line taken for the header. */
  readonly taken: number;
  /** Why the row there is none; undefined where it is a header too, and another one stands right below it. */
  readonly binding: Binding | undefined;
  readonly line: number;
}

/**
 * The header of a table where it does not stand first: below titles that lack a column, or below another header. Of several
 * that follow each other it is the last. Below what names no column at all a header may lack some itself. `bindAt` tells what the fields would find in a row.
 */
export function findHeaderBelow(
  { preview, options, preset }: Layout,
  bindAt: (place: HeaderPlace) => Binding,
): HeaderBelow | undefined {
  if (preset?.row !== undefined || !isTable(preview)) return undefined;
  const rows = preview.rows.map((header, index) => {
    const headerLine = preview.lines[index] ?? 0;
    let binding: Binding | undefined;
    return {
      header,
      headerLine,
      // Bound when it is looked at: of most files the first two are enough, and cells of records are compared with all names.
      get binding() {
        binding ??= bindAt({ header, headerLine });
        return binding;
      },
    };
  });
  const from = rows.findIndex(({ headerLine }) => headerLine >= (options.headerRow ?? 1));
  const taken = rows[from];
  if (taken === undefined) return undefined;
  const isTitle = boundColumns(taken).size === 0;
  const isHeader = (index: number) => {
    const row = rows[index];
    if (row === undefined) return false;
    if (!binds(row.binding)) return isTitle && namesSeveral(row);
    return !binds(taken.binding) || isMostlyBound(row);
  };
  let at = binds(taken.binding) ? from : rows.findIndex((_, index) => index > from && isHeader(index));
  if (at === -1) return undefined;
  while (isHeader(at + 1)) at += 1;
  const line = rows[at]?.headerLine;
  if (line === undefined || at === from) return undefined;
  return { taken: taken.headerLine, binding: binds(taken.binding) ? undefined : taken.binding, line };
}

function isTable({ format }: FilePreview): boolean {
  return format === 'delimited' || format === 'xlsx';
}

function binds({ missingColumns, readers }: Binding): boolean {
  return missingColumns.length === 0 && readers.some(({ columns }) => columns.length > 0);
}

/** Whether most cells of a row name fields: a single one may be the name of a product. */
function isMostlyBound(row: BoundRow): boolean {
  return boundColumns(row).size * 2 > row.header.filter((name) => name.trim() !== '').length;
}

/** Whether several cells of a row name fields, which the cells of a record do not. */
function namesSeveral(row: BoundRow): boolean {
  return boundColumns(row).size > 1;
}

/** The columns that fields would take their values from, or may. */
function boundColumns({ header, binding: { readers, choices } }: BoundRow): ReadonlySet<string> {
  const chosen = readers.flatMap(({ columns }) => columns.flatMap((column) => header[column] ?? []));
  return new Set([...chosen, ...choices.flatMap(({ columns }) => columns)]);
}
