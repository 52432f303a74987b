import { Failure } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import type { Product } from '../contract/resources.ts';
import { readText } from '../input/cells/text.ts';
import type { ProductChanges } from './product-changes.ts';

/** A field of a product that the reply to a write shows otherwise than it was meant to be. */
export interface Difference {
  readonly field: keyof ComparableProduct;
  readonly meant: Json;
  readonly shown: Json;
  /** Whether the write sent the field; else it was to stay as it was. */
  readonly wasSent: boolean;
}

/** What is compared. An image is not: the service may show the address of a copy, and another one each time (assumption `imageUrlReply`). */
interface ComparableProduct {
  readonly originId?: Json | undefined;
  readonly name?: Json | undefined;
  readonly categories?: Json | undefined;
  readonly groupId?: Json | undefined;
  readonly isAlimtalkEnabled?: Json | undefined;
  readonly isReviewDisabled?: Json | undefined;
}

/**
 * The fields that `shown`, the reply to a write, shows neither as sent nor, where they were not sent, as they were `before`. A field
 * that a side does not show proves nothing.
 */
export function productDifferences({
  before,
  sent,
  shown,
}: {
  readonly before?: Product | undefined;
  readonly sent: ProductChanges & { readonly originId?: string };
  readonly shown: Product;
}): readonly Difference[] {
  const [kept, wanted, has] = [before && comparableOf(before), comparableOfSent(sent), comparableOf(shown)];
  const fields = Object.keys(has) as (keyof ComparableProduct)[];
  return fields.flatMap((field) => {
    const wasSent = wanted[field] !== undefined;
    const meant = wanted[field] ?? kept?.[field];
    const value = has[field];
    if (meant === undefined || value === undefined || JSON.stringify(meant) === JSON.stringify(value))
      return [];
    return { field, meant, shown: value, wasSent };
  });
}

function comparableOf(product: Product): ComparableProduct {
  const { categories } = product;
  return {
    originId: product.originId ?? undefined,
    name: product.name == null ? undefined : comparableName(product.name),
    categories: categories?.map(({ category }) => category?.originId ?? '').toSorted(),
    groupId: product.group?.id ?? undefined,
    isAlimtalkEnabled: product.isAlimtalkEnabled ?? undefined,
    isReviewDisabled: product.isReviewDisabled ?? undefined,
  };
}

function comparableOfSent({
  originId,
  name,
  categories,
  groupId,
  isAlimtalkEnabled,
  isReviewDisabled,
}: Parameters<typeof productDifferences>[0]['sent']): ComparableProduct {
  return {
    originId,
    name: name === undefined ? undefined : comparableName(name),
    categories: categories?.map((category) => category.originId).toSorted(),
    groupId,
    isAlimtalkEnabled,
    isReviewDisabled,
  };
}

/** As a file gives it: a service may trim a name. */
function comparableName(name: string): string {
  const read = readText(name);
  return typeof read === 'string' ? read : name;
}

/** The differences in words: what was meant, what the service shows, and whether it was sent. */
export function differencesInWords(differences: readonly Difference[]): string {
  return differences
    .map(({ field, meant, shown, wasSent }) => {
      const [from, to] = [JSON.stringify(meant), JSON.stringify(shown)];
      return wasSent
        ? `${field} was sent as ${from}, and the service shows ${to}`
        : `${field} was not sent, and changed from ${from} to ${to}`;
    })
    .join('; ');
}

const flags = {
  isAlimtalkEnabled: '--is-alimtalk-enabled',
  isReviewDisabled: '--is-review-disabled',
} as const;

/** What ends a push whose write came out otherwise than it was meant; the hint names the setting that mends it, where there is one. */
export function contradictoryReply(id: string, differences: readonly Difference[]): Failure {
  const reset = differences.flatMap(({ field, meant, wasSent }) =>
    !wasSent && (field === 'isAlimtalkEnabled' || field === 'isReviewDisabled')
      ? `${flags[field]} ${JSON.stringify(meant)}`
      : [],
  );
  const message = `the push stops at product ${id}: ${differencesInWords(differences)}`;
  const hint =
    reset.length > 0
      ? `put it back: reviewctl products update ${id} ${reset.join(' ')}; then go on with --assume defaultsOnUpdate=apply, by which every update sends the flags along`
      : `look at it: reviewctl products get ${id}; and ask the operator of the service what becomes of this field`;
  return new Failure('contradictory-reply', message, hint);
}
