import { SeenIds } from '../../base/id-set.ts';
import { mapConcurrently } from '../../base/lists.ts';
import type { Api } from '../../client/caller.ts';
import type { OrderItem } from '../../contract/resources.ts';
import type { Entry, OrderItemUpdateRecord } from '../../input/records/record-kinds.ts';
import type { KnownRecord, PushJournal } from '../../store/journal/push-journal.ts';
import { orderItemDetails } from '../compile/order-item-entry.ts';
import type { Breaker } from '../steps/breaker.ts';
import type { PushOutcome, RecordPlace } from '../steps/outcome.ts';
import { outcomeOfFailure } from '../steps/outcome-of-failure.ts';
import { type Contradiction, createItemFinder, type FoundItem } from './find-items.ts';
import { lookupGroups } from './find-products.ts';

/** Where order items are looked for. */
interface ItemSources {
  readonly api: Api;
  readonly breaker: Breaker;
  readonly journal: Pick<PushJournal, 'known'>;
  /** Awaits the turn of a request. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** A record with all that is known of its item before anything is decided. */
export interface ObservedItem {
  readonly entry: Entry<OrderItemUpdateRecord>;
  readonly item: FoundItem | Contradiction | undefined;
  /** The last update the service took for it. */
  readonly accepted: KnownRecord | undefined;
  /** As the service shows it; not asked for where its order is not known, or the record says nothing of it. */
  readonly shown?: OrderItem;
  /** What is to be said of it where the service could not be asked. */
  readonly failed?: PushOutcome;
}

/** Searches for items that may be under way ahead of what is done with them. */
const searchesAhead = 2;

/**
 * Looks for the item of each record, and yields them in input order.
 * @throws as `ItemFinder.find`; ServiceFailure for what no single record is to blame for.
 */
export async function* observeItems(
  sources: ItemSources,
  batches: AsyncIterable<readonly Entry<OrderItemUpdateRecord>[]>,
): AsyncGenerator<readonly ObservedItem[]> {
  const finder = createItemFinder(sources.api, sources.journal);
  const groups = lookupGroups(batches, ({ record }) => record.orderOriginId ?? '');
  const repeated = createRepeatCheck();
  const found = mapConcurrently(groups, { width: searchesAhead }, async (entries) => ({
    entries,
    find: await finder.find(entries.map(({ record }) => record)),
  }));
  const unrepeated = mapEach(found, ({ entries, find }) =>
    entries.map((entry) => ({ entry, item: repeated(entry, find(entry.record)) })),
  );
  yield* mapConcurrently(unrepeated, { width: searchesAhead }, async (items) => {
    const ids = items.flatMap(({ item }) => (isFound(item) ? item.id : []));
    const accepted = await sources.journal.known('order-item-update', ids);
    return Promise.all(
      items.map(async ({ entry, item }) => {
        const observed = { entry, item, accepted: isFound(item) ? accepted.get(item.id) : undefined };
        return isFound(item) && item.orderId !== undefined && hasContent(entry.record)
          ? sources.inTurn(() => look(sources, observed, item.id, item.orderId ?? ''))
          : observed;
      }),
    );
  });
}

async function* mapEach<T, R>(source: AsyncIterable<T>, change: (value: T) => R): AsyncGenerator<R> {
  for await (const value of source) yield change(value);
}

async function look(
  { api, breaker }: ItemSources,
  observed: ObservedItem,
  orderItemId: string,
  orderId: string,
): Promise<ObservedItem> {
  try {
    const { value: shown } = await api.call('getOrderItem', { params: { orderId, orderItemId } });
    breaker.succeeded();
    return { ...observed, shown };
  } catch (error) {
    const failed = outcomeOfFailure(placeOf(observed.entry), error, breaker);
    breaker.check();
    return { ...observed, failed };
  }
}

/**
 * Rejects a second row of one item. Rows are unique by what they are known by, yet one may name the item by its id and
 * another by its originId; both sent, each would undo the other in every push.
 */
function createRepeatCheck() {
  const seen = new SeenIds();
  const files: string[] = [];
  return ({ file, line }: Entry<OrderItemUpdateRecord>, item: ObservedItem['item']): ObservedItem['item'] => {
    if (!isFound(item)) return item;
    if (files.at(-1) !== file) files.push(file);
    const before = seen.add(item.id, files.length - 1, line);
    if (before === undefined) return item;
    const place = `${files[before.fileIndex]}:${before.line}`;
    return {
      contradiction: `${place} changes the same item, whose id is ${item.id}; keep one of the two rows`,
    };
  };
}

export function isFound(item: ObservedItem['item']): item is FoundItem {
  return item !== undefined && 'id' in item;
}

/** Whether a record says anything of its item; a row may leave all of its cells blank. */
export function hasContent(record: OrderItemUpdateRecord): boolean {
  return record.productOriginId !== undefined || Object.keys(orderItemDetails(record)).length > 0;
}

/** A record without an originId is named by its id. */
export function placeOf({ file, line, record }: Entry<OrderItemUpdateRecord>): RecordPlace {
  return { file, line, originId: record.originId ?? record.id ?? '' };
}
