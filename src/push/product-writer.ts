import { backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Api, CallInput } from '../client/caller.ts';
import { ServiceFailure } from '../client/service-failure.ts';
import type { Operations } from '../contract/operations.ts';
import type { Breaker } from './breaker.ts';
import { findProducts } from './find-products.ts';
import type { ProductChanges } from './product-changes.ts';

export type ProductBody = CallInput<Operations['createProduct']>['body'];

/** A product that was made; a dry run knows no id. */
export interface CreatedProduct {
  readonly id?: string | undefined;
  readonly groupId?: string | undefined;
}

/** The writes of a push of products. */
export interface ProductWriter {
  /** Creates a product exactly once as far as that can be known. */
  create(body: ProductBody): Promise<CreatedProduct>;
  update(productId: string, changes: ProductChanges): Promise<void>;
}

/** Writes nothing; a group that a creation would make is known by its name from then on. */
export const dryProductWriter: ProductWriter = {
  create: async ({ groupId, groupName }) => ({
    groupId: groupId ?? (groupName === undefined ? undefined : `(new group ${groupName})`),
  }),
  update: async () => undefined,
};

interface WriterOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly random: Random;
  readonly breaker: Breaker;
}

/** How often the creation of one product is tried when its answer is lost and the product is not there. */
const createAttemptsMaximum = 5;
const createPauses = { firstMs: 100, longestMs: 2000 } as const;

/**
 * Writes to the service. A creation whose answer was lost is looked up before it is sent again, and not sent again at all
 * where its effect may yet come; an update may be repeated, and the transport does.
 * @throws ServiceFailure of the last attempt; its `isOutcomeUnknown` says whether a product may yet appear.
 */
export function createProductWriter({ api, clock, random, breaker }: WriterOptions): ProductWriter {
  /** Looks a few times more for what the service may still be at work on; sending it again could make a second one. */
  const awaitLate = async (
    nextAttempt: number,
    originId: string,
    lost: ServiceFailure,
  ): Promise<CreatedProduct> => {
    for (let attempt = nextAttempt; attempt <= createAttemptsMaximum; attempt += 1) {
      await clock.sleep(backoffMs(attempt, random, createPauses));
      const found = await findAgain(api, originId, lost);
      if (found !== undefined) return found;
    }
    throw lost;
  };
  return {
    create: async (body) => {
      let lost: ServiceFailure | undefined;
      for (let attempt = 1; ; attempt += 1) {
        try {
          const { value } = await api.call('createProduct', { body });
          breaker.succeeded();
          return { id: value.id, groupId: value.group?.id ?? undefined };
        } catch (error) {
          if (!(error instanceof ServiceFailure)) throw error;
          if (error.isOutcomeUnknown) lost = error;
          // A refusal after a lost attempt may mean that the lost one arrived after all.
          else if (lost === undefined || error.kind !== 'refused') throw error;
          if (error.isOutcomeUnknown) await clock.sleep(backoffMs(attempt, random, createPauses));
          const found = await findAgain(api, body.originId, lost);
          if (found !== undefined) return found;
          if (!error.isOutcomeUnknown || attempt === createAttemptsMaximum) throw error;
          if (error.mayComeLate) return awaitLate(attempt + 1, body.originId, error);
        }
      }
    },
    update: async (productId, changes) => {
      await api.call('updateProduct', { params: { productId }, body: changes });
      breaker.succeeded();
    },
  };
}

/** The product whose creation was `lost`, if it is there. @throws `lost` when that cannot be known either. */
async function findAgain(
  api: Api,
  originId: string,
  lost: ServiceFailure,
): Promise<CreatedProduct | undefined> {
  try {
    const found = (await findProducts(api, [originId])).get(originId)?.[0];
    return found && { id: found.id, groupId: found.group?.id ?? undefined };
  } catch (error) {
    throw error instanceof ServiceFailure && error.isPassing ? lost : error;
  }
}
