import { hint, reviewctl } from '../../../base/hint.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../../base/json.ts';
import type { InputFile } from '../../open/input-file.ts';
import { type Cell, isFilled, quoted } from '../../records/cell.ts';
import type { Fault } from '../../records/problem.ts';
import type { InputRow, RowBatch } from '../../records/row-batch.ts';
import { ObjectTable } from './object-table.ts';

/** The field in which the service returns the items of an order (API 2). */
const itemsField = 'items';

/** The ids of an order, with their names in the rows of its items. */
const orderIdNames: ReadonlyMap<string, string> = new Map([
  ['id', 'order.id'],
  ['originId', 'order.originId'],
]);

/**
 * Expands orders as the service returns them into one row per item. A row has the fields of the item and of its order,
 * whose ids become `order.id` and `order.originId`. Any other table passes through. If the records are new (`areNew`),
 * an item with an id of the service is a problem.
 */
export async function* itemRows(
  file: InputFile,
  batches: AsyncIterable<RowBatch>,
  { areNew }: { readonly areNew: boolean },
): AsyncGenerator<RowBatch> {
  let table: ObjectTable | undefined;
  let isOther = false;
  for await (const batch of batches) {
    const first = batch.rows.find(({ problem }) => problem === undefined);
    if (table === undefined && !isOther && first !== undefined) {
      if (itemsOf(first, batch.header) === undefined) isOther = true;
      else table = new ObjectTable(batch.sourceFormat && { ...batch.sourceFormat, ...asObjects });
    }
    yield table === undefined ? batch : expandItems(batch, file.shownAs, { table, areNew });
  }
}

/** The format of expanded rows, whatever that of the file. */
const asObjects = { format: 'ndjson', delimiter: '', head: [] } as const;

function expandItems(
  batch: RowBatch,
  file: string,
  { table, areNew }: { readonly table: ObjectTable; readonly areNew: boolean },
): RowBatch {
  for (const row of batch.rows) {
    const { line } = row;
    const items = itemsOf(row, batch.header);
    if (row.problem !== undefined) table.leaveOut(line, row.raw, row.problem);
    else if (items === undefined) table.leaveOut(line, undefined, notItems);
    for (const item of items ?? []) {
      if (areNew && isFilled(item['id'])) {
        table.leaveOut(line, undefined, existingItem(file, item['id']));
        continue;
      }
      const record = { ...orderOf(row, batch.header), ...item };
      table.add(line, record, JSON.stringify(record));
    }
  }
  return table.batch(batch.end);
}

const notItems: Fault = {
  column: itemsField,
  code: 'not-items',
  reason: 'these are not the items of an order',
  remedy: 'write them as JSON, as orders get prints them: [{"originId":"A-1","product":{"originId":"P1"}}]',
} as const;

function existingItem(file: string, id: Json): Fault {
  return {
    column: 'id',
    value: quoted(id),
    code: 'existing-item',
    reason: 'this item has an id of the service, so it exists, but orders push creates items',
    remedy: hint`change existing items with ${reviewctl`order-items push ${file}`}; remove this one to add
      others to its order`,
  };
}

/** The items in a row: an array in JSON, its text in CSV; undefined if there are none. */
function itemsOf({ cells }: InputRow, header: readonly string[]): readonly JsonObject[] | undefined {
  const items = listIn(cells[header.indexOf(itemsField)]);
  return items?.every(isJsonObject) ? items : undefined;
}

function listIn(cell: Cell): readonly Json[] | undefined {
  if (Array.isArray(cell)) return cell;
  if (typeof cell !== 'string' || !cell.trimStart().startsWith('[')) return undefined;
  const value = parseJson(cell);
  return Array.isArray(value) ? value : undefined;
}

/** The fields of the order itself. */
function orderOf({ cells }: InputRow, header: readonly string[]): JsonObject {
  const fields: [string, Json][] = [];
  for (const [column, name] of header.entries()) {
    const cell = cells[column];
    if (name !== itemsField && cell !== undefined) fields.push([orderIdNames.get(name) ?? name, cell]);
  }
  return Object.fromEntries(fields);
}
