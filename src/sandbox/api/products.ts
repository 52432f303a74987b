import { duplicateProblem, refusalOf } from '../rules/creation.ts';
import { productDocument } from '../rules/documents.ts';
import { allOf, isOneOf, when } from '../rules/filters.ts';
import type { OperationHandlers } from '../rules/handlers.ts';
import { done, doneUpdate, invalid, notFound, type Refused } from '../state/outcome.ts';
import type { ProductGroupRecord, ProductRecord } from '../state/records.ts';
import type { Visit } from '../state/request-context.ts';
import type { Change, World } from '../state/state.ts';

/** API 4.1 to 4.4. */
export const productHandlers: OperationHandlers<
  'createProduct' | 'listProducts' | 'getProduct' | 'updateProduct'
> = {
  createProduct: (visit, { body }) => {
    const { world } = visit;
    const { originId } = body;
    const isKnown = world.products.has('originId', originId);
    const duplicate = duplicateProblem(visit, 'a product', { originId, isKnown });
    const refusal = duplicate ? refusalOf(duplicate) : refuseUnknownReferences(visit, body);
    if (refusal) return refusal;
    const product: ProductRecord = {
      id: world.nextId(),
      originId,
      name: body.name,
      imageUrl: body.imageUrl ?? null,
      url: productUrl(originId),
      categories: resolveCategories(visit, body.categories ?? []),
      groupId: body.groupId ?? groupIdByName(visit, body.groupName),
      brand: null,
      isAlimtalkEnabled: body.isAlimtalkEnabled,
      isReviewDisabled: body.isReviewDisabled,
    };
    world.products.put(product);
    if (product.groupId !== null) touchGroup(visit, product.groupId);
    return done(productDocument(visit, product));
  },

  listProducts: (visit, { query }) => {
    const { world } = visit;
    return visit.listings.page<ProductRecord>(
      {
        operation: 'listProducts',
        sort: query.sort,
        direction: query.direction,
        collection: world.products,
        candidates:
          query.originIds &&
          [...new Set(query.originIds)].flatMap((originId) => world.products.find('originId', originId)),
        matches: allOf([
          isOneOf(query.productGroupIds, (product) => product.groupId),
          when(query.isAlimtalkEnabled, (flag) => (product) => product.isAlimtalkEnabled === flag),
        ]),
        keyOf: (product) => {
          if (query.sort === 'NAME') return product.name;
          return query.sort === 'REVIEW_COUNT' ? world.sharedReviews(product).count : Number(product.id);
        },
        hasDerivedKey: query.sort === 'REVIEW_COUNT',
        affectedBy: (change) => (query.sort === 'REVIEW_COUNT' ? recountedProducts(world, change) : []),
        present: (product) => productDocument(visit, product),
      },
      query,
    );
  },

  getProduct: (visit, { parameters: { productId } }) => {
    const product = visit.world.products.get(productId);
    return product ? done(productDocument(visit, product)) : notFound('productId', productId);
  },

  updateProduct: (visit, { parameters: { productId }, body }) => {
    const { world, assumptions } = visit;
    const product = world.products.get(productId);
    if (!product) return notFound('productId', productId);
    const refusal = refuseUnknownReferences(visit, body);
    if (refusal) return refusal;
    const defaults =
      assumptions.defaultsOnUpdate === 'apply'
        ? { isAlimtalkEnabled: true, isReviewDisabled: false }
        : product;
    const updated: ProductRecord = {
      ...product,
      name: body.name ?? product.name,
      imageUrl: body.imageUrl ?? product.imageUrl,
      categories: body.categories ? resolveCategories(visit, body.categories) : product.categories,
      groupId: body.groupId ?? product.groupId,
      isAlimtalkEnabled: body.isAlimtalkEnabled ?? defaults.isAlimtalkEnabled,
      isReviewDisabled: body.isReviewDisabled ?? defaults.isReviewDisabled,
    };
    const put = () => moveToGroup(visit, product, updated);
    return doneUpdate(assumptions, { before: product, after: updated, put }, (record) =>
      productDocument(visit, record),
    );
  },
};

/** The products whose number of reviews a change may alter: those of the groups it concerns, which share them, or one alone. */
function recountedProducts(world: World, change: Change): readonly string[] {
  const products = productsOf(world, change);
  const groups = new Set(products.map(({ groupId }) => groupId).filter((id) => id !== null));
  const sharing = [...groups].flatMap((groupId) => world.products.find('groupId', groupId));
  return [...new Set([...products, ...sharing].map(({ id }) => id))];
}

/** The products a change is about, as they were and as they are: itself, or that of a review. */
export function productsOf(world: World, { before, record }: Change): readonly ProductRecord[] {
  return [before, record].flatMap((one) => {
    if (one === undefined) return [];
    if ('groupId' in one) return [one];
    const product = 'rating' in one ? world.products.get(one.productId) : undefined;
    return product ? [product] : [];
  });
}

/** Stores `updated` in place of `product`; a group it leaves or joins counts as updated. */
export function moveToGroup(visit: Visit, product: ProductRecord, updated: ProductRecord): void {
  visit.world.products.put(updated);
  if (product.groupId === updated.groupId) return;
  for (const groupId of [product.groupId, updated.groupId]) {
    if (groupId !== null) touchGroup(visit, groupId);
  }
}

/** Where the shop shows the product; read-only, so the service makes it up (API 2). */
export function productUrl(originId: string): string {
  return `https://shop.example/products/${encodeURIComponent(originId)}`;
}

type CategoryInput = { readonly originId: string; readonly isPrimary?: boolean | undefined };

function refuseUnknownReferences(
  { world }: Visit,
  {
    groupId,
    categories,
  }: { readonly groupId?: string | undefined; readonly categories?: readonly CategoryInput[] | undefined },
): Refused | undefined {
  if (groupId !== undefined && !world.productGroups.get(groupId)) {
    return invalid(['body', 'groupId'], `no product group has the id ${groupId}`, 'not_found');
  }
  const unknown =
    categories?.findIndex(({ originId }) => !world.categories.first('originId', originId)) ?? -1;
  if (unknown === -1) return undefined;
  return invalid(
    ['body', 'categories', unknown, 'originId'],
    `no category has the originId ${categories?.[unknown]?.originId}`,
    'not_found',
  );
}

function resolveCategories(
  { world }: Visit,
  categories: readonly CategoryInput[],
): ProductRecord['categories'] {
  return categories.flatMap(({ originId, isPrimary = false }) => {
    const category = world.categories.first('originId', originId);
    return category ? [{ categoryId: category.id, isPrimary }] : [];
  });
}

/**
 * The group of that name, created when there is none (API 4.1). A group made after this request arrived is not seen
 * yet, so two creations at once make two groups of one name (assumption `groupName`).
 */
function groupIdByName({ world, assumptions, lastIdAtArrival, now }: Visit, name: string | undefined) {
  if (name === undefined) return null;
  const known = world.productGroups
    .find('name', name)
    .find((group) => assumptions.groupName === 'unique' || Number(group.id) <= lastIdAtArrival);
  if (known) return known.id;
  const group = { id: world.nextId(), name, imageUrl: null, createdAt: now, updatedAt: now };
  world.productGroups.put(group);
  return group.id;
}

function touchGroup({ world, now }: Visit, groupId: string): void {
  const group: ProductGroupRecord | undefined = world.productGroups.get(groupId);
  if (group && group.updatedAt !== now) world.productGroups.put({ ...group, updatedAt: now });
}
