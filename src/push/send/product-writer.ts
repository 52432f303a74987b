import { backoffMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { Failure, isInterruption } from '../../base/failure.ts';
import type { Random } from '../../base/random.ts';
import type { Api } from '../../client/caller.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Evidence } from '../../contract/evidence.ts';
import type { Product } from '../../contract/resources.ts';
import type { ProductBody, ProductChanges } from '../decide/product-changes.ts';
import type { ProductLookup } from '../lookup/find-products.ts';
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
  readonly lookup: ProductLookup;
  readonly journal: ProductJournal;
  readonly clock: Clock;
  readonly random: Random;
  readonly breaker: Breaker;
  /** Aborted to look no more. */
  readonly stopping: AbortSignal;
}

/** How often a product whose creation was lost is looked for, over some eight seconds: lists may lag behind writes. */
const looksMaximum = 9;
const lookPauses = { firstMs: 100, longestMs: 2000 } as const;

/**
 * Writes to the service. A creation is sent once and on record before it leaves; one whose answer was lost, or cannot
 * be read, is only looked for. Where the journal cannot be written, the creation stays open in it for the next run to
 * look, and the push stops. An update may be repeated, and the transport does.
 * @throws ServiceFailure of the write; its `isOutcomeUnknown` says whether a product may yet appear.
 */
export function createProductWriter(options: WriterOptions): ProductWriter {
  const { api, lookup, journal, clock, random, breaker, stopping } = options;
  const lookFor = async (originId: string, lost: ServiceFailure): Promise<Product> => {
    for (let look = 1; look <= looksMaximum; look += 1) {
      await clock.sleep(backoffMs(look, random, lookPauses), stopping).catch(() => undefined);
      if (stopping.aborted) break;
      const found = await findAgain(lookup, originId, lost, breaker);
      if (found === undefined) continue;
      api.report(shownInTime);
      return found;
    }
    throw lost;
  };
  return {
    create: async (body) => {
      const creation = await journal.begin(body);
      try {
        const { value, sent } = await api.call('createProduct', { body });
        await creation.created(value.id).catch(breaker.stop);
        breaker.succeeded();
        return createdProduct(value, sent);
      } catch (error) {
        if (isInterruption(error) || (error instanceof ServiceFailure && !error.isOutcomeUnknown)) {
          await creation.refused().catch(breaker.stop);
          throw error;
        }
        // Whatever else was thrown proves nothing: the creation stays open, and the next run treats it as unknown.
        if (!(error instanceof ServiceFailure)) throw error;
        await creation.outcomeUnknown().catch(breaker.stop);
        const found = await lookFor(body.originId, error);
        await journal.taken(body, found.id).catch(breaker.stop);
        return createdProduct(found, found);
      }
    },
    update: async (productId, changes) => {
      const { sent } = await api.call('updateProduct', { params: { productId }, body: changes });
      breaker.succeeded();
      return sent;
    },
  };
}

const shownInTime: Evidence = {
  assumption: 'listConsistency',
  verdict: 'confirmed',
  finding: 'the list of products showed one whose creation was lost',
};

function createdProduct({ id, group }: Product, shown: unknown): CreatedProduct {
  return { id, groupId: group?.id ?? undefined, shown };
}

/**
 * The product whose creation was `lost`, if it is there.
 * @throws `lost` when that cannot be known either; then what no record is to blame for stops the push.
 */
async function findAgain(
  lookup: ProductLookup,
  originId: string,
  lost: ServiceFailure,
  breaker: Breaker,
): Promise<Product | undefined> {
  try {
    return (await lookup.find([originId])).get(originId)?.[0];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error instanceof ServiceFailure && !error.isPassing) breaker.stop(error);
    throw lost;
  }
}
