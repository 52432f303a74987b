import type { PushJournal } from '../../journal/push-journal.ts';
import type { JournalAccess } from './access.ts';
import type { Answer } from './answers.ts';
import { kindCodes, stateCodes } from './enum-codes.ts';
import type { Records } from './records.ts';

type Items = Map<string, string | undefined>;

/** Looks up items by their orders. A push that does not ask for that does not pay for the index. */
export function createItemsOfOrders({ read }: JournalAccess, records: Records): PushJournal['itemsOf'] {
  const { answers, itemIndex } = records;
  return async (orderOriginIds) => {
    await itemIndex.load();
    return read(() => {
      records.sync();
      // Answers of this process are not indexed as they come.
      itemIndex.refresh();
      const items = new Map<string, Items>();
      for (const order of orderOriginIds) {
        const ofOrder: Items = new Map();
        for (const id of itemIndex.find(records.hashOfOrder(order)))
          addItems(ofOrder, order, answers.get(id));
        if (ofOrder.size > 0) items.set(order, ofOrder);
      }
      return items;
    });
  };
}

function addItems(items: Items, order: string, answer: Answer | undefined): void {
  if (answer === undefined) return;
  const { entries, fates } = answer;
  for (let position = 0; position < entries.count; position += 1) {
    const state = fates.stateAt(position);
    if (state === stateCodes.none || state === stateCodes.failed) continue;
    if (entries.kindCodeAt(position) !== kindCodes['order-item'] || !entries.isOfOrder(position, order))
      continue;
    items.set(entries.originIdAt(position), entries.productAt(position));
  }
}
