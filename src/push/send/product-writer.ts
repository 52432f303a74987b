import { isInterruption } from '../../base/failure.ts';
import type { Api } from '../../client/caller.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Product } from '../../contract/resources.ts';
import type { ProductBody, ProductChanges } from '../decide/product-changes.ts';
import type { LostCreations } from '../lookup/lost-creations.ts';
import type { Breaker } from '../steps/breaker.ts';
import type { ProductJournal } from '../steps/product-journal.ts';

/** A product that was made. */
export interface CreatedProduct {
  readonly id: string;
  readonly groupId: string | undefined;
  /** As the service shows it. */
  readonly shown: unknown;
}

/** The writes of a push of products. */
export interface ProductWriter {
  /** Creates a product, with one request. */
  create(body: ProductBody): Promise<CreatedProduct>;
  /** Changes a product, and returns it as the service shows it then. */
  update(productId: string, changes: ProductChanges): Promise<unknown>;
}

interface WriterOptions {
  readonly api: Api;
  readonly lost: Pick<LostCreations, 'begin' | 'created'>;
  readonly journal: ProductJournal;
  readonly breaker: Breaker;
}

/**
 * Writes to the service. A creation is sent once and on record before it leaves. Where the journal cannot be written,
 * the creation stays open in it for the next run to look, and the push stops. An update may be repeated, and the
 * transport does.
 * @throws ServiceFailure of the write; its `isOutcomeUnknown` says whether a product may yet appear.
 */
export function createProductWriter({ api, lost, journal, breaker }: WriterOptions): ProductWriter {
  return {
    create: async (body) => {
      const creation = await journal.begin(body);
      const mark = lost.begin();
      try {
        const { value, sent } = await api.call('createProduct', { body });
        await creation.created(value.id).catch(breaker.stop);
        breaker.succeeded();
        lost.created(body.originId, mark);
        return createdProduct(value, sent);
      } catch (error) {
        const isUnknown = error instanceof ServiceFailure && error.isOutcomeUnknown;
        // Whatever else was thrown proves nothing: the creation stays open, and the next run treats it as unknown.
        if (!isInterruption(error) && !(error instanceof ServiceFailure)) throw error;
        const end = isUnknown ? creation.outcomeUnknown() : creation.refused();
        await end.catch(breaker.stop);
        throw error;
      }
    },
    update: async (productId, changes) => {
      const { sent } = await api.call('updateProduct', { params: { productId }, body: changes });
      breaker.succeeded();
      return sent;
    },
  };
}

/** A product as its creation or a look-up shows it. */
export function createdProduct({ id, group }: Product, shown: unknown): CreatedProduct {
  return { id, groupId: group?.id ?? undefined, shown };
}
