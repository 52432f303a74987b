import type { Api } from '../../client/caller.ts';
import type { CompiledItem } from '../compile/order-items.ts';
import type { RecordPlace } from '../steps/outcome.ts';
import { createProductLookup, lookupGroups } from './find-products.ts';

/** A product of input items that the service does not know. */
interface MissingProduct {
  readonly productOriginId: string;
  /** The number of its items, and the places of the first ones. */
  readonly count: number;
  readonly first: readonly Pick<RecordPlace, 'file' | 'line'>[];
}

/** The maximum number of places named per product. */
const namedMaximum = 3;

/** Products to gather before a lookup. A product that appears again later is looked up again. */
const gatheredMaximum = 10_000;

/** Missing products to list individually. An input with more of them belongs to another shop. */
const missingMaximum = 10_000;

/**
 * Finds the products of the items in `batches` that the service does not know, in input order. Looks up 100 at a time
 * (API 4.2). Writes nothing.
 * @throws ServiceFailure if the list of products cannot be read.
 */
export async function findMissingProducts(
  api: Api,
  batches: AsyncIterable<readonly CompiledItem[]>,
): Promise<readonly MissingProduct[]> {
  const lookup = createProductLookup(api);
  const missing = new Map<string, MissingProduct>();
  let gathered = new Map<string, MissingProduct>();
  const lookUp = async () => {
    const groups = lookupGroups([[...gathered.values()]], ({ productOriginId }) => productOriginId);
    for await (const group of groups) {
      const known = await lookup.find(group.map(({ productOriginId }) => productOriginId));
      for (const product of group) {
        const { productOriginId } = product;
        const isListed = missing.has(productOriginId) || missing.size < missingMaximum;
        if (!known.has(productOriginId) && isListed) addItems(missing, product);
      }
    }
    gathered = new Map();
  };
  for await (const entries of batches) {
    for (const { file, line, productOriginId } of entries)
      addItems(gathered, { productOriginId, count: 1, first: [{ file, line }] });
    if (gathered.size >= gatheredMaximum) await lookUp();
  }
  await lookUp();
  return [...missing.values()];
}

function addItems(products: Map<string, MissingProduct>, product: MissingProduct): void {
  const { productOriginId, count, first } = product;
  const before = products.get(productOriginId) ?? { count: 0, first: [] };
  products.set(productOriginId, {
    productOriginId,
    count: before.count + count,
    first: [...before.first, ...first].slice(0, namedMaximum),
  });
}
