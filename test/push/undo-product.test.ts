import { expect, it, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { Product } from '../../src/contract/resources.ts';
import { productEntry } from '../../src/push/steps/product-image.ts';
import { undoProduct } from '../../src/push/undo/undo.ts';
import type { KnownRecord } from '../../src/store/journal/push-journal.ts';
import { apply, type Changes, leftAlone, place, record } from './updated-record.ts';

const ours = 'https://a.example/old';
const sent = 'https://a.example/new';
const category = (originId: string, isPrimary?: boolean | null) => ({
  originId,
  ...(isPrimary === undefined ? {} : { isPrimary }),
});
const shown = (originId: string, isPrimary: boolean | null = null) => ({
  category: { originId },
  isPrimary,
});

/** The journal entry for a product without its image. */
const learned = { entry: { originId: 'X1', contentHash: '' }, objectId: '7' };
const undone = (changes: Changes, product: Partial<Product>, known?: KnownRecord) =>
  undoProduct(record(changes), { id: '7', ...product }, known, defaultAssumptions);

it.each<[string, string, Changes[string], Partial<Product>, Json]>([
  ['name', 'name', { from: 'Mug', to: 'Cup' }, { name: 'Cup' }, 'Mug'],
  ['image', 'imageUrl', { from: ours, to: sent }, { image: { url: sent } }, ours],
  [
    'categories, in whatever order,',
    'categories',
    { from: [category('C1', true), category('C2', null)], to: [category('C3'), category('C4', true)] },
    { categories: [shown('C4', true), shown('C3')] },
    [category('C1', true), category('C2')],
  ],
])('the %s of a product that is as it was sent is written back', (_, field, change, product, value) => {
  const { outcome, write } = undone({ [field]: change }, product);
  expect(outcome).toMatchObject({
    ...place,
    outcome: 'updated',
    id: '7',
    changes: { [field]: { to: change.from } },
  });
  expect(write).toEqual({ kind: 'update', id: '7', body: { [field]: value } });
});

it.each<[string, string, Changes[string], Partial<Product>]>([
  ['name', 'name', { from: 'Mug', to: 'Cup' }, { name: 'Mug ' }],
  ['image', 'imageUrl', { from: ours, to: sent }, { image: { url: ours } }],
  ['image that is no address', 'imageUrl', { from: 'none', to: sent }, { image: { url: 'none' } }],
])('the %s of a product that is as before needs no write', (_, field, change, product) => {
  expect(undone({ [field]: change }, product)).toEqual({
    outcome: { ...place, outcome: 'unchanged', id: '7' },
    ...(field === 'imageUrl' ? { learned } : {}),
  });
});

it.each<[string, string, Changes[string], Partial<Product>, string]>([
  ['name of a third', 'name', { from: 'Mug', to: 'Cup' }, { name: 'Jug' }, 'the service has "Jug" now'],
  [
    'image that is another one, and no address',
    'imageUrl',
    { from: 'none', to: 'nothing' },
    { image: { url: '?' } },
    'the service has "?" now',
  ],
  [
    'category beside another one',
    'categories',
    { from: [category('C1'), category('C2')], to: [category('C3')] },
    { categories: [shown('C1'), shown('C4')] },
    'the service has [{"originId":"C1","isPrimary":null},{"originId":"C4","isPrimary":null}] now',
  ],
  [
    'category that was none',
    'categories',
    { from: [null], to: [category('C2')] },
    { categories: [shown('C2')] },
    'an update does not take the earlier value',
  ],
  [
    'image that was none',
    'imageUrl',
    { from: null, to: sent },
    { image: { url: sent } },
    'an update cannot empty it',
  ],
])('the %s of a product is left alone with the reason', (_, field, change, product, obstacle) => {
  expect(undone({ [field]: change }, product)).toEqual({
    outcome: leftAlone(field, change, obstacle),
  });
});

test('some fields are written back and others left alone, both named', () => {
  const changes = {
    name: { from: 'Mug', to: 'Cup' },
    groupId: { from: '1', to: '2' },
    isReviewDisabled: { from: null, to: true },
    isAlimtalkEnabled: { from: null, to: true },
  };
  const product = { name: 'Cup', group: { id: '2' }, isReviewDisabled: true, isAlimtalkEnabled: true };
  const { outcome, write, before } = undone(changes, product);
  expect(outcome).toEqual({
    ...place,
    outcome: 'rejected',
    id: '7',
    changes: { name: { from: 'Cup', to: 'Mug' }, groupId: { from: '2', to: '1' } },
    error:
      'left alone: isAlimtalkEnabled was null, the run sent true, and an update cannot empty it; isReviewDisabled ' +
      'was null, the run sent true, and an update cannot empty it; written back: name, groupId',
  });
  expect(write).toMatchObject({ body: { name: 'Mug', groupId: '1' } });
  expect(before).toEqual({ id: '7', ...product });
});

test('an image that the service shows under its own address is left alone, and is the one that was sent', () => {
  const { contentHash } = productEntry({ originId: 'X1', imageUrl: sent });
  const known = { fate: 'accepted', jobId: undefined, contentHash } as const;
  const hosted = { image: { url: 'https://cdn.example/7' } };
  const changes = { imageUrl: { from: ours, to: sent } };
  expect(undone(changes, hosted, known).outcome.error).toContain(
    'the service shows it under its own address "https://cdn.example/7", so no address of the earlier image is known',
  );
  expect(undone(changes, hosted).outcome.error).toContain('the service has "https://cdn.example/7" now');
  expect(undone(changes, {}, known).outcome.error).toContain('the service has null now');
  const renamed = { name: { from: ours, to: sent } };
  expect(undone(renamed, { name: 'Jug' }, known).outcome.error).toContain('the service has "Jug" now');
});

test('everything else goes out with it where an update puts back what it leaves out', () => {
  const product = { id: '7', name: 'Cup', group: { id: '2' }, categories: [{ category: null }] };
  const change = { name: { from: 'Mug', to: 'Cup' } };
  expect(undoProduct(record(change), product, undefined, apply).write).toEqual({
    kind: 'update',
    id: '7',
    body: { name: 'Mug', groupId: '2' },
  });
});
