import { itemRows } from '../formats/json/item-rows.ts';
import { readFirstPiece } from '../formats/table.ts';
import { type Binding, bind } from '../mapping/binding.ts';
import { readMapping } from '../mapping/mapping.ts';
import type { RecognizedFile } from '../mapping/recognize.ts';
import type { InputOptions } from '../records/options.ts';
import type { RecordKind } from '../records/record-kinds.ts';

/** A recognized file with its header, as its first piece has it. */
export interface FileHeader {
  readonly recognized: RecognizedFile;
  readonly header: readonly string[];
  readonly headerLine: number;
  readonly hasRows: boolean;
}

export async function readHeader<T>(
  recognized: RecognizedFile,
  { fields }: RecordKind<T>,
  options: InputOptions,
): Promise<FileHeader> {
  const { file, headerLine: expected } = recognized;
  let seen: FileHeader = { recognized, header: [], headerLine: expected, hasRows: false };
  const table = readFirstPiece(recognized, options);
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
  { recognized, hasRows, ...place }: FileHeader,
  kind: RecordKind<T>,
  options: InputOptions,
): Binding | undefined {
  const { file, otherExport, preset, rows: firstRows } = recognized;
  if (!hasRows || otherExport !== undefined) return undefined;
  const header = { ...place, file: file.shownAs, firstRows };
  return bind(kind, readMapping(options, kind), header, options, preset?.shape);
}
