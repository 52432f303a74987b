import { Failure } from '../../base/failure.ts';
import type { Api } from '../../client/caller.ts';
import { lookUpProducts, probeArrays } from '../../client/probe-arrays.ts';
import { firstMaximum } from '../../contract/limits.ts';
import { misreadArrays } from '../../contract/reply-checks.ts';
import type { Product } from '../../contract/resources.ts';

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

/** Finds products by their originIds. */
export interface ProductLookup {
  /**
   * The products the service has under each of `originIds` (API 4.2); more than one where it has two of the same. What
   * is missing is missing there: where the service has not shown that it reads lists of ids as they are written, it is
   * asked first, once. Where it lists products without an originId, nothing can be shown, so each id is asked for
   * alone.
   * @throws Failure('contradictory-reply') where it does not read them so, and for a product that is found by its
   *   originId without showing it; ServiceFailure when the list cannot be read.
   */
  find(originIds: readonly string[]): Promise<ReadonlyMap<string, readonly Product[]>>;
}

/** A lookup that hides what the service has would have it created again, so none is believed before it is proven. */
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
      // The products that are created until the next lookup may prove it.
      probed = undefined;
      if (originIds.length > 1) await checkAlone(api, missing, originIds.length);
      return found;
    },
  };
}

/**
 * The originIds that each lookup has to find because there are too few of them to prove anything by: none where lookups
 * are proven. `hasUnnamed`: there are products that show no originId, so even these prove nothing.
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

/** Asks for each id alone, as every style of lists writes it alike, although a lookup of `asked` ids found none. */
async function checkAlone(api: Api, originIds: readonly string[], asked: number): Promise<void> {
  for (const originId of originIds) {
    const found = await findProducts(api, [originId]);
    if (found.has(originId)) throw hiddenProduct(api, originId, asked);
  }
}

function hiddenProduct(api: Api, originId: string, asked: number): Failure {
  return misread(
    api,
    `asked for ${asked} originIds, among them '${originId}', which it lists, the service did not send that product`,
  );
}

function misread(api: Api, finding: string): Failure {
  return new Failure(
    'contradictory-reply',
    `listProducts: ${finding}; nothing is created, since what the service has cannot be looked up`,
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

/** A record that does not say which of `asked` originIds it has may be any of them. */
function unshownOriginId(record: string, asked: number): Failure {
  return new Failure(
    'contradictory-reply',
    `listProducts: asked for ${asked} originIds, the service sent ${record}; nothing is created, since ` +
      'what the service has cannot be looked up',
    'its lists have to show the originId of a product that is looked up by it; ask the operator of the service',
    { operation: 'listProducts' },
  );
}
