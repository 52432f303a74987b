import { describe, expect, it, test } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { Product } from '../../src/contract/resources.ts';
import type { ProductRecord } from '../../src/input/records/record-kinds.ts';
import type { Resend } from '../../src/push/decide/decide.ts';
import { decideProduct } from '../../src/push/decide/decide-product.ts';
import { productFields } from '../../src/push/fields/tables.ts';
import { GroupNames } from '../../src/push/lookup/product-groups.ts';
import { productEntry } from '../../src/push/steps/product-image.ts';
import { entriesOf } from './open-push.ts';

const inCategory = (originId: string, isPrimary?: boolean | null) => ({
  category: { originId },
  ...(isPrimary === undefined ? {} : { isPrimary }),
});
const mug: Product = {
  id: '7',
  originId: 'P1',
  name: 'Mug',
  image: { url: 'https://a.example/1' },
  categories: [inCategory('C1', true), inCategory('C2', false)],
  group: { id: '3' },
  isAlimtalkEnabled: true,
  isReviewDisabled: false,
};
const bare: Product = { id: '7' };
const unseen: Product = { ...mug, categories: [{ category: null }] };
/** Every field of the mug that an update can send. */
const everything = {
  name: 'Mug',
  categories: [
    { originId: 'C1', isPrimary: true },
    { originId: 'C2', isPrimary: false },
  ],
  groupId: '3',
  isAlimtalkEnabled: true,
  isReviewDisabled: false,
};

interface Case extends Partial<Omit<ProductRecord, 'originId'>> {
  readonly isImageAccepted?: boolean;
  readonly defaultsOnUpdate?: 'keep' | 'apply';
  readonly resend?: Resend;
}

/** The decision on a row of a product, with the body of its update. */
function decided(
  { isImageAccepted = false, defaultsOnUpdate = 'keep', resend, ...row }: Case,
  product: Product = mug,
) {
  const [entry] = entriesOf<ProductRecord>([{ originId: 'P1', ...row }]);
  if (entry === undefined) throw new Error('there is a row');
  const { contentHash } = productEntry(entry.record);
  const known = { fate: 'accepted', jobId: undefined, contentHash } as const;
  const observed = {
    entry,
    existing: [{ ...product, originId: 'P1' }],
    known: isImageAccepted ? known : undefined,
  };
  const rules = {
    onExisting: 'update',
    isUpdateOnly: false,
    makesGroups: true,
    resend,
    assumptions: { ...defaultAssumptions, defaultsOnUpdate },
  } as const;
  const { outcome, write } = decideProduct(observed, rules, new GroupNames());
  return { outcome, body: write?.body ?? {} };
}

const changesOf = (row: Case, product?: Product) => decided(row, product).body;

describe('of a product an update sends', () => {
  it.each<[string, Case, Product]>([
    ['a field that the row does not have', {}, mug],
    ['an image at its address', { imageUrl: 'https://a.example/1' }, mug],
    [
      'an image that was taken, whatever its address',
      { imageUrl: 'https://b.example/9', isImageAccepted: true },
      mug,
    ],
    [
      'what is not primary, where that is shown as null',
      { categories: [{ originId: 'C1', isPrimary: false }] },
      { ...mug, categories: [inCategory('C1', null)] },
    ],
    ['no category, where it has none', { categories: [] }, bare],
  ])('not %s', (_, record, product) => {
    expect(changesOf(record, product)).toEqual({});
    expect(changesOf({ ...record, defaultsOnUpdate: 'apply' }, product)).toEqual({});
  });

  it.each<[string, Case, Product]>([
    ['a question mark where it has no name', { name: '?' }, bare],
    ['categories where those it has are not shown', { categories: [{ originId: 'C1' }] }, unseen],
    ['another image', { imageUrl: 'https://b.example/9' }, mug],
    ['fewer categories', { categories: [{ originId: 'C2' }] }, mug],
    [
      'another primary category',
      { categories: [{ originId: 'C1', isPrimary: false }, { originId: 'C2' }] },
      mug,
    ],
    ['another group', { groupId: '4' }, mug],
    ['another flag of alimtalk', { isAlimtalkEnabled: false }, mug],
    ['another flag of reviews', { isReviewDisabled: true }, mug],
  ])('%s, alone', (_, record, product) => {
    expect(changesOf(record, product)).toEqual(record);
  });

  test('an image that was taken, where the service shows none, or a person resends it', () => {
    const imageUrl = 'https://a.example/1';
    const shown = { ...mug, image: { url: 'https://cdn.example/1' } };
    expect(changesOf({ imageUrl, isImageAccepted: true }, shown)).toEqual({});
    expect(changesOf({ imageUrl, isImageAccepted: true, resend: 'all' }, shown)).toEqual({ imageUrl });
    expect(changesOf({ imageUrl, isImageAccepted: true }, { ...mug, image: null })).toEqual({ imageUrl });
    expect(changesOf({ imageUrl, isImageAccepted: true }, { ...mug, image: { url: '' } })).toEqual({
      imageUrl,
    });
  });
});

describe('where an update puts back what it leaves out', () => {
  const apply = { defaultsOnUpdate: 'apply' } as const;

  test('all goes out that the service shows, but for the image', () => {
    expect(changesOf({ ...apply, name: 'Cup' })).toEqual({ ...everything, name: 'Cup' });
    expect(changesOf({ ...apply, isReviewDisabled: true })).toEqual({
      ...everything,
      isReviewDisabled: true,
    });
  });

  test('nothing goes out that it does not show', () => {
    expect(changesOf({ ...apply, name: 'Cup' }, bare)).toEqual({ name: 'Cup' });
    const nulls = {
      name: null,
      categories: null,
      group: { id: null },
      isAlimtalkEnabled: null,
      isReviewDisabled: null,
    };
    expect(changesOf({ ...apply, groupId: '9' }, { ...bare, ...nulls })).toEqual({ groupId: '9' });
  });

  test('categories go out only where each is named, and whether it is primary only where that is shown', () => {
    const categories = [inCategory('C1'), inCategory('C2', null)];
    expect(changesOf({ ...apply, name: 'Cup' }, { ...bare, categories })).toEqual({
      name: 'Cup',
      categories: [{ originId: 'C1' }, { originId: 'C2' }],
    });
    const nameless = [inCategory('C1'), { category: { originId: null } }];
    expect(changesOf({ ...apply, name: 'Cup' }, { ...bare, categories: nameless })).toEqual({ name: 'Cup' });
  });
});

const productValues = (product: Product) =>
  Object.fromEntries(productFields.map(({ name, read }) => [name, read(product)]));

test('what the service has of a product is told field by field, null where it has nothing', () => {
  expect(productValues(mug)).toEqual({ ...everything, imageUrl: 'https://a.example/1' });
  expect(productValues({ ...mug, categories: [{}] })).toMatchObject({
    categories: [{ originId: null, isPrimary: null }],
  });
  const nothing = {
    name: null,
    imageUrl: null,
    categories: null,
    groupId: null,
    isAlimtalkEnabled: null,
    isReviewDisabled: null,
  };
  expect(productValues(bare)).toEqual(nothing);
  expect(productValues({ ...bare, image: { url: null }, group: { id: null } })).toEqual(nothing);
});

test('a change is told from what to what, and what an update only repeats is no change', () => {
  const toldOf = (row: Case, product?: Product) =>
    decided({ defaultsOnUpdate: 'apply', ...row }, product).outcome.changes;
  expect(toldOf({ ...everything, name: 'Cup' })).toEqual({ name: { from: 'Mug', to: 'Cup' } });
  expect(toldOf({ categories: [{ originId: 'C1' }] })).toEqual({
    categories: { from: everything.categories, to: [{ originId: 'C1', isPrimary: true }] },
  });
  expect(toldOf({ isAlimtalkEnabled: false }, bare)).toEqual({
    isAlimtalkEnabled: { from: null, to: false },
  });
});
