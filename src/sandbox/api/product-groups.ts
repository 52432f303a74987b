import { productGroupDocument } from '../rules/documents.ts';
import { containsText, when } from '../rules/filters.ts';
import type { OperationHandlers } from '../rules/handlers.ts';
import { done, notFound } from '../state/outcome.ts';
import type { ProductGroupRecord } from '../state/records.ts';
import { moveToGroup, productsOf } from './products.ts';

const orderings = {
  name: { sort: 'name', direction: 'ASC' },
  review_count: { sort: 'review_count', direction: 'ASC' },
  created_at: { sort: 'created_at', direction: 'ASC' },
  '-created_at': { sort: 'created_at', direction: 'DESC' },
} as const;

/** API 4.5 and 4.6. */
export const productGroupHandlers: OperationHandlers<'listProductGroups' | 'addProductToGroup'> = {
  listProductGroups: (visit, { query }) => {
    const { world } = visit;
    const { sort, direction } = orderings[query.ordering];
    return visit.listings.page<ProductGroupRecord>(
      {
        operation: 'listProductGroups',
        sort,
        direction,
        collection: world.productGroups,
        matches: when(query.name, (name) => (group) => containsText(group.name, name)) ?? (() => true),
        keyOf: (group) => {
          if (sort === 'name') return group.name;
          return sort === 'review_count' ? world.groupReviews(group.id).count : group.createdAt;
        },
        hasDerivedKey: sort === 'review_count',
        affectedBy: (change) =>
          sort === 'review_count' ? productsOf(world, change).flatMap(({ groupId }) => groupId ?? []) : [],
        present: (group) => productGroupDocument(visit, group),
      },
      query,
    );
  },

  addProductToGroup: (visit, { parameters: { productGroupId, productId } }) => {
    const { world } = visit;
    const group = world.productGroups.get(productGroupId);
    if (!group) return notFound('productGroupId', productGroupId);
    const product = world.products.get(productId);
    if (!product) return notFound('productId', productId);
    moveToGroup(visit, product, { ...product, groupId: group.id });
    return done(productGroupDocument(visit, world.productGroups.get(group.id) ?? group));
  },
};
