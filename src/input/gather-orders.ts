import type { OrderExtents } from './order-extents.ts';
import type { Entry } from './place.ts';

/** Gives the rows of each order together, where the last of them is; `extents` were learned from the same rows in the same order. */
export async function* gatherOrders<T extends object>(
  batches: AsyncIterable<readonly Entry<T>[]>,
  extents: OrderExtents,
): AsyncGenerator<readonly Entry<T>[]> {
  const held = new Map<string, Entry<T>[]>();
  let rowNumber = 0;
  for await (const batch of batches) {
    const complete: Entry<T>[] = [];
    for (const entry of batch) {
      rowNumber += 1;
      const order = extents.orderOf(entry.record);
      const rows = held.get(order) ?? [];
      rows.push(entry);
      if (extents.isLast(order, rowNumber)) {
        complete.push(...rows);
        held.delete(order);
      } else held.set(order, rows);
    }
    yield complete;
  }
}
