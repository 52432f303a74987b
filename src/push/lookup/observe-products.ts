import { limitWork, mapConcurrently } from '../../base/lists.ts';
import type { Api } from '../../client/caller.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Product } from '../../contract/resources.ts';
import type { Entry, ProductRecord } from '../../input/records/record-kinds.ts';
import type { KnownRecord } from '../../store/journal/push-journal.ts';
import type { Breaker } from '../steps/breaker.ts';
import type { PushOutcome } from '../steps/outcome.ts';
import { outcomeOfFailure } from '../steps/outcome-of-failure.ts';
import type { ProductJournal } from '../steps/product-journal.ts';
import type { StepOptions } from '../steps/run-steps.ts';
import { lookupGroups, type ProductLookup } from './find-products.ts';
import type { ProductGroups } from './product-groups.ts';

/** Lookups of existing products that may be under way ahead of what is done with them. */
const lookupsAhead = 2;

/** Where products are looked for. */
interface ProductSources extends Pick<StepOptions, 'concurrency'> {
  readonly api: Api;
  readonly breaker: Breaker;
  readonly lookup: ProductLookup;
  readonly groups: ProductGroups;
  readonly journal: Pick<ProductJournal, 'known'>;
  /** Whether the creation of a product may make the group that it names. */
  readonly makesGroups: boolean;
}

/** A record with all that is known of its product before anything is decided. */
export interface ObservedProduct {
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
  /** What is to be said of it where the service could not be asked. */
  readonly failed?: PushOutcome;
}

/**
 * Asks the service and the journal for the product of each record, 100 at a time, and yields them in input order.
 * @throws as `ProductLookup.find`; ServiceFailure for what no single record is to blame for.
 */
export async function* observeProducts(
  sources: ProductSources,
  batches: AsyncIterable<readonly Entry<ProductRecord>[]>,
): AsyncGenerator<readonly ObservedProduct[]> {
  const { lookup, journal, concurrency } = sources;
  const inTurn = limitWork(concurrency);
  const groups = lookupGroups(batches, ({ record }) => record.originId);
  yield* mapConcurrently(groups, { width: lookupsAhead }, async (entries) => {
    const originIds = entries.map(({ record }) => record.originId);
    const [listed, known] = [await lookup.find(originIds), await journal.known(originIds)];
    const products = entries.map((entry): ObservedProduct => {
      const { originId } = entry.record;
      return { entry, existing: listed.get(originId) ?? [], known: known(originId) };
    });
    return Promise.all(products.map((product) => inTurn(() => askSingly(sources, product))));
  });
}

/** The name of a record's group, where the record does not give the group's id. */
export function groupNameOf({ groupId, groupName }: ProductRecord): string | undefined {
  return groupId === undefined ? groupName : undefined;
}

async function askSingly(sources: ProductSources, product: ObservedProduct): Promise<ObservedProduct> {
  const { breaker, groups, makesGroups } = sources;
  const { file, line, record } = product.entry;
  try {
    const existing = product.existing.length === 0 ? await unlisted(sources, product) : product.existing;
    const isGroupLookedFor = existing.length === 1 || (existing.length === 0 && !makesGroups);
    const groupName = isGroupLookedFor ? groupNameOf(record) : undefined;
    return { ...product, existing, groupId: groupName && (await groups.find(groupName)) };
  } catch (error) {
    const failed = outcomeOfFailure({ file, line, originId: record.originId }, error, breaker);
    breaker.check();
    return { ...product, failed };
  }
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
  const product = await productOfId(api, productId);
  if (product === undefined || (id === undefined && product.originId !== originId)) return [];
  return [product];
}

/** The product of this id (API 4.3); undefined where there is none. */
export async function productOfId(api: Api, productId: string): Promise<Product | undefined> {
  try {
    return (await api.call('getProduct', { params: { productId } })).value;
  } catch (error) {
    if (error instanceof ServiceFailure && error.kind === 'not-found') return undefined;
    throw error;
  }
}
