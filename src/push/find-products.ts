import type { Api } from '../client/caller.ts';
import { paginate } from '../client/paginate.ts';
import { firstMaximum } from '../contract/limits.ts';
import type { Product } from '../contract/resources.ts';

/** Servers and proxies refuse lines of more than 8 KiB; the ids of one lookup stay well below, in characters. */
const idsLengthMaximum = 6000;

/** What one more id adds to the address besides itself: `&originIds[]=`. */
const idOverhead = 13;

/** Groups values so that the keys of each group fit into one lookup. */
export async function* lookupGroups<T>(
  batches: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
  keyOf: (value: T) => string,
): AsyncGenerator<readonly T[]> {
  let group: T[] = [];
  let length = 0;
  for await (const values of batches) {
    for (const value of values) {
      const added = encodeURIComponent(keyOf(value)).length + idOverhead;
      if (group.length === firstMaximum || (group.length > 0 && length + added > idsLengthMaximum)) {
        yield group;
        group = [];
        length = 0;
      }
      group.push(value);
      length += added;
    }
  }
  if (group.length > 0) yield group;
}

/**
 * The products the service has under each of `originIds` (API 4.2); more than one where it has two of the same.
 * @throws ServiceFailure when the list cannot be read.
 */
export async function findProducts(
  api: Api,
  originIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Product[]>> {
  const found = new Map<string, Product[]>();
  for await (const { records } of paginate(api, 'listProducts', { originIds: [...originIds] })) {
    for (const product of records) {
      const { originId } = product;
      if (typeof originId !== 'string') continue;
      const same = found.get(originId);
      if (same === undefined) found.set(originId, [product]);
      else same.push(product);
    }
  }
  return found;
}
