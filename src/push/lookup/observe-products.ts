import type { Api } from '../../client/caller.ts';
import type { Product } from '../../contract/resources.ts';
import type { Entry, ProductRecord } from '../../input/records/record-kinds.ts';
import type { KnownRecord, PushJournal } from '../../store/journal/push-journal.ts';
import { placeOf } from '../steps/outcome.ts';
import { type Asking, askInTurn, type Failed } from '../steps/outcome-of-failure.ts';
import { findProduct } from './find-one.ts';
import type { ProductLookup } from './find-products.ts';
import type { ProductGroups } from './product-groups.ts';

/** The sources of products, and their limits. */
interface ProductSources extends Asking {
  readonly api: Api;
  readonly lookup: ProductLookup;
  readonly groups: ProductGroups;
  readonly journal: Pick<PushJournal, 'known'>;
  /** True if the creation of a product may create its group. */
  readonly makesGroups: boolean;
}

/** A record with everything known about its product before a decision. */
export interface ObservedProduct extends Failed {
  readonly entry: Entry<ProductRecord>;
  /** The matching products at the service; more than one if it lists duplicates of an originId. */
  readonly existing: readonly Product[];
  /**
   * The id of the group that the record names. Looked up only if there is exactly one product to move into it, or if a
   * creation may not create the group.
   */
  readonly groupId?: string | undefined;
  /** The journal record of the product. */
  readonly known: KnownRecord | undefined;
}

/**
 * Looks up the products of records at the service and in the journal. The records must fit into one lookup.
 * @throws as `ProductLookup.find`; ServiceFailure if no single record is the cause.
 */
export async function observeProducts(
  sources: ProductSources,
  entries: readonly Entry<ProductRecord>[],
): Promise<readonly ObservedProduct[]> {
  if (entries.length === 0) return [];
  const { lookup, journal } = sources;
  const originIds = entries.map(({ record }) => record.originId);
  const [listed, known] = [await lookup.find(originIds), await journal.known('product', originIds)];
  const observe = (entry: Entry<ProductRecord>): Promise<ObservedProduct> => {
    const { originId } = entry.record;
    const product = { entry, existing: listed.get(originId) ?? [], known: known.get(originId) };
    return askInTurn<ObservedProduct>(sources, product, placeOf(entry), () => askSingly(sources, product));
  };
  return Promise.all(entries.map(observe));
}

/** The name of a record's group, if the record has no group id. */
export function groupNameOf({ groupId, groupName }: ProductRecord): string | undefined {
  return groupId === undefined ? groupName : undefined;
}

async function askSingly(sources: ProductSources, product: ObservedProduct): Promise<ObservedProduct> {
  const { groups, makesGroups } = sources;
  const existing = product.existing.length === 0 ? await unlisted(sources, product) : product.existing;
  const isGroupLookedFor = existing.length === 1 || (existing.length === 0 && !makesGroups);
  const groupName = isGroupLookedFor ? groupNameOf(product.entry.record) : undefined;
  return { ...product, existing, groupId: groupName && (await groups.find(groupName)) };
}

/**
 * Finds a product that is not listed under its originId (yet): by the id in its row, otherwise by its id from an
 * earlier run (API 4.3). The id in a row may turn out to be that of another product.
 */
async function unlisted(
  { api }: ProductSources,
  { entry, known }: ObservedProduct,
): Promise<readonly Product[]> {
  const { originId, id } = entry.record;
  const productId = id ?? known?.objectId;
  if (productId === undefined) return [];
  const product = await findProduct(api, productId);
  if (product === undefined || (id === undefined && product.originId !== originId)) return [];
  return [product];
}
