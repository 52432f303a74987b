import { describe, expect, it } from 'vitest';
import { IdNumbers } from '../../src/input/id-numbers.ts';
import { SeenIds } from '../../src/input/seen-ids.ts';

describe('ids that were seen', () => {
  it('are found again with their place, and no other id is taken for one of them', () => {
    const seen = new SeenIds();
    const count = 300_000;
    const id = (index: number) => `2026${String(index).padStart(7, '0')}-01`;
    let mistaken = 0;
    for (let index = 0; index < count; index += 1) {
      if (seen.add(id(index), index % 10_000, index + 2)) mistaken += 1;
    }
    expect(mistaken).toBe(0);
    for (let index = 0; index < count; index += 997) {
      expect(seen.add(id(index), 0, 1)).toEqual({ fileIndex: index % 10_000, line: index + 2 });
    }
  });

  it('differ by case, by zeros and by order', () => {
    const seen = new SeenIds();
    for (const id of ['M', 'm', '7', '07', '007', 'ab', 'ba', '한', 'a\u0000']) {
      expect(seen.add(id, 0, 1)).toBeUndefined();
    }
  });
});

describe('numbers of ids', () => {
  it('are what they were last changed to, however many ids come between', () => {
    const numbers = new IdNumbers();
    const count = 100_000;
    for (const addend of [1, 2 ** 40]) {
      for (let index = 0; index < count; index += 1)
        numbers.put(`O${index}`, (before = 0) => before + addend);
    }
    let wrong = 0;
    for (let index = 0; index < count; index += 1) if (numbers.get(`O${index}`) !== 2 ** 40 + 1) wrong += 1;
    expect(wrong).toBe(0);
    expect(numbers.get('none')).toBeUndefined();
  });
});
