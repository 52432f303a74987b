import { Failure, isInterruption } from '../../base/failure.ts';
import type { Api } from '../../client/caller.ts';
import type { Acceptance, KnownRecord, PushJournal } from '../../store/journal/push-journal.ts';
import { lookupGroups } from './find-products.ts';
import { createReviewedItems, itemsInOrders, itemsInRewards, type SeenItem } from './seen-items.ts';

/** An event of a lookup in the journal and at the service, for the user. */
export type LookupEvent =
  /** The items of this order were sent without its owner, which the input now names. */
  | { readonly kind: 'ownerless'; readonly orderOriginId: string }
  | { readonly kind: 'found'; readonly count: number }
  /** No lookups follow. */
  | { readonly kind: 'failed'; readonly failure: Failure };

interface UnknownItemsOptions {
  readonly api: Api;
  readonly journal: Pick<PushJournal, 'known' | 'record'>;
  readonly onLookup: (event: LookupEvent) => void;
}

/** The search shared by all batches of a push. */
export interface UnknownItemSearch {
  /**
   * Adds to `known` the unknown items that the service has accepted, and the ids of items in `unnamed`, which were
   * accepted without one. Writes nothing.
   */
  find(known: KnownItems, unnamed?: ReadonlySet<string>): Promise<KnownItems>;
  /** Records the found items in the journal; durable once this resolves. @throws as `PushJournal.record`. */
  record(): Promise<void>;
}

type KnownItems = ReadonlyMap<string, KnownRecord>;

/** Concurrent reads of orders. */
const lookupsAtOnce = 4;
/** The maximum number of reviews to read for about 100 orders, which do not have ten reviews each. */
const reviewsPerLookupMaximum = 1000;
/** The maximum number of rewards to read in a push: the newest ones, which come first in lists. */
const rewardsMaximum = 2000;

/**
 * Looks for items of unknown outcome at the service. No operation finds an item by its originId, but an order shows its
 * items (API 4.9). The id of the order is known from the journal, its reviews (API 4.15) or rewards (API 4.18). An item
 * that the service shows in the same order and with the same product counts as accepted, and so does an order that was
 * sent with it. A missing item stays unknown: it may still appear. The cost is one list for each 100 orders, 20 pages
 * of rewards, and one call for each order with a known id.
 */
export function createUnknownItemSearch({ api, journal, onLookup }: UnknownItemsOptions): UnknownItemSearch {
  const orderIds = createOrderIds(api);
  /** The service's ids of all items found, by originId. */
  const found = new Map<string, string>();
  let unrecorded: Acceptance[] = [];
  let recorded = Promise.resolve();
  let hasFailed = false;

  async function lookUp(unknown: KnownItems): Promise<void> {
    const state = new LookupState(unknown);
    try {
      await orderIds.learn(state, journal);
      const orders = state.orders.flatMap((originId) => state.orderIds.get(originId) ?? []);
      for await (const item of itemsInOrders(api, orders, lookupsAtOnce)) state.tryAccept(item);
    } catch (error) {
      if (!(error instanceof Failure) || isInterruption(error)) throw error;
      hasFailed = true;
      onLookup({ kind: 'failed', failure: error });
    }
    if (state.found.size === 0) return;
    unrecorded.push(...(await acceptances(state, journal)));
    for (const [originId, objectId] of state.found) found.set(originId, objectId);
    const count = [...state.found.keys()].filter(
      (originId) => unknown.get(originId)?.fate === 'unknown',
    ).length;
    if (count > 0) onLookup({ kind: 'found', count });
  }

  async function recordFound(): Promise<void> {
    const acceptances = unrecorded;
    unrecorded = [];
    if (acceptances.length > 0) await journal.record('order-item', acceptances);
  }

  return {
    find: async (known, unnamed) => {
      const isWanted = ([originId, { fate }]: readonly [string, KnownRecord]) =>
        fate === 'unknown' || unnamed?.has(originId) === true;
      const wanted = [...known].filter(isWanted);
      const open = new Map(wanted.filter(([originId]) => !found.has(originId)));
      if (open.size > 0 && !hasFailed) await lookUp(open);
      const named = wanted.flatMap(([originId, item]) => {
        const objectId = found.get(originId);
        const accepted: KnownRecord = { ...item, fate: 'accepted', jobId: undefined, objectId };
        return objectId === undefined ? [] : [[originId, accepted] as const];
      });
      return named.length === 0 ? known : new Map([...known, ...named]);
    },
    record: () => {
      recorded = recorded.then(recordFound);
      return recorded;
    },
  };
}

/** The unknown items, and their state at the service. */
class LookupState {
  readonly unknown: KnownItems;
  /** The service's ids of the items found, by originId. */
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

  /** Records the ids of orders by their originIds. */
  learnOrders(ids: Iterable<readonly [originId: string, id: string | undefined]>): void {
    for (const [originId, id] of ids) if (id) this.orderIds.set(originId, id);
  }

  /** Accepts an item as the unknown one of its originId if its order and product match what was sent. */
  tryAccept({ id, originId, productOriginId, orderId, orderOriginId }: SeenItem): void {
    if (!orderOriginId) return;
    this.learnOrders([[orderOriginId, orderId ?? undefined]]);
    if (!id || !originId) return;
    const sent = this.unknown.get(originId);
    const fits = sent?.orderOriginId === orderOriginId && sent.productOriginId === productOriginId;
    if (fits) this.found.set(originId, id);
  }
}

/** Finds the ids of orders. Shared by all batches of a push. */
function createOrderIds(api: Api) {
  const itemsInReviews = createReviewedItems(api);
  let rewarded: Promise<ReadonlyMap<string, string>> | undefined;

  return {
    learn: async (state: LookupState, journal: Pick<PushJournal, 'known'>): Promise<void> => {
      const known = await journal.known('order', state.orders);
      state.learnOrders([...known].map(([originId, { objectId }]) => [originId, objectId]));
      for await (const group of lookupGroups([ordersWithoutId(state)], (originId) => originId))
        for await (const item of itemsInReviews(group, reviewsPerLookupMaximum)) state.tryAccept(item);
      const missing = ordersWithoutId(state);
      if (missing.length === 0) return;
      rewarded ??= rewardedOrders(api);
      const ids = await rewarded;
      state.learnOrders(missing.map((originId) => [originId, ids.get(originId)]));
    },
  };
}

function ordersWithoutId({ orders, orderIds }: LookupState): string[] {
  return orders.filter((originId) => !orderIds.has(originId));
}

/** The orders of the newest rewards: their ids by their originIds. */
async function rewardedOrders(api: Api): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for await (const { orderId, orderOriginId } of itemsInRewards(api, { limit: rewardsMaximum }))
    if (orderOriginId && orderId) ids.set(orderOriginId, orderId);
  return ids;
}

/** The journal records of the items found, and of the orders that were sent with them. */
async function acceptances(
  { unknown, found, orderIds }: LookupState,
  journal: Pick<PushJournal, 'known'>,
): Promise<readonly Acceptance[]> {
  const items = [...unknown].flatMap(([originId, sent]) => {
    const objectId = found.get(originId);
    const { contentHash, productOriginId, orderOriginId } = sent;
    const entry = { originId, contentHash, productOriginId, orderOriginId };
    return objectId === undefined ? [] : [{ entry, objectId }];
  });
  const orders = await journal.known('order', [
    ...new Set(items.flatMap(({ entry }) => entry.orderOriginId ?? [])),
  ]);
  const unknownOrders = [...orders].filter(([, { fate }]) => fate === 'unknown');
  return [
    ...items,
    ...unknownOrders.map(([originId, { contentHash }]) => ({
      entry: { originId, contentHash, kind: 'order' as const },
      objectId: orderIds.get(originId),
    })),
  ];
}
