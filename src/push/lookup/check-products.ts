import { SeenIds } from '../../base/id-set.ts';
import type { Api } from '../../client/caller.ts';
import type { CompiledItem } from '../compile/order-items.ts';
import { createProductLookup, lookupGroups } from './find-products.ts';

/**
 * Yields the first item of each product in `batches` that the service does not know, in input order. Looks up 100
 * products at a time (API 4.2). Writes nothing.
 * @throws ServiceFailure if the list of products cannot be read.
 */
export async function* findMissingProducts(
  api: Api,
  batches: AsyncIterable<readonly CompiledItem[]>,
): AsyncGenerator<CompiledItem> {
  const lookup = createProductLookup(api);
  const seen = new SeenIds();
  async function* firstItems() {
    for await (const items of batches)
      yield items.filter(({ productOriginId, line }) => seen.add(productOriginId, 0, line) === undefined);
  }
  for await (const group of lookupGroups(firstItems(), ({ productOriginId }) => productOriginId)) {
    const known = await lookup.find(group.map(({ productOriginId }) => productOriginId));
    yield* group.filter(({ productOriginId }) => !known.has(productOriginId));
  }
}
