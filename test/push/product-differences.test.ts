import { expect, test } from 'vitest';
import type { Product } from '../../src/contract/resources.ts';
import type { ProductChanges } from '../../src/push/product-changes.ts';
import {
  contradictoryReply,
  differencesInWords,
  productDifferences,
} from '../../src/push/product-differences.ts';

const category = (originId: string) => ({ isPrimary: true, category: { originId } });
const before: Product = {
  id: '7',
  originId: 'P1',
  name: 'Mug',
  image: { url: 'https://shop.example/1.png' },
  categories: [category('C1'), category('C2')],
  group: { id: 'G1' },
  isAlimtalkEnabled: false,
  isReviewDisabled: true,
};

/** One field, what is sent of it, how a reply shows it when it took that, and how when it did not. */
const fields: readonly [string, ProductChanges, Partial<Product>, Partial<Product>][] = [
  ['name', { name: 'Cup' }, { name: ' Cup ' }, { name: 'Jug' }],
  [
    'categories',
    { categories: [{ originId: 'C3' }, { originId: 'C4' }] },
    { categories: [category('C4'), category('C3')] },
    { categories: [category('C3')] },
  ],
  ['groupId', { groupId: 'G2' }, { group: { id: 'G2' } }, { group: { id: 'G3' } }],
  [
    'isAlimtalkEnabled',
    { isAlimtalkEnabled: true },
    { isAlimtalkEnabled: true },
    { isAlimtalkEnabled: false },
  ],
  ['isReviewDisabled', { isReviewDisabled: false }, { isReviewDisabled: false }, { isReviewDisabled: true }],
];

test.each(fields)(
  '%s that was sent and taken is no difference; not taken, it is one',
  (field, sent, taken, not) => {
    expect(productDifferences({ before, sent, shown: { ...before, ...taken } })).toEqual([]);
    expect(productDifferences({ before, sent, shown: { ...before, ...not } })).toMatchObject([
      { field, wasSent: true },
    ]);
    expect(productDifferences({ sent, shown: { ...before, ...not } })).toMatchObject([
      { field, wasSent: true },
    ]);
  },
);

test.each(fields)('%s that was not sent is a difference where it changed', (field, _, taken) => {
  expect(productDifferences({ before, sent: {}, shown: { ...before, ...taken } })).toMatchObject([
    { field, wasSent: false },
  ]);
  expect(productDifferences({ before, sent: {}, shown: before })).toEqual([]);
});

test('a field that the reply does not show proves nothing, nor does one of which nobody knows how it was', () => {
  const nulls = {
    name: null,
    categories: null,
    group: null,
    isAlimtalkEnabled: null,
    isReviewDisabled: null,
  };
  for (const shown of [{ id: '7' }, { id: '7', ...nulls }]) {
    for (const [, sent] of fields) expect(productDifferences({ before, sent, shown })).toEqual([]);
  }
  expect(productDifferences({ before: { id: '7' }, sent: {}, shown: before })).toEqual([]);
});

test('an image may be shown under another address', () => {
  const shown = { ...before, image: { url: 'https://cdn.example/7' } };
  expect(productDifferences({ before, sent: { imageUrl: 'https://shop.example/2.png' }, shown })).toEqual([]);
});

test('a creation that made a product of another originId is a difference', () => {
  const differences = productDifferences({ sent: { originId: 'P-2' }, shown: before });
  expect(differencesInWords(differences)).toBe('originId was sent as "P-2", and the service shows "P1"');
});

test('flags that an update reset are put back by a command, and mended by a setting', () => {
  const shown = { ...before, isAlimtalkEnabled: true, isReviewDisabled: false };
  const failure = contradictoryReply('7', productDifferences({ before, sent: { name: 'Mug' }, shown }));
  expect(failure).toMatchObject({ kind: 'contradictory-reply', exitCode: 6 });
  expect(failure.message).toContain('isAlimtalkEnabled was not sent, and changed from false to true');
  expect(failure.hint).toContain('products update 7 --is-alimtalk-enabled false --is-review-disabled true');
  expect(failure.hint).toContain('--assume defaultsOnUpdate=apply');
});
