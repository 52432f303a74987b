import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import type { Api } from '../../client/caller.ts';
import type { OrderItemUpdateRecord } from '../../input/records/record-kinds.ts';
import type { JournaledKind, KnownRecord, PushJournal } from '../../store/journal/push-journal.ts';
import { isPartialShipment } from '../compile/order-item-entry.ts';
import { createReviewedItems, itemsInOrders, itemsInRewards, type SeenItem } from './seen-items.ts';

/** An item at the service, with the ids that are known. */
export interface FoundItem {
  readonly id: string;
  /** Required for lookups (API 4.12). */
  readonly orderId?: string | undefined;
  readonly productOriginId?: string | undefined;
}

/** The reason why the item of a record is unclear: its ids belong to different items, or its job has not ended. */
export interface Contradiction {
  readonly contradiction: HintText;
}

/** Finds the items of records; undefined if an item cannot be found. */
export interface ItemFinder {
  /** @throws ServiceFailure if a list cannot be read. */
  find(
    records: readonly OrderItemUpdateRecord[],
  ): Promise<(record: OrderItemUpdateRecord) => FoundItem | Contradiction | undefined>;
}

/** Concurrent reads of orders. */
const ordersAtOnce = 8;

/** The maximum number of reviews to read per order. */
const reviewsPerOrderMaximum = 100;

/** The maximum number of items kept from the list of rewards, about 20 MB. Others are not found there. */
const rewardedItemsMaximum = 200_000;

/** Records by key. An undefined key finds nothing. */
type Known = ReadonlyMap<string | undefined, KnownRecord>;

/**
 * Creates a finder of items. No operation finds an item by its originId, so its id is learned from other sources: the
 * jobs of earlier runs, which the journal keeps; its order, if the id of the order is known (API 4.9); the reviews of
 * its order, if the record names the order (API 4.15); otherwise all rewards, which are read once and only if a record
 * needs them (API 4.18).
 */
export function createItemFinder(api: Api, journal: Pick<PushJournal, 'known'>): ItemFinder {
  const itemsInReviews = createReviewedItems(api);
  let rewarded: Promise<SeenItems> | undefined;
  return {
    find: async (records) => {
      const knownOf = async (
        kind: JournaledKind,
        keyOf: (record: OrderItemUpdateRecord) => string | undefined,
      ) =>
        journal.known(kind, [...new Set(records.flatMap((record) => keyOf(record) ?? []))]) as Promise<Known>;
      const items = await knownOf('order-item', ({ originId }) => originId);
      /** The journaled item with the record's originId. */
      const made = (record: OrderItemUpdateRecord) => ofOrder(record, items.get(record.originId));
      const orderOf = (record: OrderItemUpdateRecord) => record.orderOriginId ?? made(record)?.orderOriginId;
      const orders = await knownOf('order', orderOf);
      const idOf = (record: OrderItemUpdateRecord) => record.id ?? made(record)?.objectId;
      const orderIdOf = (record: OrderItemUpdateRecord) =>
        record.order?.id ?? orders.get(orderOf(record))?.objectId;
      const unseen = records.filter((record) => record.originId !== undefined && idOf(record) === undefined);
      const unseenOrders = [...new Set(unseen.flatMap((record) => orderIdOf(record) ?? []))];
      const ordered = await collect(itemsInOrders(api, unseenOrders, ordersAtOnce));
      const updated = await knownOf('order-item-update', idOf);
      const isLacking = (record: OrderItemUpdateRecord) => {
        const { productOriginId = record.productOriginId, objectId } = made(record) ?? {};
        const isDoubtful = record.originId !== undefined && objectId === undefined;
        // Comparing with the service requires the order of the item.
        const isCompared = updated.has(idOf(record)) || isPartialShipment(record);
        return (
          (idOf(record) === undefined && ordered.get(record) === undefined) ||
          (orderIdOf(record) === undefined && (isDoubtful || isCompared || productOriginId === undefined))
        );
      };
      const lacking = [...new Set(records.filter(isLacking).flatMap((record) => orderOf(record) ?? []))];
      const reviewed = await collect(itemsInReviews(lacking, lacking.length * reviewsPerOrderMaximum));
      for (const item of ordered.items) reviewed.add(item);
      const seen = [reviewed];
      const find = (record: OrderItemUpdateRecord) => {
        const ids = seen.map((some) => some.getByOriginId(record)?.id);
        const contradiction = contradictionOf(record, [made(record)?.objectId, ...ids]);
        if (contradiction !== undefined) return { contradiction };
        const [found] = seen.flatMap((some) => some.get(record) ?? []);
        const id = idOf(record) ?? found?.id;
        if (id == null) return undefined;
        return {
          id,
          orderId: orderIdOf(record) ?? found?.orderId ?? undefined,
          productOriginId: found?.productOriginId ?? made(record)?.productOriginId,
        };
      };
      if (records.some((record) => find(record) === undefined)) {
        rewarded ??= collect(itemsInRewards(api), rewardedItemsMaximum);
        seen.push(await rewarded);
      }
      return (record) => find(record) ?? unfinished(made(record));
    },
  };
}

/** The reason why a sent item cannot be found, if no run has seen the end of its job. */
function unfinished(item: KnownRecord | undefined): Contradiction | undefined {
  if (item?.jobId === undefined || item.jobState !== undefined) return undefined;
  const contradiction = hint`the end of its job ${item.jobId}, which shows its id, is unknown; follow it with
    ${reviewctl`jobs wait`} (setting get-job), then push again`;
  return { contradiction };
}

/** The item, unless it belongs to another order than the record names: same originId there, or a wrong id. */
function ofOrder<T extends { readonly orderOriginId?: string | null | undefined }>(
  { orderOriginId }: OrderItemUpdateRecord,
  item: T | undefined,
): T | undefined {
  return orderOriginId === undefined || item?.orderOriginId === orderOriginId ? item : undefined;
}

/** The error for a record whose two ids belong to different items. */
export function contradictoryIds(id: string, originId: string | undefined, found: string): string {
  return `its id is ${id}, but its originId ${originId} ${found}; correct one of them or leave it out`;
}

/** The error for a record whose id is not among those found by its originId. */
function contradictionOf(
  { id, originId }: OrderItemUpdateRecord,
  ids: readonly (string | null | undefined)[],
): string | undefined {
  const other = ids.find((found) => found != null && found !== id);
  if (id === undefined || other === undefined) return undefined;
  return contradictoryIds(id, originId, `is the item with id ${other}`);
}

/** Items seen at the service, by both of their ids. */
class SeenItems {
  readonly #byId = new Map<string, SeenItem>();
  readonly #byOriginId = new Map<string | undefined, SeenItem>();

  get size(): number {
    return this.#byId.size;
  }

  get items(): Iterable<SeenItem> {
    return this.#byId.values();
  }

  add(item: SeenItem): void {
    if (!item.id || !item.originId) return;
    this.#byId.set(item.id, item);
    this.#byOriginId.set(item.originId, item);
  }

  /** The item of a record. */
  get(record: OrderItemUpdateRecord): SeenItem | undefined {
    return record.id === undefined ? this.getByOriginId(record) : ofOrder(record, this.#byId.get(record.id));
  }

  getByOriginId(record: OrderItemUpdateRecord): SeenItem | undefined {
    return ofOrder(record, this.#byOriginId.get(record.originId));
  }
}

/** Collects items, up to `max`. */
async function collect(items: AsyncIterable<SeenItem>, max = Number.POSITIVE_INFINITY): Promise<SeenItems> {
  const seen = new SeenItems();
  for await (const item of items) {
    seen.add(item);
    if (seen.size >= max) break;
  }
  return seen;
}
