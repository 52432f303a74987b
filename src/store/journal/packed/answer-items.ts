import type { Answer } from './answer.ts';
import { kindCodes, stateCodes } from './enum-codes.ts';

/** Items by their originIds, each with the product it was sent for. */
export type Items = Map<string, string | undefined>;

/** The orders of the items in an answer, each once for those that follow one another. */
export function* ordersOf({ entries, fates }: Pick<Answer, 'entries' | 'fates'>): Generator<string> {
  let last: string | undefined;
  for (let position = 0; position < entries.count; position += 1) {
    if (entries.kindCodeAt(position) !== kindCodes['order-item']) continue;
    if (fates.stateAt(position) === stateCodes.none) continue;
    const order = entries.orderAt(position);
    if (order !== undefined && order !== last) yield order;
    last = order;
  }
}

/** Adds the items of an order that an answer has, but for those whose jobs failed. */
export function addItems(items: Items, order: string, { entries, fates }: Answer): void {
  for (let position = 0; position < entries.count; position += 1) {
    const state = fates.stateAt(position);
    if (state === stateCodes.none || state === stateCodes.failed) continue;
    if (entries.kindCodeAt(position) !== kindCodes['order-item'] || !entries.isOfOrder(position, order))
      continue;
    items.set(entries.originIdAt(position), entries.productAt(position));
  }
}
