import { addItems, type Items } from '../../journal/packed/answer-items.ts';
import type { PushJournal } from '../../journal/push-journal.ts';
import type { JournalAccess } from './access.ts';
import type { Records } from './records.ts';

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
        for (const id of itemIndex.find(records.hashOfOrder(order))) {
          const answer = answers.get(id);
          if (answer !== undefined) addItems(ofOrder, order, answer);
        }
        if (ofOrder.size > 0) items.set(order, ofOrder);
      }
      return items;
    });
  };
}
