import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import type { Api } from '../../client/caller.ts';
import type { OrderItemUpdateRecord } from '../../input/records/record-kinds.ts';
import type { JournaledKind, KnownRecord, PushJournal } from '../../store/journal/push-journal.ts';
import { isPartialShipment } from '../compile/order-item-entry.ts';
import { createReviewedItems, itemsInOrders, itemsInRewards, type SeenItem } from './seen-items.ts';

/** An item at the service, as far as it could be found. */
export interface FoundItem {
  readonly id: string;
  /** With it the item can be looked up (API 4.12). */
  readonly orderId?: string | undefined;
  readonly productOriginId?: string | undefined;
}

/** Why no item can be taken for the one a record means: its ids lead to different ones, or to a job. */
export interface Contradiction {
  readonly contradiction: HintText;
}

/** Finds items by what a record says of them; undefined where nothing leads to the item. */
export interface ItemFinder {
  /** @throws ServiceFailure when a list cannot be read. */
  find(
    records: readonly OrderItemUpdateRecord[],
  ): Promise<(record: OrderItemUpdateRecord) => FoundItem | Contradiction | undefined>;
}

/** Orders that are read at once. */
const ordersAtOnce = 8;

/** Reviews that are read of each order. */
const reviewsPerOrderMaximum = 100;

/** Items that are kept from the list of rewards, some 20 MB; those beyond are not found by it. */
const rewardedItemsMaximum = 200_000;

/** Looked up by ids that a record may lack, under which nothing is known. */
type Known = ReadonlyMap<string | undefined, KnownRecord>;

/**
 * No operation finds an item by its originId, so its id is learned from what names both: the jobs of earlier runs,
 * which the journal keeps; its order, if the id of that is known (API 4.9); the reviews of its order, where the record
 * names that (API 4.15); else all rewards, which are read once and only when a record needs them (API 4.18).
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
      /** What the journal knows of the item a record means by its originId. */
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
        // Held against what the service shows, which only the order of the item leads to.
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

/** Why an item is not found that was sent, if nobody has seen the end of its job. */
function unfinished(item: KnownRecord | undefined): Contradiction | undefined {
  if (item?.jobId === undefined || item.jobState !== undefined) return undefined;
  const contradiction = hint`nobody has seen the end of its job ${item.jobId}, which shows its id; follow it with
    ${reviewctl`jobs wait`} (setting get-job), then push again`;
  return { contradiction };
}

/** An item, unless it is one of another order than the record names: that has the same originId, or the id is wrong. */
function ofOrder<T extends { readonly orderOriginId?: string | null | undefined }>(
  { orderOriginId }: OrderItemUpdateRecord,
  item: T | undefined,
): T | undefined {
  return orderOriginId === undefined || item?.orderOriginId === orderOriginId ? item : undefined;
}

/** The error of a record whose two ids are of different items. */
export function contradictoryIds(id: string, originId: string | undefined, found: string): string {
  return `its id is ${id}, but its originId ${originId} ${found}; correct one of them or leave it out`;
}

/** What is wrong with a record whose id is none of those its originId leads to. */
function contradictionOf(
  { id, originId }: OrderItemUpdateRecord,
  ids: readonly (string | null | undefined)[],
): string | undefined {
  const other = ids.find((found) => found != null && found !== id);
  if (id === undefined || other === undefined) return undefined;
  return contradictoryIds(id, originId, `is the item with id ${other}`);
}

/** Items that were seen at the service, by both of their ids. */
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

  /** The item a record means. */
  get(record: OrderItemUpdateRecord): SeenItem | undefined {
    return record.id === undefined ? this.getByOriginId(record) : ofOrder(record, this.#byId.get(record.id));
  }

  getByOriginId(record: OrderItemUpdateRecord): SeenItem | undefined {
    return ofOrder(record, this.#byOriginId.get(record.originId));
  }
}

/** Keeps items, up to `most`. */
async function collect(items: AsyncIterable<SeenItem>, most = Number.POSITIVE_INFINITY): Promise<SeenItems> {
  const seen = new SeenItems();
  for await (const item of items) {
    seen.add(item);
    if (seen.size >= most) break;
  }
  return seen;
}
