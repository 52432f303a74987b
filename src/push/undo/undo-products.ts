import type { Assumptions } from '../../contract/assumptions.ts';
import type { Product } from '../../contract/resources.ts';
import type { KnownRecord } from '../../store/journal/push-journal.ts';
import type { UndoRecord, UpdatedRecord } from '../../store/runs/undo-log.ts';
import type { UpsertEntry } from '../decide/upsert-entry.ts';
import { undoneFields, updateOf } from '../fields/field.ts';
import { productFields } from '../fields/product-fields.ts';
import { openProducts, type ProductsContext } from '../flows/products.ts';
import { upsertFlow } from '../flows/upsert.ts';
import { isImageTaken, productEntry } from '../steps/product-image.ts';
import type { PushFlow } from '../steps/push-flow.ts';
import { cannotUndo, gone, undoneOutcome } from './undone-outcome.ts';

/**
 * Writes back what a run of products replaced (API 4.4), where the service still has what the run sent. What it created
 * stays.
 */
export function undoProductsFlow(context: ProductsContext): PushFlow<UndoRecord, UpsertEntry> {
  const products = openProducts(context, true);
  const originIdOf = ({ originId }: UndoRecord) => originId;
  return upsertFlow({
    ...products,
    originIdOf,
    lookupKeyOf: originIdOf,
    lookUp: async (records: readonly UndoRecord[]) => {
      const updated = records.filter(({ kind }) => kind === 'updated');
      const observed = await products.observe(
        updated.map(({ file, line, originId, id }) => ({ file, line, record: { originId, id } })),
      );
      return records.map((record) => ({ ...observed[updated.indexOf(record)], record }));
    },
    decide: ({ record, existing, known, failed }) => {
      if (record.kind !== 'updated') return { outcome: cannotUndo(record, created) };
      if (failed !== undefined) return { outcome: failed };
      const product = existing?.find(({ id }) => id === record.id);
      if (product === undefined) return { outcome: cannotUndo(record, gone) };
      return undoProduct(record, product, known, context.api.assumptions);
    },
  });
}

const created = 'the run created it, and no operation deletes a product';

/**
 * Decides what is written back to a product that the service shows; `known` is what the journal knows of it. That
 * forgets an image before the product loses it, so that a later push sends it again whatever ends this process.
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
