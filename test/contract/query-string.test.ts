import { describe, expect, it } from 'vitest';
import { formatQuery, parseQuery } from '../../src/contract/query-string.ts';

const arrays = new Set(['ids']);

describe('a query string', () => {
  it.each([
    ['repeat', '?ids=a%2Cb&ids=c&text=x%20%26%20y'],
    ['comma', '?ids=a%2Cb,c&text=x%20%26%20y'],
    ['brackets', '?ids[]=a%2Cb&ids[]=c&text=x%20%26%20y'],
  ] as const)('in the style %s is %s, and read back the same', (style, search) => {
    const parameters = { ids: ['a,b', 'c'], text: 'x & y' };
    expect(formatQuery({ ...parameters, absent: undefined }, style)).toBe(search);
    expect(parseQuery(search, arrays, style)).toEqual(parameters);
  });

  it('is empty for no parameter, and for a list without elements', () => {
    expect(formatQuery({}, 'repeat')).toBe('');
    for (const style of ['repeat', 'brackets', 'comma'] as const)
      expect(formatQuery({ ids: [] }, style)).toBe('');
  });

  it.each(['repeat', 'comma', 'brackets'] as const)('in the style %s carries any text', (style) => {
    const parameters = { ids: ['가 +/?#[]=%', '', '%zz', '\u{1f600}'], text: 'a=b&ids=c' };
    expect(parseQuery(formatQuery(parameters, style), arrays, style)).toEqual(parameters);
  });

  it.each([
    ['?text=a&text=b', { text: 'b' }],
    ['?text=a+b', { text: 'a b' }],
    ['?text=%zz', { text: '%zz' }],
    ['?text', { text: '' }],
    ['?&text=a&', { text: 'a' }],
    ['?ids=a', { ids: ['a'] }],
    ['', {}],
  ])('%s is read as web frameworks do', (search, parameters) => {
    expect(parseQuery(search, arrays, 'repeat')).toStrictEqual(parameters);
  });

  it.each([
    ['repeat', '?ids=a,b', { ids: ['a,b'] }],
    ['repeat', '?ids[]=a', { 'ids[]': 'a' }],
    ['comma', '?ids=a&ids=b,c', { ids: ['b', 'c'] }],
    ['comma', '?ids[]=a', { 'ids[]': 'a' }],
    ['brackets', '?ids=a&ids=b', { ids: ['b'] }],
    ['brackets', '?ids[]=a,b', { ids: ['a,b'] }],
  ] as const)('is read by a service of style %s, which knows no other: %s', (style, search, parameters) => {
    expect(parseQuery(search, arrays, style)).toStrictEqual(parameters);
  });
});
