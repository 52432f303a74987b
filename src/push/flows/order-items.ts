import { SeenIds } from '../../base/id-set.ts';
import { limitWork } from '../../base/lists.ts';
import type { Entry, OrderItemUpdateRecord } from '../../input/records/record-kinds.ts';
import type { PushJournal } from '../../store/journal/push-journal.ts';
import { refuseRenumbered } from '../compile/counted-orders.ts';
import { itemUpdateEntry } from '../compile/order-item-entry.ts';
import { decideItem, type ItemRules } from '../decide/decide-item.ts';
import type { UpsertEntry, UpsertWrite } from '../decide/upsert-entry.ts';
import { createItemFinder } from '../lookup/find-items.ts';
import { isFound, type ObservedItem, observeItems } from '../lookup/observe-items.ts';
import type { PushFlow } from '../plan/request.ts';
import { sendUpdate } from '../send/send-update.ts';
import { createBreaker } from '../steps/breaker.ts';
import { createCanary } from '../steps/canary.ts';
import { placeOf } from '../steps/outcome.ts';
import { type UpsertContext, upsertFlow } from './upsert.ts';

export interface OrderItemsPush extends UpsertContext, Pick<ItemRules, 'resend'> {
  readonly journal: UpsertContext['journal'] & Pick<PushJournal, 'itemsOf'>;
  /** Reads the input again from the start. Present if its originIds are made with `{n}`. */
  readonly rereadCounted?: (() => AsyncIterable<readonly Entry<OrderItemUpdateRecord>[]>) | undefined;
}

/**
 * Updates items that the service already has (API 4.13). If the order of an item is known, the item is compared with
 * the service (API 4.12), and only the differences are sent. Otherwise it is sent whole, once: the journal records
 * accepted content, and the outcome of a skipped item says that only the journal was compared. An update may be
 * repeated, so the transport repeats it after a lost answer. If an originId is made with `{n}`, the product of its row
 * must match that of the item.
 */
export function orderItemsFlow(push: OrderItemsPush): PushFlow<Entry<OrderItemUpdateRecord>, UpsertEntry> {
  const { api, journal, rereadCounted, resend } = push;
  const items = openItems(push);
  return upsertFlow({
    ...items,
    originIdOf: (entry) => placeOf(entry).originId,
    lookupKeyOf: ({ record }: Entry<OrderItemUpdateRecord>) => record.orderOriginId ?? '',
    openDecider: async () => {
      const refusedOrders =
        rereadCounted && (await refuseRenumbered(() => recordsOf(rereadCounted()), journal));
      const rules = { resend, refusedOrders, assumptions: api.assumptions };
      const sources = { ...items, finder: createItemFinder(api, journal) };
      const unrepeated = createRepeatCheck();
      return {
        lookUp: (entries) => observeItems(sources, entries),
        decide: (observed) => decideItem(unrepeated(observed), rules),
      };
    },
  });
}

/** The lookups and writes of order items, for pushes and undo alike. */
export function openItems(context: UpsertContext) {
  // Lookups and writes share the limit of concurrent requests.
  const inTurn = limitWork(context.concurrency);
  const items = { ...context, breaker: createBreaker(), inTurn, canary: createCanary() };
  return {
    ...items,
    journaled: 'order-item-update' as const,
    write: ({ outcome, before, orderId }: UpsertEntry, write: UpsertWrite) => {
      const { file, line, originId, changes } = outcome;
      const { id = '', hash } = write.kind === 'update' ? write : {};
      const { body } = write;
      const written = { file, line, originId, id };
      const isSeen = orderId !== undefined && changes !== undefined;
      const undo = isSeen
        ? ({ kind: 'updated', ...written, orderId, changes } as const)
        : ({ kind: 'unseen', ...written } as const);
      const accepted = { of: 'order-item-update', entry: itemUpdateEntry(id, body, hash) } as const;
      // A row without an originId is named by its id; an item that was seen has been compared.
      const named = before === undefined && originId !== id ? { originId } : {};
      const update = { operation: 'updateOrderItem', id, body, before, undo, accepted, ...named } as const;
      return inTurn(() => sendUpdate(items, outcome, update));
    },
  };
}

/**
 * Rejects a second row of the same item. Keys of rows are unique, but one row may name the item by its id and another
 * by its originId. Sending both would make each undo the other in every push.
 */
function createRepeatCheck() {
  const seen = new SeenIds();
  const files: string[] = [];
  return (observed: ObservedItem): ObservedItem => {
    const { entry, item } = observed;
    if (!isFound(item)) return observed;
    if (files.at(-1) !== entry.file) files.push(entry.file);
    const before = seen.add(item.id, files.length - 1, entry.line);
    if (before === undefined) return observed;
    const place = `${files[before.fileIndex]}:${before.line}`;
    const contradiction = `${place} changes the same item, whose id is ${item.id}; keep one of the two rows`;
    return { ...observed, item: { contradiction } };
  };
}

async function* recordsOf<T>(batches: AsyncIterable<readonly Entry<T>[]>): AsyncGenerator<T[]> {
  for await (const entries of batches) yield entries.map(({ record }) => record);
}
