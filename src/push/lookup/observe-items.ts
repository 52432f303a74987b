import type { Api } from '../../client/caller.ts';
import type { OrderItem } from '../../contract/resources.ts';
import type { Entry, OrderItemUpdateRecord } from '../../input/records/record-kinds.ts';
import type { KnownRecord, PushJournal } from '../../store/journal/push-journal.ts';
import { orderItemDetails } from '../compile/order-item-entry.ts';
import { placeOf } from '../steps/outcome.ts';
import { type Asking, askInTurn, type Failed } from '../steps/outcome-of-failure.ts';
import type { Contradiction, FoundItem, ItemFinder } from './find-items.ts';

/** The sources of order items. */
interface ItemSources extends Asking {
  readonly api: Api;
  readonly finder: ItemFinder;
  readonly journal: Pick<PushJournal, 'known'>;
}

/** A record with everything known about its item before a decision. */
export interface ObservedItem extends Failed {
  readonly entry: Entry<OrderItemUpdateRecord>;
  readonly item: FoundItem | Contradiction | undefined;
  /** The last update that the service accepted for it. */
  readonly accepted: KnownRecord | undefined;
  /** The item at the service. Not read if its order is unknown, or if the record has no content. */
  readonly shown?: OrderItem;
}

/**
 * Looks up the items of records. The records must fit into one lookup.
 * @throws as `ItemFinder.find`; ServiceFailure if no single record is the cause.
 */
export async function observeItems(
  sources: ItemSources,
  entries: readonly Entry<OrderItemUpdateRecord>[],
): Promise<readonly ObservedItem[]> {
  const { api, breaker, finder, journal } = sources;
  const find = await finder.find(entries.map(({ record }) => record));
  const items = entries.map((entry) => ({ entry, item: find(entry.record) }));
  const ids = items.flatMap(({ item }) => (isFound(item) ? item.id : []));
  const accepted = await journal.known('order-item-update', ids);
  const observe = async ({ entry, item }: (typeof items)[number]): Promise<ObservedItem> => {
    const observed = { entry, item, accepted: isFound(item) ? accepted.get(item.id) : undefined };
    if (!isFound(item) || item.orderId === undefined || !hasContent(entry.record)) return observed;
    const { id: orderItemId, orderId } = item;
    return askInTurn<ObservedItem>(sources, observed, placeOf(entry), async () => {
      const { value: shown } = await api.call('getOrderItem', { params: { orderId, orderItemId } });
      breaker.succeeded();
      return { ...observed, shown };
    });
  };
  return Promise.all(items.map(observe));
}

export function isFound(item: ObservedItem['item']): item is FoundItem {
  return item !== undefined && 'id' in item;
}

/** True if a record has any content for its item; all cells of a row may be blank. */
export function hasContent(record: OrderItemUpdateRecord): boolean {
  return record.productOriginId !== undefined || Object.keys(orderItemDetails(record)).length > 0;
}
