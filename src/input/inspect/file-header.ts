import { itemRows } from '../formats/json/item-rows.ts';
import { previewFile } from '../formats/preview.ts';
import { readTable } from '../formats/table.ts';
import { type Binding, bind } from '../mapping/binding.ts';
import { findLayout, type Layout } from '../mapping/layout.ts';
import { readMapping } from '../mapping/mapping.ts';
import type { InputFile } from '../open/input-file.ts';
import type { InputOptions } from '../records/options.ts';
import type { RecordKind } from '../records/record-kinds.ts';

export interface FileHeader {
  readonly layout: Layout;
  readonly file: string;
  readonly header: readonly string[];
  readonly headerLine: number;
  readonly hasRows: boolean;
}

export async function readHeader<T>(
  file: InputFile,
  { name, fields }: RecordKind<T>,
  options: InputOptions,
): Promise<FileHeader> {
  const preview = await previewFile(file, options);
  const layout = findLayout(preview, name, options);
  const settings = { ...layout.options, guideRows: layout.guideRows };
  let seen: FileHeader = { layout, file: file.shownAs, header: [], headerLine: 1, hasRows: false };
  const table = readTable(preview, settings);
  const isOfOrders = fields.some(({ isOfOrder }) => isOfOrder);
  const batches = isOfOrders ? itemRows(file, table, { areNew: false }) : table;
  for await (const { header, headerLine, rows, problems } of batches) {
    file.stopping.throwIfAborted();
    if (header.length === 0) continue;
    // The first row may be unreadable, and may be in a later batch than the header.
    seen = { ...seen, header, headerLine, hasRows: rows.length + problems.length > 0 };
    if (seen.hasRows) break;
  }
  return seen;
}

/** The binding of a header; undefined if the file has no rows or is another export. */
export function bindHeader<T>(
  header: FileHeader,
  kind: RecordKind<T>,
  options: InputOptions,
): Binding | undefined {
  const { layout, hasRows } = header;
  if (!hasRows || layout.otherExport !== undefined) return undefined;
  const place = { ...header, firstRows: layout.preview.rows };
  return bind(kind, readMapping(options, kind), place, options, layout.preset?.shape);
}
