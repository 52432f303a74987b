import { isJsonObject, type Json } from '../../base/json.ts';
import { updateProductBody } from '../../contract/bodies.ts';
import type { Product } from '../../contract/resources.ts';
import { readImageUrl } from '../../input/cells/text.ts';
import type { Field, Fields } from './field.ts';

type Name = keyof ReturnType<typeof updateProductBody>['shape'];

/** What an update of a product can write (API 4.4). */
export const productFields: Fields<Product> = [
  field('name', ({ name }) => name),
  {
    ...field('imageUrl', ({ image }) => image?.url),
    write: (value) => (typeof readImageUrl(value) === 'string' ? value : undefined),
    isCopied: true,
    isKept: () => false,
  },
  {
    ...field('categories', ({ categories }) =>
      categories?.map(({ category, isPrimary }) => ({
        originId: category?.originId ?? null,
        isPrimary: isPrimary ?? null,
      })),
    ),
    write: (value) => written('categories', Array.isArray(value) ? value.map(withoutNull) : value),
  },
  field('groupId', ({ group }) => group?.id),
  field('isAlimtalkEnabled', ({ isAlimtalkEnabled }) => isAlimtalkEnabled),
  field('isReviewDisabled', ({ isReviewDisabled }) => isReviewDisabled),
];

function field(name: Name, read: (product: Product) => Json | undefined): Field<Product> {
  return { name, read: (product) => read(product) ?? null, write: (value) => written(name, value) };
}

function written(name: Name, value: Json): Json | undefined {
  return updateProductBody().shape[name].safeParse(value).data;
}

function withoutNull(value: Json): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null));
}
