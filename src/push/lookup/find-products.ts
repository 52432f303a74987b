import { Failure } from '../../base/failure.ts';
import type { Api } from '../../client/caller.ts';
import { lookUpProducts, probeArrays } from '../../client/probe-arrays.ts';
import { firstMaximum } from '../../contract/limits.ts';
import { misreadArrays } from '../../contract/reply-checks.ts';
import type { Product } from '../../contract/resources.ts';

/** The maximum length of the ids of one lookup, in characters. Servers and proxies refuse lines of more than 8 KiB. */
const idsLengthMaximum = 6000;

/** The length that an id adds to the address besides itself: `&originIds[]=`. */
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

/** Finds products by their originIds. */
export interface ProductLookup {
  /**
   * Finds the products that the service has under each of `originIds` (API 4.2); more than one if it has duplicates. A
   * missing key means that the service does not have the product. To be sure of that, checks once that the service
   * reads lists of ids as written, unless it has shown so. If it lists products without an originId, this cannot be
   * proven, and each id is looked up alone.
   * @throws Failure('contradictory-reply') if it misreads lists of ids, or sends a product that does not show its
   *   originId; ServiceFailure if the list cannot be read.
   */
  find(originIds: readonly string[]): Promise<ReadonlyMap<string, readonly Product[]>>;
}

/** An incomplete lookup would create existing products again, so none is trusted before it is proven. */
export function createProductLookup(api: Api): ProductLookup {
  let isProven = false;
  let probed: ReturnType<typeof prove> | undefined;
  return {
    find: async (originIds) => {
      const found = await findProducts(api, originIds);
      isProven ||= found.size > 1;
      const missing = originIds.filter((originId) => !found.has(originId));
      if (isProven || missing.length === 0) return found;
      probed ??= prove(api);
      const { listed, hasUnnamed } = await probed;
      const hidden = missing.find((originId) => listed.includes(originId));
      if (hidden !== undefined) throw hiddenProduct(api, hidden, originIds.length);
      if (!hasUnnamed) return found;
      // Products created before the next lookup may prove it.
      probed = undefined;
      if (originIds.length > 1) await checkAlone(api, missing, originIds.length);
      return found;
    },
  };
}

/**
 * The originIds that every lookup has to find, because there are too few products to prove anything; empty if lookups
 * are proven. `hasUnnamed`: some products show no originId, so even these prove nothing.
 * @throws Failure as `ProductLookup.find`.
 */
async function prove(
  api: Api,
): Promise<{ readonly listed: readonly string[]; readonly hasUnnamed: boolean }> {
  const probe = await probeArrays(api);
  if (probe.kind === 'misread') throw misread(api, probe.finding);
  if (probe.kind === 'proven') return { listed: [], hasUnnamed: false };
  return { listed: probe.originIds, hasUnnamed: probe.hasUnnamed };
}

/**
 * Looks up each id alone, since every list style writes a single id alike. `asked` is the size of the lookup that
 * missed them.
 */
async function checkAlone(api: Api, originIds: readonly string[], asked: number): Promise<void> {
  for (const originId of originIds) {
    const found = await findProducts(api, [originId]);
    if (found.has(originId)) throw hiddenProduct(api, originId, asked);
  }
}

function hiddenProduct(api: Api, originId: string, asked: number): Failure {
  return misread(
    api,
    `asked for ${asked} originIds, including '${originId}', which it lists, the service did not send that product`,
  );
}

function misread(api: Api, finding: string): Failure {
  return new Failure(
    'contradictory-reply',
    `listProducts: ${finding}; nothing is created, since existing products cannot be looked up`,
    misreadArrays(finding, api.assumptions).remedy,
    { operation: 'listProducts' },
  );
}

async function findProducts(
  api: Api,
  originIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Product[]>> {
  const found = new Map<string, Product[]>();
  for await (const { records, unreadable = 0 } of lookUpProducts(api, originIds)) {
    if (unreadable > 0) throw unshownOriginId('an unreadable record', originIds.length);
    for (const product of records) {
      const { id, originId } = product;
      if (!originId) throw unshownOriginId(`product ${id} without an originId`, originIds.length);
      const same = found.get(originId);
      if (same === undefined) found.set(originId, [product]);
      else same.push(product);
    }
  }
  return found;
}

/** The failure for a record without an originId: it may have any of the `asked` ones. */
function unshownOriginId(record: string, asked: number): Failure {
  return new Failure(
    'contradictory-reply',
    `listProducts: asked for ${asked} originIds, the service sent ${record}; nothing is created, since ` +
      'existing products cannot be looked up',
    'its lists have to show the originId of a product that is looked up by it; ask the operator of the service',
    { operation: 'listProducts' },
  );
}
