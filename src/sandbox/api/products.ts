import { duplicateProblem, refusalOf } from '../rules/creation.ts';
import { productDocument } from '../rules/documents.ts';
import { equals, field, isOneOf } from '../rules/filters.ts';
import type { OperationHandlers } from '../rules/handlers.ts';
import { listPage } from '../state/listings.ts';
import { done, doneUpdate, found, invalid, notFound, type RefusedRequest } from '../state/outcome.ts';
import type { StoredProduct, StoredProductGroup } from '../state/records.ts';
import type { RequestContext } from '../state/request-context.ts';
import { isCounted } from '../state/state.ts';

/** API 4.1 to 4.4. */
export const productHandlers: OperationHandlers<
  'createProduct' | 'listProducts' | 'getProduct' | 'updateProduct'
> = {
  createProduct: (context, { body }) => {
    const { state } = context;
    const { originId } = body;
    const isKnown = state.products.has('originId', originId);
    const duplicate = duplicateProblem(context, 'a product', { originId, isKnown });
    const refusal = duplicate ? refusalOf(duplicate) : refuseUnknownReferences(context, body);
    if (refusal) return refusal;
    const product: StoredProduct = {
      id: state.nextId(),
      originId,
      name: body.name,
      imageUrl: body.imageUrl ?? null,
      url: productUrl(originId),
      categories: resolveCategories(context, body.categories ?? []),
      groupId: body.groupId ?? groupIdByName(context, body.groupName),
      brand: null,
      isAlimtalkEnabled: body.isAlimtalkEnabled,
      isReviewDisabled: body.isReviewDisabled,
    };
    state.products.put(product);
    if (product.groupId !== null) touchGroup(context, product.groupId);
    return done(productDocument(context, product));
  },

  listProducts: (context, { query }) =>
    listPage(
      context,
      {
        operation: 'listProducts',
        sort: query.sort,
        direction: query.direction,
        collection: context.state.products,
        where: [
          isOneOf(field('originId'), query.originIds),
          isOneOf(field('groupId'), query.productGroupIds),
          equals(field('isAlimtalkEnabled'), query.isAlimtalkEnabled),
        ],
        key: sortKeys[query.sort],
        show: productDocument,
      },
      query,
    ),

  getProduct: (context, { parameters: { productId } }) =>
    found(context, context.state.products.get(productId), ['productId', productId], productDocument),

  updateProduct: (context, { parameters: { productId }, body }) => {
    const { state, assumptions } = context;
    const product = state.products.get(productId);
    if (!product) return notFound('productId', productId);
    const refusal = refuseUnknownReferences(context, body);
    if (refusal) return refusal;
    const defaults =
      assumptions.defaultsOnUpdate === 'apply'
        ? { isAlimtalkEnabled: true, isReviewDisabled: false }
        : product;
    const updated: StoredProduct = {
      ...product,
      name: body.name ?? product.name,
      imageUrl: body.imageUrl ?? product.imageUrl,
      categories: body.categories ? resolveCategories(context, body.categories) : product.categories,
      groupId: body.groupId ?? product.groupId,
      isAlimtalkEnabled: body.isAlimtalkEnabled ?? defaults.isAlimtalkEnabled,
      isReviewDisabled: body.isReviewDisabled ?? defaults.isReviewDisabled,
    };
    const put = () => moveToGroup(context, product, updated);
    return doneUpdate(context, { before: product, after: updated, put }, productDocument);
  },
};

/** All products of a group share its reviews. */
const sortKeys = {
  ID: 'id',
  NAME: field('name'),
  REVIEW_COUNT: `(SELECT count(*) FROM reviews WHERE ${isCounted} AND reviews.${field('productId')} IN (
    SELECT sharing.${field('id')} FROM products sharing WHERE sharing.id = products.id
    UNION SELECT sharing.${field('id')} FROM products sharing
      WHERE sharing.${field('groupId')} = products.${field('groupId')}))`,
} as const;

/** Replaces `product` by `updated`. Also updates the groups that it leaves or joins. */
export function moveToGroup(context: RequestContext, product: StoredProduct, updated: StoredProduct): void {
  context.state.products.put(updated);
  if (product.groupId === updated.groupId) return;
  for (const groupId of [product.groupId, updated.groupId]) {
    if (groupId !== null) touchGroup(context, groupId);
  }
}

/** The product's page in the shop. The field is read-only (API 2), so the sandbox invents it. */
export function productUrl(originId: string): string {
  return `https://shop.example/products/${encodeURIComponent(originId.toWellFormed())}`;
}

type CategoryInput = { readonly originId: string; readonly isPrimary?: boolean | undefined };

function refuseUnknownReferences(
  { state }: RequestContext,
  {
    groupId,
    categories,
  }: { readonly groupId?: string | undefined; readonly categories?: readonly CategoryInput[] | undefined },
): RefusedRequest | undefined {
  if (groupId !== undefined && !state.productGroups.get(groupId)) {
    return invalid(['body', 'groupId'], `no product group has the id ${groupId}`, 'not_found');
  }
  const unknown = categories?.findIndex(({ originId }) => !state.categories.has('originId', originId)) ?? -1;
  if (unknown === -1) return undefined;
  return invalid(
    ['body', 'categories', unknown, 'originId'],
    `no category has the originId ${categories?.[unknown]?.originId}`,
    'not_found',
  );
}

function resolveCategories(
  { state }: RequestContext,
  categories: readonly CategoryInput[],
): StoredProduct['categories'] {
  return categories.flatMap(({ originId, isPrimary = false }) => {
    const categoryId = state.categories.idOf('originId', originId);
    return categoryId === undefined ? [] : [{ categoryId, isPrimary }];
  });
}

/**
 * The group with this name, created if there is none (API 4.1). Under the default of the assumption `groupName`, a
 * group created after this request arrived is not visible yet, so two concurrent creations make two groups.
 */
function groupIdByName(
  { state, assumptions, lastIdAtArrival, now }: RequestContext,
  name: string | undefined,
) {
  if (name === undefined) return null;
  const known = state.productGroups
    .find('name', name)
    .find((group) => assumptions.groupName === 'unique' || Number(group.id) <= lastIdAtArrival);
  if (known) return known.id;
  const group = { id: state.nextId(), name, imageUrl: null, createdAt: now, updatedAt: now };
  state.productGroups.put(group);
  return group.id;
}

function touchGroup({ state, now }: RequestContext, groupId: string): void {
  const group: StoredProductGroup | undefined = state.productGroups.get(groupId);
  if (group && group.updatedAt !== now) state.productGroups.put({ ...group, updatedAt: now });
}
