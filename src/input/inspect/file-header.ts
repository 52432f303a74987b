import { itemRows } from '../formats/json/item-rows.ts';
import { readTable } from '../formats/open-table.ts';
import { type Binding, bind } from '../mapping/binding.ts';
import { type RecognizedFile, recognize } from '../mapping/recognize.ts';
import type { InputFile } from '../open/input-file.ts';
import { orderFieldOf } from '../records/field.ts';
import type { InputOptions } from '../records/options.ts';
import type { RecordKind } from '../records/record-kinds.ts';

/** A recognized file with its header, as its first piece has it. */
export interface FileHeader {
  /** Without the sheet of a workbook: its texts would be held for as many files as are inspected. */
  readonly recognized: RecognizedFile;
  readonly header: readonly string[];
  readonly headerLine: number;
  readonly hasRows: boolean;
}

/** Recognizes a file of records of a kind and reads its header. @throws as `recognize` and `readTable`. */
export async function readHeader(
  file: InputFile,
  { name, fields }: RecordKind,
  options: InputOptions,
): Promise<FileHeader> {
  const recognized = await recognize(file, options, name);
  const { headerLine: expected } = recognized;
  const known = { ...recognized, sheet: undefined };
  let seen: FileHeader = { recognized: known, header: [], headerLine: expected, hasRows: false };
  const table = readTable(recognized, options, { isFirstPiece: true });
  const batches = orderFieldOf(fields) ? itemRows(file, table, { areNew: false }) : table;
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
export function bindHeader(
  { recognized, hasRows, ...place }: FileHeader,
  kind: RecordKind,
  options: InputOptions,
): Binding | undefined {
  if (!hasRows || recognized.otherExport !== undefined) return undefined;
  return bind(kind, recognized, place, options);
}
