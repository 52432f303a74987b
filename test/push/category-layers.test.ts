import { expect, test } from 'vitest';
import { layersOf } from '../../src/push/compile/category-layers.ts';

/** The layers of categories: `A`, or `A<B` for A with the parent B. */
function sorted(words: readonly string[]) {
  const categories = words.map((word) => {
    const [originId = '', parentOriginId] = word.split('<');
    return { originId, ...(parentOriginId === undefined ? {} : { parentOriginId }) };
  });
  return layersOf(categories).map((layer) => layer.map(({ originId }) => originId));
}

test('parents come in a layer before their children, each layer in input order', () => {
  expect(sorted(['C<B', 'A', 'B<A', 'X', 'D<A'])).toEqual([['A', 'X'], ['B', 'D'], ['C']]);
});

test('members of a cycle, and what hangs below it, come last', () => {
  expect(sorted(['below<A', 'A<B', 'B<A', 'free'])).toEqual([['free'], ['below', 'A', 'B']]);
});

test('names like __proto__ are names', () => {
  expect(sorted(['constructor<__proto__', '__proto__'])).toEqual([['__proto__'], ['constructor']]);
});

test('100,000 categories in one chain or under one parent are sorted', () => {
  const count = 100_000;
  const chain = Array.from({ length: count }, (_, index) => ({
    originId: String(index),
    parentOriginId: String(index + 1),
  }));
  expect(layersOf(chain).length).toBe(count);
  const family = [
    { originId: 'root' },
    ...chain.map(({ originId }) => ({ originId, parentOriginId: 'root' })),
  ];
  expect(layersOf(family).map(({ length }) => length)).toEqual([1, count]);
});
