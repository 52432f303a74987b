import type { OrderExtents } from './order-extents.ts';

/**
 * Groups the rows of each order at the position of its last row. `extents` must come from the same rows in the same
 * order; `orderOf` gives the order of a row.
 */
export async function* gatherOrders<R>(
  batches: AsyncIterable<readonly R[]>,
  extents: OrderExtents,
  orderOf: (row: R) => string,
): AsyncGenerator<readonly R[]> {
  const held = new Map<string, R[]>();
  let rowNumber = 0;
  for await (const batch of batches) {
    const complete: R[] = [];
    for (const row of batch) {
      rowNumber += 1;
      const order = orderOf(row);
      const rows = held.get(order) ?? [];
      rows.push(row);
      if (extents.isLast(order, rowNumber)) {
        complete.push(...rows);
        held.delete(order);
      } else held.set(order, rows);
    }
    yield complete;
  }
}
