import type { Api } from '../../client/caller.ts';
import type { CompiledItem } from '../compile/order-items.ts';
import type { RecordPlace } from '../steps/outcome.ts';
import { createProductLookup, lookupGroups, type ProductLookup } from './find-products.ts';

/** A product that items are of and the service does not know. */
interface MissingProduct {
  readonly productOriginId: string;
  /** How many items it has, and the places of the first of them. */
  readonly count: number;
  readonly first: readonly Pick<RecordPlace, 'file' | 'line'>[];
}

/** Places that are named of one product. */
const namedMaximum = 3;

/** Products that are gathered before they are looked up; one that comes up again later is looked up again. */
const gatheredMaximum = 10_000;

/** Missing products that are listed one by one; an input with more of them belongs to another shop. */
const missingMaximum = 10_000;

/**
 * The products that the items of `batches` are of and the service does not know, in the order in which the input names
 * them; looked up 100 at a time (API 4.2). Nothing is written.
 * @throws ServiceFailure when the list of products cannot be read.
 */
export async function findMissingProducts(
  api: Api,
  batches: AsyncIterable<readonly CompiledItem[]>,
): Promise<readonly MissingProduct[]> {
  const lookup = createProductLookup(api);
  const missing = new Map<string, MissingProduct>();
  let gathered = new Map<string, MissingProduct>();
  const lookUp = async () => {
    for (const product of await withoutKnown(lookup, [...gathered.values()])) {
      const { productOriginId } = product;
      const before = missing.get(productOriginId);
      if (before !== undefined || missing.size < missingMaximum) {
        missing.set(productOriginId, before === undefined ? product : merged(before, product));
      }
    }
    gathered = new Map();
  };
  for await (const entries of batches) {
    for (const { file, line, productOriginId } of entries) {
      const place = { productOriginId, count: 1, first: [{ file, line }] };
      const before = gathered.get(productOriginId);
      gathered.set(productOriginId, before === undefined ? place : merged(before, place));
    }
    if (gathered.size >= gatheredMaximum) await lookUp();
  }
  await lookUp();
  return [...missing.values()];
}

function merged(before: MissingProduct, { count, first }: MissingProduct): MissingProduct {
  return {
    ...before,
    count: before.count + count,
    first: [...before.first, ...first].slice(0, namedMaximum),
  };
}

async function withoutKnown(
  lookup: ProductLookup,
  products: readonly MissingProduct[],
): Promise<MissingProduct[]> {
  const missing: MissingProduct[] = [];
  for await (const group of lookupGroups([products], ({ productOriginId }) => productOriginId)) {
    const known = await lookup.find(group.map(({ productOriginId }) => productOriginId));
    missing.push(...group.filter(({ productOriginId }) => !known.has(productOriginId)));
  }
  return missing;
}
