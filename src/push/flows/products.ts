import type { Clock } from '../../base/clock.ts';
import { limitWork } from '../../base/lists.ts';
import type { Entry, ProductRecord } from '../../input/records/record-kinds.ts';
import { decideProduct, noGroup, type ProductRules } from '../decide/decide-product.ts';
import type { UpsertEntry, UpsertWrite } from '../decide/upsert-entry.ts';
import { createProductLookup } from '../lookup/find-products.ts';
import { createLostCreations } from '../lookup/lost-creations.ts';
import { observeProducts } from '../lookup/observe-products.ts';
import { createProductGroups, GroupNames, type ProductGroups } from '../lookup/product-groups.ts';
import type { PushFlow } from '../plan/request.ts';
import { createProduct } from '../send/create-product.ts';
import { sendUpdate, type Updating } from '../send/send-update.ts';
import { createBreaker } from '../steps/breaker.ts';
import { createCanary } from '../steps/canary.ts';
import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import { outcomeOfFailure } from '../steps/outcome-of-failure.ts';
import { productEntry } from '../steps/product-image.ts';
import type { StepPlace } from '../steps/run-steps.ts';
import { type UpsertContext, upsertFlow } from './upsert.ts';

/** The context of every push of products, including undo. */
export interface ProductsContext extends UpsertContext {
  readonly clock: Clock;
}

export interface ProductsPush extends ProductsContext, Omit<ProductRules, 'assumptions'> {}

/**
 * Creates products that the service does not have, and updates the differences of those it has (API 4.1, 4.2, 4.4), by
 * originId. Unchanged products are not written. If a creation may have arrived, in this run or an earlier one, the
 * product is looked for. It is created again only if the service has shown in this run that it does not have it, or if
 * a person says so with `resend`.
 */
export function productsFlow(push: ProductsPush): PushFlow<Entry<ProductRecord>, UpsertEntry> {
  const products = openProducts(push, push.makesGroups);
  const rules = { ...push, assumptions: push.api.assumptions };
  return upsertFlow({
    ...products,
    originIdOf: ({ record }) => record.originId,
    lookupKeyOf: ({ record }: Entry<ProductRecord>) => record.originId,
    openDecider: async () => {
      const newGroups = new GroupNames();
      return { lookUp: products.observe, decide: (observed) => decideProduct(observed, rules, newGroups) };
    },
  });
}

/** The lookups and writes of products, for pushes and undo alike. */
export function openProducts(context: ProductsContext, makesGroups: boolean) {
  const { api, concurrency } = context;
  const shared = {
    ...context,
    makesGroups,
    breaker: createBreaker(),
    inTurn: limitWork(concurrency),
    lookup: createProductLookup(api),
    groups: createProductGroups(api),
    creationCanary: createCanary(),
    canary: createCanary(),
  };
  const products = { ...shared, lost: createLostCreations(shared) };
  return {
    ...products,
    journaled: 'product' as const,
    observe: (entries: readonly Entry<ProductRecord>[]) => observeProducts(products, entries),
    write: (entry: UpsertEntry, write: UpsertWrite, { setAside }: Pick<StepPlace, 'setAside'>) =>
      write.kind === 'create'
        ? createProduct(products, entry.outcome, write.body as never, setAside)
        : updateProduct(products, entry, write),
  };
}

interface ProductUpdating extends Updating {
  readonly groups: ProductGroups;
}

type ProductUpdate = Extract<UpsertWrite, { readonly kind: 'update' }>;

/** Updates a product. Finds its group by name, unless a creation begun before makes the group. */
async function updateProduct(
  updating: ProductUpdating,
  entry: UpsertEntry,
  { groupName, ...write }: ProductUpdate,
): Promise<PushOutcome> {
  if (groupName === undefined) return changeProduct(updating, entry, write);
  const { outcome } = entry;
  try {
    const groupId = await updating.groups.find(groupName);
    if (groupId === undefined) return outcomeOf(outcome, 'rejected', { error: noGroup(groupName) });
    const group = { from: outcome.changes?.['groupId']?.from ?? null, to: groupId };
    const placed = { ...outcome, changes: { ...outcome.changes, groupId: group } };
    const body = { ...write.body, groupId };
    return await changeProduct(updating, { ...entry, outcome: placed }, { ...write, body });
  } catch (error) {
    return outcomeOfFailure(outcome, error, updating.breaker);
  }
}

function changeProduct(
  updating: ProductUpdating,
  { outcome, before }: UpsertEntry,
  { id, body }: ProductUpdate,
): Promise<PushOutcome> {
  const { file, line, originId, changes = {} } = outcome;
  const imageUrl = body['imageUrl'] as string | undefined;
  const accepted = { of: 'product', entry: productEntry({ originId, imageUrl }), objectId: id } as const;
  return sendUpdate(updating, outcome, {
    operation: 'updateProduct',
    id,
    body,
    before,
    undo: { kind: 'updated', file, line, originId, id, changes },
    ...(imageUrl === undefined ? {} : { accepted }),
  });
}
