import { expect, it } from 'vitest';
import { lazy, madeOnUse } from '../../src/base/lazy.ts';

it('what is made on use is made when its field is first read, and only once', () => {
  const made: string[] = [];
  const make = (name: string) =>
    lazy(() => {
      made.push(name);
      return { name };
    });
  const fields = madeOnUse({ number: 1, body: make('body'), reply: make('reply') });
  expect(Object.keys(fields)).toEqual(['number', 'body', 'reply']);
  expect(made).toEqual([]);
  expect(fields.body).toBe(fields.body);
  expect(made).toEqual(['body']);
  expect({ ...fields }).toEqual({ number: 1, body: { name: 'body' }, reply: { name: 'reply' } });
  expect(made).toEqual(['body', 'reply']);
});
