import type { Assumptions } from '../../contract/assumptions.ts';
import type { Product } from '../../contract/resources.ts';
import type { KnownRecord } from '../../store/journal/push-journal.ts';
import type { UndoRecord, UpdatedRecord } from '../../store/runs/undo-log.ts';
import type { UpsertEntry } from '../decide/upsert-entry.ts';
import { undoneFields, updateOf } from '../fields/field.ts';
import { productFields } from '../fields/product-fields.ts';
import { openProducts, type ProductsContext } from '../flows/products.ts';
import { upsertFlow } from '../flows/upsert.ts';
import { type ObservedProduct, productOfId } from '../lookup/observe-products.ts';
import { type Failed, orFailed } from '../steps/outcome-of-failure.ts';
import { isImageTaken, productEntry } from '../steps/product-image.ts';
import type { PushFlow } from '../steps/push-flow.ts';
import { cannotUndo, gone, placeOf, undoneOutcome } from './undone-outcome.ts';

/** What a run wrote, with the product as the service shows it now and what the journal knows of it. */
interface ShownProduct extends Failed {
  readonly record: UndoRecord;
  readonly shown?: Product | undefined;
  readonly known?: KnownRecord | undefined;
}

/**
 * Writes back what a run of products replaced (API 4.4), where the service still has what the run sent. What it created
 * stays.
 */
export function undoProductsFlow(context: ProductsContext): PushFlow<UndoRecord, UpsertEntry> {
  const { api } = context;
  const products = openProducts(context, true);
  const look = async (record: UndoRecord, observed?: ObservedProduct): Promise<ShownProduct> => {
    const { existing = [], known, failed } = observed ?? {};
    if (failed !== undefined) return { record, failed };
    const shown = existing.find(({ id }) => id === record.id);
    if (shown !== undefined || existing.length === 0) return { record, shown, known };
    // What the service lists under the originId by now is another product.
    return products.inTurn(() =>
      orFailed<ShownProduct>({ record }, placeOf(record), products.breaker, async () => ({
        record,
        shown: await productOfId(api, record.id),
        known,
      })),
    );
  };
  const originIdOf = ({ originId }: UndoRecord) => originId;
  return upsertFlow({
    ...products,
    originIdOf,
    lookupKeyOf: originIdOf,
    openDecider: async () => ({
      lookUp: async (records: readonly UndoRecord[]) => {
        const updated = records.filter(({ kind }) => kind === 'updated');
        const observed = await products.observe(
          updated.map(({ file, line, originId, id }) => ({ file, line, record: { originId, id } })),
        );
        return Promise.all(records.map((record) => look(record, observed[updated.indexOf(record)])));
      },
      decide: ({ record, shown, known, failed }) => {
        if (record.kind !== 'updated') return { outcome: cannotUndo(record, created) };
        if (failed !== undefined) return { outcome: failed };
        if (shown === undefined) return { outcome: cannotUndo(record, gone) };
        return undoProduct(record, shown, known, api.assumptions);
      },
    }),
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
