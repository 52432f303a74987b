import { Failure } from '../../base/failure.ts';
import { mapConcurrently, streamOf } from '../../base/lists.ts';
import type { Api } from '../../client/caller.ts';
import { paginate } from '../../client/paginate.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Order, Review } from '../../contract/resources.ts';
import type { Acceptance, KnownRecord, PushJournal } from '../../store/journal/push-journal.ts';
import { recordAccepted } from '../steps/record-accepted.ts';
import { lookupGroups } from './find-products.ts';
import { createOrderReviews } from './order-reviews.ts';

/** What came of looking for records whose answer was lost. */
export type LookupEvent =
  | { readonly kind: 'found'; readonly count: number }
  /** From here on nothing is looked for. */
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface LostItemsOptions {
  readonly api: Api;
  readonly journal: Pick<PushJournal, 'known' | 'begin' | 'end'>;
  /** Looks, and puts nothing on record. */
  readonly isDryRun: boolean;
  readonly onLookup: (event: LookupEvent) => void;
}

type KnownItems = ReadonlyMap<string, KnownRecord>;

/** Lookups under way at once. */
const lookupsAtOnce = 4;
/** Reviews read of some 100 orders, which nobody reviews ten times each. */
const reviewsPerLookupMaximum = 1000;
/** Rewards read in a push: the newest, with which lists of the service begin. */
const rewardsMaximum = 2000;

/**
 * Looks at the service for items of which nobody knows whether they were made. No operation finds an item by its originId, but an order shows its
 * items (API 4.9), and its id is known from the journal, its reviews (API 4.15) or rewards (API 4.18). What the service has in the order and of
 * the product that was sent is accepted, in the journal too, with its order where that was sent with it. Of all else nothing is learned: an item
 * that is not shown may yet come. It costs one list for each 100 orders, 20 pages of rewards, and one call for each order whose id is known.
 */
export function createLostItemSearch({
  api,
  journal,
  isDryRun,
  onLookup,
}: LostItemsOptions): (known: KnownItems) => Promise<KnownItems> {
  const orderIds = createOrderIds(api);
  let hasFailed = false;
  return async (known) => {
    const lost = new Map([...known].filter(([, { fate }]) => fate === 'unknown'));
    if (lost.size === 0 || hasFailed) return known;
    const sighting = new Sighting(lost);
    try {
      await orderIds.learn(sighting, journal);
      await readOrders(api, sighting);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      hasFailed = true;
      onLookup({ kind: 'failed', failure: error });
    }
    const { found } = sighting;
    if (found.size === 0) return known;
    if (!isDryRun) await recordAccepted(journal, 'order-item', ...(await acceptances(sighting, journal)));
    onLookup({ kind: 'found', count: found.size });
    return new Map([...known].map(([originId, item]) => [originId, accepted(item, found.get(originId))]));
  };
}

/** What is seen of lost items. */
class Sighting {
  readonly lost: KnownItems;
  /** The service's ids of those that were found, by originId. */
  readonly found = new Map<string, string>();
  /** The service's ids of their orders, by originId. */
  readonly orderIds = new Map<string, string>();

  constructor(lost: KnownItems) {
    this.lost = lost;
  }

  /** The orders of items that were not found. */
  get orders(): readonly string[] {
    const missing = [...this.lost].filter(([originId]) => !this.found.has(originId));
    return [...new Set(missing.flatMap(([, { orderOriginId }]) => orderOriginId ?? []))];
  }

  takeOrder({ originId, id }: NamedOrder): void {
    if (originId && id) this.orderIds.set(originId, id);
  }

  /** Takes an item for the lost one of its originId where order and product are those that were sent. */
  takeItem({ originId: orderOriginId }: NamedOrder, { id, originId, product }: NamedItem): void {
    const sent = this.lost.get(originId ?? '');
    if (!id || !originId || sent === undefined) return;
    const fits = sent.orderOriginId === orderOriginId && sent.productOriginId === product?.originId;
    if (fits && orderOriginId !== undefined) this.found.set(originId, id);
  }
}

type NamedOrder = Partial<Pick<NonNullable<Review['order']>, 'id' | 'originId'>>;
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
    learn: async (sighting: Sighting, journal: Pick<PushJournal, 'known'>): Promise<void> => {
      for (const [originId, { objectId }] of await journal.known('order', sighting.orders)) {
        sighting.takeOrder({ originId, ...(objectId === undefined ? {} : { id: objectId }) });
      }
      const groups = lookupGroups([ordersWithoutId(sighting)], (originId) => originId);
      for await (const reviews of mapConcurrently(groups, { width: lookupsAtOnce }, someReviewsOf)) {
        for (const { order, orderItem, product } of reviews) {
          sighting.takeOrder(order ?? {});
          sighting.takeItem(order ?? {}, { ...orderItem, product: orderItem?.product ?? product });
        }
      }
      const missing = ordersWithoutId(sighting);
      if (missing.length === 0) return;
      rewarded ??= rewardedOrders(api);
      const ids = await rewarded;
      for (const originId of missing) sighting.takeOrder({ originId, id: ids.get(originId) ?? null });
    },
  };
}

function ordersWithoutId({ orders, orderIds }: Sighting): string[] {
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
async function readOrders(api: Api, sighting: Sighting): Promise<void> {
  const orderIds = sighting.orders.flatMap((originId) => sighting.orderIds.get(originId) ?? []);
  const orders = mapConcurrently(streamOf(orderIds), { width: lookupsAtOnce }, (id) => findOrder(api, id));
  for await (const order of orders) {
    for (const item of order?.items ?? []) sighting.takeItem(order ?? {}, item);
  }
}

async function findOrder(api: Api, orderId: string): Promise<Order | undefined> {
  try {
    return (await api.call('getOrder', { params: { orderId } })).value;
  } catch (error) {
    const isNone =
      error instanceof ServiceFailure && (error.kind === 'not-found' || error.kind === 'refused');
    if (isNone) return undefined;
    throw error;
  }
}

/** What the journal is to know of the items that were found, and of the orders that were sent with them. */
async function acceptances(
  { lost, found, orderIds }: Sighting,
  journal: Pick<PushJournal, 'known'>,
): Promise<readonly Acceptance[]> {
  const items = [...found].map(([originId, objectId]) => ({ entry: entryOf(originId, lost), objectId }));
  const orders = await journal.known('order', [
    ...new Set(items.map(({ entry }) => entry.orderOriginId ?? '')),
  ]);
  const lostOrders = [...orders].filter(([, { fate }]) => fate === 'unknown');
  return [
    ...items,
    ...lostOrders.map(([originId, { contentHash }]) => {
      const objectId = orderIds.get(originId);
      return {
        entry: { originId, contentHash, kind: 'order' as const },
        ...(objectId === undefined ? {} : { objectId }),
      };
    }),
  ];
}

function entryOf(originId: string, lost: KnownItems): Acceptance['entry'] {
  const { contentHash = '', productOriginId, orderOriginId } = lost.get(originId) ?? {};
  return {
    originId,
    contentHash,
    ...(productOriginId === undefined ? {} : { productOriginId }),
    ...(orderOriginId === undefined ? {} : { orderOriginId }),
  };
}

function accepted(item: KnownRecord, objectId: string | undefined): KnownRecord {
  return objectId === undefined ? item : { ...item, fate: 'accepted', jobId: undefined, objectId };
}
