import type { Json } from '../../base/json.ts';
import type { CallInput } from '../../client/caller.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { Operations } from '../../contract/operations.ts';
import type { Product } from '../../contract/resources.ts';
import { readImageUrl, readText } from '../../input/cells/text.ts';
import type { ProductRecord } from '../../input/records/record-kinds.ts';
import type { Refusal } from '../../input/records/refusal.ts';
import type { FieldChanges } from '../steps/outcome.ts';

/** The body of a creation (API 4.1). */
export type ProductBody = CallInput<Operations['createProduct']>['body'];

/** The body of an update (API 4.4). */
export type ProductChanges = CallInput<Operations['updateProduct']>['body'];

/**
 * The fields of `record` that differ from what the service has; empty when none does. Fields the record does not have
 * are left alone. `groupId` is that of the record's `groupName` where it names its group by name. An image the service
 * took before is the same, whatever address it shows for it (assumption `imageUrlReply`). Besides them what
 * `wholeProductUpdate` adds.
 */
export function productChanges(
  record: ProductRecord,
  product: Product,
  {
    groupId,
    isImageAccepted,
    defaultsOnUpdate,
  }: Pick<Assumptions, 'defaultsOnUpdate'> & {
    readonly groupId: string | undefined;
    readonly isImageAccepted: boolean;
  },
): ProductChanges {
  const { name, imageUrl, categories, isAlimtalkEnabled, isReviewDisabled } = record;
  const differs = <T>(wanted: T | undefined, has: T | null | undefined | Refusal): wanted is T =>
    wanted !== undefined && wanted !== has;
  const isImageHosted = isImageAccepted && Boolean(product.image?.url);
  const changes = {
    // Compared as a file gives them: a product that was listed and pushed back unedited is unchanged.
    ...(differs(name, readText(product.name ?? '')) ? { name } : {}),
    ...(!isImageHosted && differs(imageUrl, readImageUrl(product.image?.url ?? '')) ? { imageUrl } : {}),
    ...(categories !== undefined && !isSameCategories(categories, product) ? { categories } : {}),
    ...(differs(groupId, product.group?.id) ? { groupId } : {}),
    ...(differs(isAlimtalkEnabled, product.isAlimtalkEnabled) ? { isAlimtalkEnabled } : {}),
    ...(differs(isReviewDisabled, product.isReviewDisabled) ? { isReviewDisabled } : {}),
  };
  return wholeProductUpdate(changes, product, { defaultsOnUpdate });
}

/**
 * `changes` of a product; where an update puts the fields it leaves out back to their defaults (assumption
 * `defaultsOnUpdate`), with what those are.
 */
export function wholeProductUpdate(
  changes: ProductChanges,
  product: Product,
  { defaultsOnUpdate }: Pick<Assumptions, 'defaultsOnUpdate'>,
): ProductChanges {
  const isWhole = defaultsOnUpdate === 'keep' || Object.keys(changes).length === 0;
  return isWhole ? changes : { ...everythingOf(product), ...changes };
}

/** What the service has of a product, as an update names it; null where it has nothing. */
export function productValues(product: Product): Readonly<Record<keyof ProductChanges, Json>> {
  const { name, image, categories, group, isAlimtalkEnabled, isReviewDisabled } = product;
  return {
    name: name ?? null,
    imageUrl: image?.url ?? null,
    categories:
      categories?.map(({ category, isPrimary }) => ({
        originId: category?.originId ?? null,
        isPrimary: isPrimary ?? null,
      })) ?? null,
    groupId: group?.id ?? null,
    isAlimtalkEnabled: isAlimtalkEnabled ?? null,
    isReviewDisabled: isReviewDisabled ?? null,
  };
}

/** `changes` with what the service has in their place; what they only repeat is left out. */
export function fieldChanges(product: Product, changes: ProductChanges): FieldChanges {
  const has = productValues(product);
  const entries = Object.entries(changes) as [keyof ProductChanges, Json][];
  const { categories } = changes;
  const isRepeated = (field: keyof ProductChanges, to: Json) =>
    field === 'categories' && categories !== undefined
      ? isSameCategories(categories, product)
      : has[field] === to;
  return Object.fromEntries(
    entries
      .filter(([field, to]) => !isRepeated(field, to))
      .map(([field, to]) => [field, { from: has[field], to }]),
  );
}

/**
 * What an update can send of a product, as the service has it; not its image, which may be shown under another address.
 */
function everythingOf({ name, categories, group, isAlimtalkEnabled, isReviewDisabled }: Product) {
  const originIds = categories?.map(({ category }) => category?.originId);
  const isWhole = originIds?.every((originId) => typeof originId === 'string');
  return {
    ...(name == null ? {} : { name }),
    ...(isWhole ? { categories: categories?.map(productCategory) } : {}),
    ...(group?.id == null ? {} : { groupId: group.id }),
    ...(isAlimtalkEnabled == null ? {} : { isAlimtalkEnabled }),
    ...(isReviewDisabled == null ? {} : { isReviewDisabled }),
  };
}

function productCategory({ category, isPrimary }: NonNullable<Product['categories']>[number]) {
  return { originId: category?.originId ?? '', ...(isPrimary == null ? {} : { isPrimary }) };
}

/** Whether the product is in exactly the wanted categories; `isPrimary` is compared only if the record gives it. */
function isSameCategories(
  wanted: NonNullable<ProductChanges['categories']>,
  { categories }: Product,
): boolean {
  const has = new Map(
    (categories ?? []).map(({ category, isPrimary }) => [category?.originId, isPrimary ?? false]),
  );
  return (
    has.size === wanted.length &&
    wanted.every(
      ({ originId, isPrimary }) =>
        has.has(originId) && (isPrimary === undefined || has.get(originId) === isPrimary),
    )
  );
}
