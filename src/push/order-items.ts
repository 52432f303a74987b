import { mapConcurrently } from '../base/lists.ts';
import type { Api } from '../client/caller.ts';
import type { OrderItem } from '../contract/resources.ts';
import type { Entry } from '../input/place.ts';
import type { OrderItemUpdateRecord } from '../input/record-kinds.ts';
import { SeenIds } from '../input/seen-ids.ts';
import type { KnownRecord, PushJournal } from '../store/push-journal.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import { contentHash, isSameContent } from './content-hash.ts';
import { contradicted, contradictoryReply } from './contradictory-reply.ts';
import { type RefusedOrders, refuseRenumbered } from './counted-orders.ts';
import type { Resend } from './decide.ts';
import { type Contradiction, contradictoryIds, createItemFinder, type FoundItem } from './find-items.ts';
import { lookupGroups } from './find-products.ts';
import { createFirstAlone, type FirstAlone } from './first-alone.ts';
import { orderItemChanges } from './order-item-changes.ts';
import { orderItemDetails } from './order-item-entry.ts';
import { type Outcome, outcomeOf, type RecordPlace } from './outcome.ts';
import { outcomeOfFailure } from './outcome-of-failure.ts';
import { remember } from './remember.ts';
import { runSteps, type StepOptions } from './run-steps.ts';
import type { OrderItemBody } from './update-accepted.ts';

export interface OrderItemsPush extends StepOptions {
  readonly batches: AsyncIterable<readonly Entry<OrderItemUpdateRecord>[]>;
  readonly api: Api;
  readonly journal: Pick<PushJournal, 'known' | 'itemsOf' | 'begin' | 'end'>;
  readonly resend: Resend | undefined;
  /** Reads the input from its start once more; given where its originIds are made with `{n}`. */
  readonly rereadCounted?: (() => AsyncIterable<readonly Entry<OrderItemUpdateRecord>[]>) | undefined;
}

/** Searches for items that may be under way ahead of the updates. */
const searchesAhead = 2;

interface Step {
  readonly entry: Entry<OrderItemUpdateRecord>;
  readonly item: FoundItem | Contradiction | undefined;
  /** The last update the service took for it. */
  readonly accepted: KnownRecord | undefined;
}

interface Context extends Pick<OrderItemsPush, 'api' | 'journal' | 'resend' | 'isDryRun'> {
  readonly breaker: Breaker;
  readonly firstAlone: FirstAlone;
  /** Given where originIds are made with `{n}`. */
  readonly refusedOrders: RefusedOrders | undefined;
}

/**
 * Changes items the service has already (API 4.13). An item whose order is known is compared with what the service has
 * (API 4.12), and only what differs is sent; any other is sent whole, once: the journal remembers what was taken, and the outcome of
 * one that is skipped says that it was compared with that alone. An update may be
 * repeated, so the transport does that when its answer is lost. Where an originId is made with `{n}`, its row must be of the product
 * that the item has.
 * @throws ServiceFailure for what no single record is to blame for, after the outcomes of all that was under way.
 */
export async function* pushOrderItems(push: OrderItemsPush): AsyncGenerator<readonly Outcome[]> {
  const { journal, rereadCounted } = push;
  const refusedOrders = rereadCounted && (await refuseRenumbered(rereadCounted, journal));
  const context: Context = {
    ...push,
    breaker: createBreaker(),
    firstAlone: createFirstAlone(),
    refusedOrders,
  };
  yield* runSteps(plan(push), push, async (step, report) => {
    report(await pushItem(context, step));
    context.breaker.check();
  });
}

async function* plan({ api, journal, batches }: OrderItemsPush): AsyncGenerator<Step> {
  const finder = createItemFinder(api, journal);
  const groups = lookupGroups(batches, ({ record }) => record.orderOriginId ?? '');
  const searches = mapConcurrently(groups, { width: searchesAhead }, async (entries) => ({
    entries,
    find: await finder.find(entries.map(({ record }) => record)),
  }));
  const repeated = createRepeatCheck();
  for await (const { entries, find } of searches) {
    const items = entries.map((entry) => repeated(entry, find(entry.record)));
    const accepted = await journal.known(
      'order-item-update',
      items.flatMap((item) => (isFound(item) ? item.id : [])),
    );
    for (const [index, entry] of entries.entries()) {
      const item = items[index];
      yield { entry, item, accepted: isFound(item) ? accepted.get(item.id) : undefined };
    }
  }
}

/**
 * Rejects a second row of one item. Rows are unique by what they are known by, yet one may name the item by its id and another
 * by its originId; both sent, each would undo the other in every push.
 */
function createRepeatCheck() {
  const seen = new SeenIds();
  const files: string[] = [];
  return ({ file, line }: Entry<OrderItemUpdateRecord>, item: Step['item']): Step['item'] => {
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

function isFound(item: Step['item']): item is FoundItem {
  return item !== undefined && 'id' in item;
}

async function pushItem(context: Context, { entry, item, accepted }: Step): Promise<Outcome> {
  const place = placeOf(entry);
  const refusal = context.refusedOrders?.get(entry.record.orderOriginId ?? '');
  if (refusal !== undefined) return outcomeOf(place, 'rejected', { error: refusal });
  if (!isFound(item)) return outcomeOf(place, 'rejected', { error: item?.contradiction ?? notFound });
  if (!hasContent(entry.record)) return outcomeOf(place, 'unchanged', { id: item.id });
  try {
    return item.orderId === undefined
      ? await updateUnseen(context, entry, item, accepted)
      : await updateSeen(context, entry, item, item.orderId);
  } catch (error) {
    return outcomeOfFailure(place, error, context.breaker);
  }
}

/** Whether a record says anything of its item; a row may leave all of its cells blank. */
function hasContent(record: OrderItemUpdateRecord): boolean {
  return record.productOriginId !== undefined || Object.keys(orderItemDetails(record)).length > 0;
}

const notFound =
  "nothing leads from this originId to the service's item: no job of an earlier --wait, no review, no reward; add a column with its id";

/** Why a row of a counted id cannot be taken for the item of this product; undefined where it can. */
function otherProduct(
  { refusedOrders }: Context,
  { originId, productOriginId }: OrderItemUpdateRecord,
  known: string | undefined,
): string | undefined {
  if (refusedOrders === undefined || (known !== undefined && productOriginId === known)) return undefined;
  const item = known === undefined ? 'an item whose product is not known' : `an item of product ${known}`;
  const row =
    productOriginId === undefined
      ? 'the row names no product; map its column to productOriginId'
      : `the row is of product ${productOriginId}`;
  return `${originId} is ${item}, and ${row}; an id made with {n} is never given to another product`;
}

const noProduct =
  'an update needs productOriginId, and nothing here tells it; add the column, or orderOriginId for items that have a review';

/** Sends what differs from what the service has. */
async function updateSeen(
  context: Context,
  entry: Entry<OrderItemUpdateRecord>,
  { id, productOriginId: known }: FoundItem,
  orderId: string,
): Promise<Outcome> {
  const { record } = entry;
  const { value: item } = await context.api.call('getOrderItem', { params: { orderId, orderItemId: id } });
  context.breaker.succeeded();
  if (record.originId !== undefined && item.originId != null && item.originId !== record.originId) {
    const error = contradictoryIds(id, record.originId, `is not that item's, which is ${item.originId}`);
    return outcomeOf(placeOf(entry), 'rejected', { error });
  }
  const renumbered = otherProduct(context, record, item.product?.originId ?? known);
  if (renumbered !== undefined) return outcomeOf(placeOf(entry), 'rejected', { error: renumbered });
  const productOriginId = record.productOriginId ?? item.product?.originId ?? known;
  if (productOriginId === undefined) return outcomeOf(placeOf(entry), 'rejected', { error: noProduct });
  const { details, changes } = orderItemChanges(record, item, context.api.assumptions);
  if (Object.keys(changes).length === 0) return outcomeOf(placeOf(entry), 'unchanged', { id });
  const body = { productOriginId, ...details };
  const hash = contentHash({ productOriginId, ...orderItemDetails(record) });
  return write(
    context,
    { id, body, hash, before: item },
    outcomeOf(placeOf(entry), 'updated', { id, changes }),
  );
}

/** Sends all the record has, unless the service took the same before. */
async function updateUnseen(
  context: Context,
  entry: Entry<OrderItemUpdateRecord>,
  { id, productOriginId: known }: FoundItem,
  accepted: KnownRecord | undefined,
): Promise<Outcome> {
  const renumbered = otherProduct(context, entry.record, accepted?.productOriginId ?? known);
  if (renumbered !== undefined) return outcomeOf(placeOf(entry), 'rejected', { error: renumbered });
  const productOriginId = entry.record.productOriginId ?? accepted?.productOriginId ?? known;
  if (productOriginId === undefined) return outcomeOf(placeOf(entry), 'rejected', { error: noProduct });
  const body = { productOriginId, ...orderItemDetails(entry.record) };
  const hash = contentHash(body);
  const isWanted = context.resend === 'accepted' || context.resend === 'all';
  if (accepted !== undefined && isSameContent(accepted.contentHash, hash) && !isWanted) {
    return outcomeOf(placeOf(entry), 'skipped', { id, comparedWith: 'journal' });
  }
  return write(context, { id, body, hash }, outcomeOf(placeOf(entry), 'updated', { id }));
}

interface ItemUpdate {
  readonly id: string;
  readonly body: OrderItemBody;
  /** Of the content it comes from, for the journal to remember. */
  readonly hash: string;
  /** The item as the service showed it. */
  readonly before?: OrderItem;
}

/** Sends an update, the first one alone; `done`, unless the service shows something else of it. */
async function write(
  { api, breaker, firstAlone, isDryRun, journal }: Context,
  { id, body, hash, before }: ItemUpdate,
  done: Outcome,
): Promise<Outcome> {
  if (isDryRun) return done;
  const params = { orderItemId: id };
  return firstAlone(async () => {
    breaker.check();
    const { sent } = await api.call('updateOrderItem', { params, body });
    breaker.succeeded();
    const write = { operation: 'updateOrderItem', params, body, before } as const;
    const failure = contradictoryReply(write, sent, api);
    if (failure !== undefined) return contradicted(done, failure, breaker);
    const { productOriginId } = body;
    const entry = { originId: id, contentHash: hash, productOriginId };
    await remember(journal, 'order-item-update', { entry }).catch(breaker.stop);
    return done;
  });
}

/** A record without an originId is told by its id. */
function placeOf({ file, line, record }: Entry<OrderItemUpdateRecord>): RecordPlace {
  return { file, line, originId: record.originId ?? record.id ?? '' };
}
