import { productGroupDocument } from '../rules/documents.ts';
import { containsText, field } from '../rules/filters.ts';
import type { OperationHandlers } from '../rules/handlers.ts';
import { listPage } from '../state/listings.ts';
import { done, notFound } from '../state/outcome.ts';
import { isCounted } from '../state/state.ts';
import { moveToGroup } from './products.ts';

const reviewCount = `(SELECT count(*) FROM reviews WHERE ${isCounted} AND reviews.${field('productId')} IN (
  SELECT products.${field('id')} FROM products
  WHERE products.${field('groupId')} = productGroups.${field('id')}))`;

const orderings = {
  name: { sort: 'name', direction: 'ASC', key: field('name') },
  review_count: { sort: 'review_count', direction: 'ASC', key: reviewCount },
  created_at: { sort: 'created_at', direction: 'ASC', key: field('createdAt') },
  '-created_at': { sort: 'created_at', direction: 'DESC', key: field('createdAt') },
} as const;

/** API 4.5 and 4.6. */
export const productGroupHandlers: OperationHandlers<'listProductGroups' | 'addProductToGroup'> = {
  listProductGroups: (context, { query }) =>
    listPage(
      context,
      {
        operation: 'listProductGroups',
        ...orderings[query.ordering],
        collection: context.state.productGroups,
        where: [containsText(field('name'), query.name)],
        show: productGroupDocument,
      },
      query,
    ),

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
