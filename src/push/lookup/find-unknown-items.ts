import { Failure, isInterruption } from '../../base/failure.ts';
import { mapConcurrently, streamOf } from '../../base/lists.ts';
import type { Api } from '../../client/caller.ts';
import { paginate } from '../../client/paginate.ts';
import type { Order, Review } from '../../contract/resources.ts';
import type { Acceptance, KnownRecord, PushJournal } from '../../store/journal/push-journal.ts';
import { findOrder } from './find-one.ts';
import { lookupGroups } from './find-products.ts';
import { createOrderReviews } from './order-reviews.ts';

/** The result of a lookup of records whose answer was lost. */
export type LookupEvent =
  | { readonly kind: 'found'; readonly count: number }
  /** No lookup follows. */
  | { readonly kind: 'failed'; readonly failure: Failure };

interface UnknownItemsOptions {
  readonly api: Api;
  readonly journal: Pick<PushJournal, 'known' | 'record'>;
  readonly onLookup: (event: LookupEvent) => void;
}

/** What every batch of a push looks up in. */
export interface UnknownItemSearch {
  /** `known` with the unknown items that the service has as accepted; writes nothing. */
  find(known: KnownItems): Promise<KnownItems>;
  /** Records in the journal what was found; durable once this resolves. @throws as `PushJournal.record`. */
  record(): Promise<void>;
}

type KnownItems = ReadonlyMap<string, KnownRecord>;

/** Lookups under way at once. */
const lookupsAtOnce = 4;
/** Reviews read of some 100 orders, which are not reviewed ten times each. */
const reviewsPerLookupMaximum = 1000;
/** Rewards read in a push: the newest, with which lists of the service begin. */
const rewardsMaximum = 2000;

/**
 * Looks at the service for items of unknown outcome. No operation finds an item by its originId, but an order shows its
 * items (API 4.9), and its id is known from the journal, its reviews (API 4.15) or rewards (API 4.18). What the service
 * has in the order and of the product that was sent is accepted, with its order where that was sent with it. An item
 * that is not shown stays unknown: it may yet appear. It costs one list for each 100 orders, 20 pages of rewards, and
 * one call for each order whose id is known.
 */
export function createUnknownItemSearch({ api, journal, onLookup }: UnknownItemsOptions): UnknownItemSearch {
  const orderIds = createOrderIds(api);
  /** The service's ids of all items that were found, by originId. */
  const found = new Map<string, string>();
  let unrecorded: Acceptance[] = [];
  let recorded = Promise.resolve();
  let hasFailed = false;

  async function lookUp(unknown: KnownItems): Promise<void> {
    const state = new LookupState(unknown);
    try {
      await orderIds.learn(state, journal);
      await readOrders(api, state);
    } catch (error) {
      if (!(error instanceof Failure) || isInterruption(error)) throw error;
      hasFailed = true;
      onLookup({ kind: 'failed', failure: error });
    }
    if (state.found.size === 0) return;
    unrecorded.push(...(await acceptances(state, journal)));
    for (const [originId, objectId] of state.found) found.set(originId, objectId);
    onLookup({ kind: 'found', count: state.found.size });
  }

  async function recordFound(): Promise<void> {
    const acceptances = unrecorded;
    unrecorded = [];
    if (acceptances.length > 0) await journal.record('order-item', acceptances);
  }

  return {
    find: async (known) => {
      const isOpen = ([originId, { fate }]: readonly [string, KnownRecord]) =>
        fate === 'unknown' && !found.has(originId);
      const unknown = new Map([...known].filter(isOpen));
      if (unknown.size > 0 && !hasFailed) await lookUp(unknown);
      if (found.size === 0) return known;
      return new Map([...known].map(([originId, item]) => [originId, accepted(item, found.get(originId))]));
    },
    record: () => {
      recorded = recorded.then(recordFound);
      return recorded;
    },
  };
}

/** The unknown items, and what the service shows of them. */
class LookupState {
  readonly unknown: KnownItems;
  /** The service's ids of those that were found, by originId. */
  readonly found = new Map<string, string>();
  /** The service's ids of their orders, by originId. */
  readonly orderIds = new Map<string, string>();

  constructor(unknown: KnownItems) {
    this.unknown = unknown;
  }

  /** The orders of items that were not found. */
  get orders(): readonly string[] {
    const missing = [...this.unknown].filter(([originId]) => !this.found.has(originId));
    return [...new Set(missing.flatMap(([, { orderOriginId }]) => orderOriginId ?? []))];
  }

  takeOrder({ originId, id }: NamedOrder): void {
    if (originId && id) this.orderIds.set(originId, id);
  }

  /** Accepts an item as the unknown one of its originId where order and product are those that were sent. */
  takeItem({ originId: orderOriginId }: NamedOrder, { id, originId, product }: NamedItem): void {
    if (!id || !originId || !orderOriginId) return;
    const sent = this.unknown.get(originId);
    const fits = sent?.orderOriginId === orderOriginId && sent.productOriginId === product?.originId;
    if (fits) this.found.set(originId, id);
  }
}

type NamedOrder = { readonly [name in 'id' | 'originId']?: string | null | undefined };
type NamedItem = Partial<Pick<NonNullable<Order['items']>[number], 'id' | 'originId' | 'product'>>;

/** Where the ids of orders are learned; what all batches of a push share. */
function createOrderIds(api: Api) {
  const reviewsOf = createOrderReviews(api);
  let rewarded: Promise<ReadonlyMap<string, string>> | undefined;

  async function someReviewsOf(orderOriginIds: readonly string[]): Promise<readonly Review[]> {
    const reviews: Review[] = [];
    const bounds = { limit: reviewsPerLookupMaximum };
    for await (const records of reviewsOf(orderOriginIds, bounds)) reviews.push(...records);
    return reviews;
  }

  return {
    learn: async (state: LookupState, journal: Pick<PushJournal, 'known'>): Promise<void> => {
      for (const [originId, { objectId }] of await journal.known('order', state.orders)) {
        state.takeOrder({ originId, id: objectId });
      }
      const groups = lookupGroups([ordersWithoutId(state)], (originId) => originId);
      for await (const reviews of mapConcurrently(groups, { width: lookupsAtOnce }, someReviewsOf)) {
        for (const { order, orderItem, product } of reviews) {
          state.takeOrder(order ?? {});
          state.takeItem(order ?? {}, { ...orderItem, product: orderItem?.product ?? product });
        }
      }
      const missing = ordersWithoutId(state);
      if (missing.length === 0) return;
      rewarded ??= rewardedOrders(api);
      const ids = await rewarded;
      for (const originId of missing) state.takeOrder({ originId, id: ids.get(originId) });
    },
  };
}

function ordersWithoutId({ orders, orderIds }: LookupState): string[] {
  return orders.filter((originId) => !orderIds.has(originId));
}

/** The orders of the newest rewards: their ids by their originIds. */
async function rewardedOrders(api: Api): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for await (const { records } of paginate(api, 'listRewards', {}, { limit: rewardsMaximum })) {
    for (const { order } of records) if (order?.originId && order.id) ids.set(order.originId, order.id);
  }
  return ids;
}

/** Looks into the orders whose ids are known for the items that are still missing. */
async function readOrders(api: Api, state: LookupState): Promise<void> {
  const orderIds = state.orders.flatMap((originId) => state.orderIds.get(originId) ?? []);
  const orders = mapConcurrently(streamOf(orderIds), { width: lookupsAtOnce }, (id) => findOrder(api, id));
  for await (const order of orders) {
    if (order !== undefined) for (const item of order.items ?? []) state.takeItem(order, item);
  }
}

/** What to record of the items that were found, and of the orders that were sent with them. */
async function acceptances(
  { unknown, found, orderIds }: LookupState,
  journal: Pick<PushJournal, 'known'>,
): Promise<readonly Acceptance[]> {
  const items = [...unknown].flatMap(([originId, sent]) => {
    const objectId = found.get(originId);
    return objectId === undefined ? [] : [{ entry: entryOf(originId, sent), objectId }];
  });
  const orders = await journal.known('order', [
    ...new Set(items.flatMap(({ entry }) => entry.orderOriginId ?? [])),
  ]);
  const unknownOrders = [...orders].filter(([, { fate }]) => fate === 'unknown');
  return [
    ...items,
    ...unknownOrders.map(([originId, { contentHash }]) => {
      const objectId = orderIds.get(originId);
      return {
        entry: { originId, contentHash, kind: 'order' as const },
        ...(objectId === undefined ? {} : { objectId }),
      };
    }),
  ];
}

function entryOf(
  originId: string,
  { contentHash, productOriginId, orderOriginId }: KnownRecord,
): Acceptance['entry'] {
  return {
    originId,
    contentHash,
    ...(productOriginId === undefined ? {} : { productOriginId }),
    ...(orderOriginId === undefined ? {} : { orderOriginId }),
  };
}

function accepted(item: KnownRecord, objectId: string | undefined): KnownRecord {
  const isFound = objectId !== undefined && item.fate === 'unknown';
  return !isFound ? item : { ...item, fate: 'accepted', jobId: undefined, objectId };
}
