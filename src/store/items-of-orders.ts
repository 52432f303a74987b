import type { JournalAccess } from './journal-access.ts';
import type { PushJournal } from './push-journal.ts';
import { kindNumbers } from './record-words.ts';

/**
 * Looks up items by their orders. The index for that makes every record of an item a third dearer to write, so a file has it only
 * once it was asked for.
 */
export function createItemsOfOrders({ database, guarded }: JournalAccess): PushJournal['itemsOf'] {
  const prepare = () => {
    database.exec(
      `CREATE INDEX IF NOT EXISTS item_of_order ON record (order_origin_id) WHERE kind = ${kindNumbers['order-item']}`,
    );
    return database.prepare(
      `SELECT asked.key AS position, origin_id AS originId, product_origin_id AS productOriginId
       FROM json_each(?) AS asked CROSS JOIN record
         ON kind = ${kindNumbers['order-item']} AND order_origin_id = asked.value
       WHERE job_state IS NOT 'failed'`,
    );
  };
  let select: ReturnType<typeof prepare> | undefined;
  return async (orderOriginIds) => {
    const rows = guarded(() => {
      select ??= prepare();
      return select.all(JSON.stringify(orderOriginIds)) as unknown as ItemRow[];
    });
    const items = new Map<string, Map<string, string | undefined>>();
    for (const { position, originId, productOriginId } of rows) {
      const order = orderOriginIds[position] ?? '';
      const ofOrder = items.get(order) ?? new Map<string, string | undefined>();
      items.set(order, ofOrder.set(originId, productOriginId ?? undefined));
    }
    return items;
  };
}

interface ItemRow {
  readonly position: number;
  readonly originId: string;
  readonly productOriginId: string | null;
}
