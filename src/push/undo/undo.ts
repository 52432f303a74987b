import type { Assumptions } from '../../contract/assumptions.ts';
import type { OrderItem, Product } from '../../contract/resources.ts';
import type { KnownRecord } from '../../store/journal/push-journal.ts';
import type { UndoRecord, UpdatedRecord } from '../../store/runs/undo-log.ts';
import { contentHash } from '../compile/content-hash.ts';
import { itemUpdateEntry } from '../compile/order-item-entry.ts';
import type { UpsertEntry } from '../decide/upsert-entry.ts';
import { type UndoneFields, undoneFields, updateOf } from '../fields/field.ts';
import { itemFields, productFields } from '../fields/tables.ts';
import { openItems } from '../flows/order-items.ts';
import { openProducts, type ProductsContext } from '../flows/products.ts';
import { type UpsertContext, upsertFlow, type Writing } from '../flows/upsert.ts';
import { findItem, findProduct } from '../lookup/find-one.ts';
import type { ObservedProduct } from '../lookup/observe-products.ts';
import type { PushFlow } from '../plan/request.ts';
import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import { askInTurn, type Failed } from '../steps/outcome-of-failure.ts';
import { isImageTaken, productEntry } from '../steps/product-image.ts';

/** A record that a run wrote, with its current state at the service and in the journal. */
interface ShownRecord<S> extends Failed {
  readonly record: UndoRecord;
  readonly shown?: S | undefined;
  readonly known?: KnownRecord | undefined;
}

/** The rules for undoing one kind of record. */
interface Undo<S> {
  readonly lookupKeyOf: (record: UndoRecord) => string;
  readonly lookUp: (records: readonly UndoRecord[]) => Promise<readonly ShownRecord<S>[]>;
  /** The reason why a record that was not updated stays unchanged. */
  readonly lasting: string;
  readonly decide: (record: UpdatedRecord, shown: S, known: KnownRecord | undefined) => UpsertEntry;
}

function undoFlow<S>(writing: Writing, undo: Undo<S>): PushFlow<UndoRecord, UpsertEntry> {
  return upsertFlow({
    ...writing,
    originIdOf: ({ originId }) => originId,
    lookupKeyOf: undo.lookupKeyOf,
    openDecider: async () => ({
      lookUp: undo.lookUp,
      decide: ({ record, shown, known, failed }) => {
        if (record.kind !== 'updated') return cannotUndo(record, undo.lasting);
        if (failed !== undefined) return { outcome: failed };
        if (shown === undefined) return cannotUndo(record, 'the service no longer has it');
        return undo.decide(record, shown, known);
      },
    }),
  });
}

/**
 * Restores the values that a run of products replaced (API 4.4), if the service still has the values that the run sent.
 * Created products stay.
 */
export function undoProductsFlow(context: ProductsContext): PushFlow<UndoRecord, UpsertEntry> {
  const { api } = context;
  const products = openProducts(context, true);
  const look = async (record: UndoRecord, observed?: ObservedProduct): Promise<ShownRecord<Product>> => {
    const { existing = [], known, failed } = observed ?? {};
    if (failed !== undefined) return { record, failed };
    const shown = existing.find(({ id }) => id === record.id);
    if (shown !== undefined || existing.length === 0) return { record, shown, known };
    // The product that is now listed under this originId is another one.
    return askInTurn<ShownRecord<Product>>(products, { record }, record, async () => ({
      record,
      shown: await findProduct(api, record.id),
      known,
    }));
  };
  return undoFlow(products, {
    lookupKeyOf: ({ originId }) => originId,
    lookUp: async (records) => {
      const updated = records.filter(({ kind }) => kind === 'updated');
      const observed = await products.observe(
        updated.map(({ file, line, originId, id }) => ({ file, line, record: { originId, id } })),
      );
      return Promise.all(records.map((record) => look(record, observed[updated.indexOf(record)])));
    },
    lasting: 'the run created it, and no operation deletes a product',
    decide: (record, shown, known) => undoProduct(record, shown, known, api.assumptions),
  });
}

/**
 * Restores the values that a run of order items replaced (API 4.13), if the service still has the values that the run
 * sent (API 4.12).
 */
export function undoOrderItemsFlow(context: UpsertContext): PushFlow<UndoRecord, UpsertEntry> {
  const { api } = context;
  const items = openItems(context);
  const look = async (record: UndoRecord): Promise<ShownRecord<OrderItem>> => {
    if (record.kind !== 'updated') return { record };
    const { id, orderId = '' } = record;
    return askInTurn<ShownRecord<OrderItem>>(items, { record }, record, async () => {
      const shown = await findItem(api, orderId, id);
      if (shown !== undefined) items.breaker.succeeded();
      return { record, shown };
    });
  };
  return undoFlow(items, {
    lookupKeyOf: () => '',
    lookUp: (records) => Promise.all(records.map(look)),
    lasting:
      'its earlier values are unknown, because its push did not know its order; with a column order.id in the file, ' +
      'a later push can be undone',
    decide: (record, shown) => undoOrderItem(record, shown, api.assumptions),
  });
}

/**
 * Decides which values to restore to a product. `known` is its journal record. The journal forgets an image before the
 * product loses it, so that a later push sends it again even if this process dies.
 */
export function undoProduct(
  record: UpdatedRecord,
  product: Product,
  known: KnownRecord | undefined,
  assumptions: Assumptions,
): UpsertEntry {
  const { id, originId, changes: sent } = record;
  const fields = undoneFields(
    productFields,
    sent,
    product,
    (imageUrl) => typeof imageUrl === 'string' && isImageTaken(known, imageUrl),
  );
  const isImageUndone = sent['imageUrl'] !== undefined && !fields.leftAlone.has('imageUrl');
  const learned = { entry: productEntry({ originId }), objectId: id };
  const step = { outcome: undoneOutcome(record, fields), ...(isImageUndone ? { learned } : {}) };
  if (Object.keys(fields.changes).length === 0) return step;
  const body = updateOf(productFields, fields.changes, product, assumptions);
  return { ...step, write: { kind: 'update', id, body }, before: product };
}

/**
 * Decides which values to restore to an item. Before the undo, the journal forgets the content that was sent, so that a
 * later push sends it again even if this process dies.
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
  // No update has the content {}, since empty updates are never sent.
  const forgotten = itemUpdateEntry(id, { productOriginId }, contentHash({}));
  const step = {
    outcome: undoneOutcome(record, fields),
    ...(isUndone ? { learned: { entry: forgotten } } : {}),
  };
  if (Object.keys(fields.changes).length === 0) return step;
  if (!productOriginId) return cannotUndo(record, noProduct);
  const body = { productOriginId, ...updateOf(itemFields, fields.changes, shown, assumptions) };
  const write = { kind: 'update', id, body, hash: contentHash(body) } as const;
  return { ...step, write, before: shown, orderId };
}

const noProduct = 'an update needs productOriginId, and the service does not show the product of this item';

/** The outcome of a record with restored fields. It is rejected if any field is left alone. */
function undoneOutcome(record: UndoRecord, { changes, leftAlone }: UndoneFields): PushOutcome {
  const { id } = record;
  const fields = Object.keys(changes);
  const details = fields.length === 0 ? { id } : { id, changes };
  if (leftAlone.size === 0) return outcomeOf(record, fields.length === 0 ? 'unchanged' : 'updated', details);
  const others = fields.length === 0 ? '' : `; written back: ${fields.join(', ')}`;
  const error = `left alone: ${[...leftAlone.values()].join('; ')}${others}`;
  return outcomeOf(record, 'rejected', { ...details, error });
}

/** The outcome of a record with nothing to restore. */
function cannotUndo(record: UndoRecord, error: string): UpsertEntry {
  return { outcome: outcomeOf(record, 'rejected', { id: record.id, error }) };
}
