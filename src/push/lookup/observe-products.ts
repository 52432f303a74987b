import type { Api } from '../../client/caller.ts';
import type { Product } from '../../contract/resources.ts';
import type { Entry, ProductRecord } from '../../input/records/record-kinds.ts';
import type { KnownRecord, PushJournal } from '../../store/journal/push-journal.ts';
import { placeOf } from '../steps/outcome.ts';
import { type Asking, askInTurn, type Failed } from '../steps/outcome-of-failure.ts';
import { findProduct } from './find-one.ts';
import type { ProductLookup } from './find-products.ts';
import type { ProductGroups } from './product-groups.ts';

/** Where products are looked for. */
interface ProductSources extends Asking {
  readonly api: Api;
  readonly lookup: ProductLookup;
  readonly groups: ProductGroups;
  readonly journal: Pick<PushJournal, 'known'>;
  /** Whether the creation of a product may make the group that it names. */
  readonly makesGroups: boolean;
}

/** A record with all that is known of its product before anything is decided. */
export interface ObservedProduct extends Failed {
  readonly entry: Entry<ProductRecord>;
  /** What the service has of it: more than one where it lists two of one originId. */
  readonly existing: readonly Product[];
  /**
   * The id of the group that the record names; looked up only where it has one product there to be put into it, or
   * where its creation makes no group.
   */
  readonly groupId?: string | undefined;
  /** What the journal knows of it. */
  readonly known: KnownRecord | undefined;
}

/**
 * Asks the service and the journal for the products of records that fit into one look-up.
 * @throws as `ProductLookup.find`; ServiceFailure for what no single record is to blame for.
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

/** The name of a record's group, where the record does not give the group's id. */
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
 * A product that is not listed under its originId (yet), by the id that its row gives, or else the one it was created
 * under in an earlier run (API 4.3). That of a row may turn out to be another product.
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
