import { Failure } from '../../base/failure.ts';
import type { Api } from '../../client/caller.ts';
import { lookUp } from '../../client/look-up.ts';
import { probeArrays } from '../../client/probe-arrays.ts';
import { misreadArrays } from '../../contract/array-checks.ts';
import { firstMaximum } from '../../contract/limits.ts';
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
   * asked first, once.
   * @throws Failure('contradictory-reply') where it does not; ServiceFailure when the list cannot be read.
   */
  find(originIds: readonly string[]): Promise<ReadonlyMap<string, readonly Product[]>>;
}

/** A lookup that hides what the service has would have it created again, so none is believed before it is proven. */
export function createProductLookup(api: Api): ProductLookup {
  let isProven = false;
  let probed: Promise<readonly string[]> | undefined;
  return {
    find: async (originIds) => {
      const found = await findProducts(api, originIds);
      isProven ||= found.size > 1;
      if (isProven || originIds.every((originId) => found.has(originId))) return found;
      probed ??= prove(api);
      const listed = await probed;
      const hidden = originIds.find((originId) => listed.includes(originId) && !found.has(originId));
      if (hidden !== undefined) throw hiddenProduct(api, hidden, originIds.length);
      return found;
    },
  };
}

/**
 * The originIds that each lookup has to find because there are too few of them to prove anything by: none where lookups
 * are proven.
 * @throws Failure as `ProductLookup.find`.
 */
async function prove(api: Api): Promise<readonly string[]> {
  const probe = await probeArrays(api);
  if (probe.kind === 'misread') throw misread(api, probe.finding);
  if (probe.kind === 'unprovable') return probe.originIds;
  return [];
}

function hiddenProduct(api: Api, originId: string, asked: number): Failure {
  return misread(
    api,
    `asked for ${asked} originIds, among them '${originId}', which it lists, the service did not send that product`,
  );
}

function misread(api: Api, finding: string): Failure {
  const evidence = misreadArrays(finding, api.assumptions);
  api.report({ assumption: 'arrayQuery', ...evidence });
  return new Failure(
    'contradictory-reply',
    `listProducts: ${finding}; nothing is created, since what the service has cannot be looked up`,
    evidence.remedy,
    { operation: 'listProducts' },
  );
}

async function findProducts(
  api: Api,
  originIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Product[]>> {
  const found = new Map<string, Product[]>();
  for await (const { records } of lookUp(api, 'listProducts', { originIds: [...originIds] })) {
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
