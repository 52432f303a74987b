import { ServiceFailure } from '../../client/service-failure.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { OrderItem } from '../../contract/resources.ts';
import type { UndoRecord, UpdatedRecord } from '../../store/runs/undo-log.ts';
import { contentHash } from '../compile/content-hash.ts';
import type { UpsertEntry } from '../decide/upsert-entry.ts';
import { undoneFields, updateOf } from '../fields/field.ts';
import { itemFields } from '../fields/item-fields.ts';
import { type ItemsContext, openItems } from '../flows/order-items.ts';
import { upsertFlow } from '../flows/upsert.ts';
import { type Failed, orFailed } from '../steps/outcome-of-failure.ts';
import type { PushFlow } from '../steps/push-flow.ts';
import { cannotUndo, gone, placeOf, undoneOutcome } from './undone-outcome.ts';

/** What a run wrote, and the item as the service shows it now. */
interface ShownItem extends Failed {
  readonly record: UndoRecord;
  readonly shown?: OrderItem;
}

/**
 * Writes back what a run of order items replaced (API 4.13), where the service still has what the run sent (API 4.12).
 */
export function undoOrderItemsFlow(context: ItemsContext): PushFlow<UndoRecord, UpsertEntry> {
  const { api } = context;
  const items = openItems(context);
  const look = async (record: UndoRecord): Promise<ShownItem> => {
    if (record.kind !== 'updated') return { record };
    const { id: orderItemId, orderId = '' } = record;
    return items.inTurn(() =>
      orFailed<ShownItem>({ record }, placeOf(record), items.breaker, async () => {
        try {
          const { value: shown } = await api.call('getOrderItem', { params: { orderId, orderItemId } });
          items.breaker.succeeded();
          return { record, shown };
        } catch (error) {
          if (error instanceof ServiceFailure && error.kind === 'not-found') return { record };
          throw error;
        }
      }),
    );
  };
  return upsertFlow({
    ...items,
    originIdOf: ({ originId }) => originId,
    lookupKeyOf: () => '',
    openDecider: async () => ({
      lookUp: (records: readonly UndoRecord[]) => Promise.all(records.map(look)),
      decide: ({ record, shown, failed }) => {
        if (record.kind !== 'updated') return { outcome: cannotUndo(record, unseen) };
        if (failed !== undefined) return { outcome: failed };
        if (shown === undefined) return { outcome: cannotUndo(record, gone) };
        return undoOrderItem(record, shown, api.assumptions);
      },
    }),
  });
}

const unseen =
  'what it was before the run is not known, because the push did not know its order; a column order.id names it';

/**
 * Decides what is written back to an item that the service shows. The journal forgets what it was sent before that is
 * taken back, so that a later push of the same sends it again whatever ends this process.
 */
export function undoOrderItem(
  record: UpdatedRecord,
  shown: OrderItem,
  assumptions: Assumptions,
): UpsertEntry {
  const { id, orderId, changes: sent } = record;
  const fields = undoneFields(itemFields, sent, shown);
  const { originId: productOriginId } = shown.product ?? {};
  const isUndone = fields.leftAlone.size < Object.keys(sent).length;
  // No update has the content of this one, since none is sent that says nothing.
  const forgotten = {
    originId: id,
    contentHash: contentHash({}),
    ...(productOriginId && { productOriginId }),
  };
  const step = {
    outcome: undoneOutcome(record, fields),
    ...(isUndone ? { learned: { entry: forgotten } } : {}),
  };
  if (Object.keys(fields.changes).length === 0) return step;
  if (!productOriginId) return { outcome: cannotUndo(record, noProduct) };
  const body = { productOriginId, ...updateOf(itemFields, fields.changes, shown, assumptions) };
  const write = { kind: 'update', id, body, hash: contentHash(body) } as const;
  return { ...step, write, before: shown, orderId };
}

const noProduct = 'an update needs productOriginId, and the service does not show the product of this item';
