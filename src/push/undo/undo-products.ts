import { limitWork, mapConcurrently } from '../../base/lists.ts';
import type { Product } from '../../contract/resources.ts';
import type { UndoRecord, UpdatedRecord } from '../../store/runs/undo-log.ts';
import type { ProductRules } from '../decide/decide-product.ts';
import { type ProductsPush, productsFlow } from '../flows/products.ts';
import { createProductLookup, lookupGroups } from '../lookup/find-products.ts';
import { productOfId } from '../lookup/observe-products.ts';
import { createBreaker, finishedBy } from '../steps/breaker.ts';
import { outcomeOfFailure } from '../steps/outcome-of-failure.ts';
import { type PushFlow, singleRequests } from '../steps/push-flow.ts';
import { cannotUndo, placeOf } from './undo-fields.ts';
import { type UndoProductEntry, undoProduct } from './undo-product.ts';

/** Lookups that may be under way ahead of what is done with them. */
const lookupsAhead = 2;

const rules = { onExisting: 'update', isUpdateOnly: true, makesGroups: true, resend: undefined } as const;

/**
 * Writes back what a run of products replaced (API 4.4), where the service still has what the run sent. What it created
 * stays. The journal forgets an image before the product loses it, so that a later push sends it again whatever ends
 * this process.
 */
export function undoProductsFlow(
  push: Omit<ProductsPush, keyof ProductRules>,
): PushFlow<UndoRecord, UndoProductEntry> {
  const { api, journal, concurrency } = push;
  const breaker = createBreaker();
  const lookup = createProductLookup(api);
  const inTurn = limitWork(concurrency);
  const pushing = productsFlow({ ...push, ...rules });

  async function decideOn(records: readonly UndoRecord[]): Promise<readonly UndoProductEntry[]> {
    const originIds = records.flatMap(({ kind, originId }) => (kind === 'updated' ? originId : []));
    const listed = originIds.length === 0 ? undefined : await lookup.find(originIds);
    const known = await journal.known(originIds);
    const find = async ({ originId, id }: UpdatedRecord): Promise<Product | undefined> =>
      listed?.get(originId)?.find((product) => product.id === id) ?? inTurn(() => productOfId(api, id));
    const decide = async (record: UndoRecord): Promise<UndoProductEntry> => {
      if (record.kind !== 'updated') return { outcome: cannotUndo(record, created) };
      try {
        const product = await find(record);
        if (product === undefined) return { outcome: cannotUndo(record, gone) };
        return undoProduct(record, product, known(record.originId), api.assumptions);
      } catch (error) {
        const outcome = outcomeOfFailure(placeOf(record), error, breaker);
        breaker.check();
        return { outcome };
      }
    };
    return Promise.all(records.map(decide));
  }

  async function* forgetImages(batches: AsyncIterable<readonly UndoProductEntry[]>) {
    for await (const steps of batches) {
      for (const { outcome, isImageUndone } of steps) {
        const { originId, id = '' } = outcome;
        if (isImageUndone) await journal.taken({ originId }, id);
      }
      yield steps;
    }
  }

  return {
    ...singleRequests,
    originIdOf: ({ originId }) => originId,
    settled: (outcome) => ({ outcome }),
    decide: (batches) =>
      mapConcurrently(
        lookupGroups(batches, ({ originId }) => originId),
        { width: lookupsAhead },
        decideOn,
      ),
    send: (steps) => finishedBy(breaker, pushing.send(forgetImages(steps))),
  };
}

const created = 'the run created it, and no operation deletes a product';
const gone = 'the service does not have it any more';
