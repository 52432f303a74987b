import { productGroupDocument } from '../rules/documents.ts';
import { containsText, when } from '../rules/filters.ts';
import type { OperationHandlers } from '../rules/handlers.ts';
import { done, notFound } from '../state/outcome.ts';
import type { StoredProductGroup } from '../state/records.ts';
import { moveToGroup, productsOf } from './products.ts';

const orderings = {
  name: { sort: 'name', direction: 'ASC' },
  review_count: { sort: 'review_count', direction: 'ASC' },
  created_at: { sort: 'created_at', direction: 'ASC' },
  '-created_at': { sort: 'created_at', direction: 'DESC' },
} as const;

/** API 4.5 and 4.6. */
export const productGroupHandlers: OperationHandlers<'listProductGroups' | 'addProductToGroup'> = {
  listProductGroups: (context, { query }) => {
    const { state } = context;
    const { sort, direction } = orderings[query.ordering];
    return context.listings.page<StoredProductGroup>(
      {
        operation: 'listProductGroups',
        sort,
        direction,
        collection: state.productGroups,
        matches: when(query.name, (name) => (group) => containsText(group.name, name)) ?? (() => true),
        keyOf: (group) => {
          if (sort === 'name') return group.name;
          return sort === 'review_count' ? state.groupReviews(group.id).count : group.createdAt;
        },
        hasDerivedKey: sort === 'review_count',
        affectedBy: (change) =>
          sort === 'review_count' ? productsOf(state, change).flatMap(({ groupId }) => groupId ?? []) : [],
        present: (group) => productGroupDocument(context, group),
      },
      query,
    );
  },

  addProductToGroup: (context, { parameters: { productGroupId, productId } }) => {
    const { state } = context;
    const group = state.productGroups.get(productGroupId);
    if (!group) return notFound('productGroupId', productGroupId);
    const product = state.products.get(productId);
    if (!product) return notFound('productId', productId);
    moveToGroup(context, product, { ...product, groupId: group.id });
    return done(productGroupDocument(context, state.productGroups.get(group.id) ?? group));
  },
};
