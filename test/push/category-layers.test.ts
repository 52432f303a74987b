import { expect, test } from 'vitest';
import { layersOf } from '../../src/push/compile/category-layers.ts';

/** `A` or `A<B`: A with the parent B. */
function categories(words: readonly string[]) {
  return words.map((word) => {
    const [originId = '', parentOriginId] = word.split('<');
    return { originId, ...(parentOriginId === undefined ? {} : { parentOriginId }) };
  });
}

function sorted(words: readonly string[]) {
  const { layers, cycles } = layersOf(categories(words));
  return {
    layers: layers.map((layer) => layer.map(({ originId }) => originId)),
    cycles: [...cycles].map(([{ originId }, cycle]) => [originId, cycle]),
  };
}

test('parents come in a layer before their children, each layer in input order', () => {
  expect(sorted(['C<B', 'A', 'B<A', 'X', 'D<A'])).toEqual({
    layers: [['A', 'X'], ['B', 'D'], ['C']],
    cycles: [],
  });
});

test('a cycle is named for its members and for what hangs below it', () => {
  expect(sorted(['below<A', 'A<B', 'B<C', 'C<A', 'deep<below', 'free'])).toEqual({
    layers: [['free']],
    cycles: [
      ['below', 'A > B > C > A'],
      ['A', 'A > B > C > A'],
      ['B', 'A > B > C > A'],
      ['C', 'A > B > C > A'],
      ['deep', 'A > B > C > A'],
    ],
  });
});

test('two cycles are told apart', () => {
  expect(sorted(['A<B', 'B<A', 'X<Y', 'Y<X']).cycles).toEqual([
    ['A', 'A > B > A'],
    ['B', 'A > B > A'],
    ['X', 'X > Y > X'],
    ['Y', 'X > Y > X'],
  ]);
});

test('of a long cycle ten members are named', () => {
  const ring = Array.from({ length: 30 }, (_, index) => `${index}<${(index + 1) % 30}`);
  expect(sorted(ring).cycles[0]).toEqual(['0', '0 > 1 > 2 > 3 > 4 > 5 > 6 > 7 > 8 > 9 > … > 0']);
});

test('names like __proto__ are names', () => {
  expect(sorted(['constructor<__proto__', '__proto__']).layers).toEqual([['__proto__'], ['constructor']]);
});

test('100,000 categories in one chain, under one parent, or below a cycle are sorted', () => {
  const count = 100_000;
  const chain = Array.from({ length: count }, (_, index) => ({
    originId: String(index),
    parentOriginId: String(index + 1),
  }));
  expect(layersOf(chain).layers.length).toBe(count);
  const family = [
    { originId: 'root' },
    ...chain.map(({ originId }) => ({ originId, parentOriginId: 'root' })),
  ];
  expect(layersOf(family).layers.map(({ length }) => length)).toEqual([1, count]);
  const end = String(count);
  expect(layersOf([...chain, { originId: end, parentOriginId: end }]).cycles.size).toBe(count + 1);
});
