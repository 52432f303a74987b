import { describe, expect, it } from 'vitest';
import { bulkEntryOf, locInWords, readErrorDetail } from '../../src/contract/validation-error.ts';

const issue = { loc: ['body', 37, 'originId'], msg: 'Field required', type: 'missing' };

describe('an error body', () => {
  it.each([
    ['the documented array', { detail: [issue] }, [issue]],
    ['one issue without its array', { detail: issue }, [issue]],
    ['issues without detail', [issue], [issue]],
    [
      'the entry of a bulk request as text',
      { detail: [{ ...issue, loc: ['body', '37', 'originId'] }] },
      [{ ...issue, loc: ['body', '37', 'originId'] }],
    ],
    [
      'an issue with only a place',
      { detail: [{ loc: ['query', 'first'] }] },
      [{ loc: ['query', 'first'], msg: '', type: '' }],
    ],
    [
      'an issue with only words',
      { detail: [{ msg: { en: 'no' } }] },
      [{ loc: [], msg: '{"en":"no"}', type: '' }],
    ],
    [
      'a place that is no list, and steps that are none',
      {
        detail: [
          { loc: 'body', msg: 'a' },
          { loc: ['body', null, {}], msg: 'b' },
        ],
      },
      [
        { loc: ['body'], msg: 'a', type: '' },
        { loc: ['body'], msg: 'b', type: '' },
      ],
    ],
    ['issues between other things', { detail: [null, 7, issue, 'x', []] }, [issue]],
  ])('is read as issues from %s', (_, body, issues) => {
    expect(readErrorDetail(JSON.stringify(body))).toEqual({ issues, message: '' });
  });

  it.each([
    ['a text', '{"detail":"groupId does not exist"}', 'groupId does not exist'],
    ['an object with a message', '{"detail":{"message":"no such group"}}', 'no such group'],
    ['an object with an error', '{"detail":{"error":"no such group"}}', 'no such group'],
    ['another object', '{"detail":{"group":"unknown"}}', '{"group":"unknown"}'],
    ['a number', '{"detail":42}', '42'],
    ['null', '{"detail":null}', ''],
    ['an empty array', '{"detail":[]}', '[]'],
    ['an array of texts', '{"detail":["a","b"]}', '["a","b"]'],
    ['an object without detail', '{"message":"slow down"}', 'slow down'],
    ['JSON that is no object', '"slow down"', 'slow down'],
    ['nothing', '', ''],
    ['white space', ' \r\n\t ', ''],
    ['plain text', 'upstream\n  timed out', 'upstream timed out'],
    ['JSON cut in the middle', '{"detail":[{"loc":["bo', '{"detail":[{"loc":["bo'],
    [
      'a page of a proxy',
      '<!doctype html><html><style>p { color: red }</style><script>alert(1)</script><p>502 Bad\nGateway</p></html>',
      '502 Bad Gateway',
    ],
  ])('is read as a message from %s', (_, body, message) => {
    expect(readErrorDetail(body)).toEqual({ issues: [], message });
  });

  it('is quoted up to 300 characters', () => {
    expect(readErrorDetail('x'.repeat(301)).message).toBe(`${'x'.repeat(300)}…`);
    expect(readErrorDetail('x'.repeat(300)).message).toBe('x'.repeat(300));
  });

  it.each([
    ['opening brackets', '['.repeat(200_000), `${'['.repeat(300)}…`],
    ['brackets', '['.repeat(200_000) + ']'.repeat(200_000), 'a deeply nested error body'],
    ['unfinished objects', '{"detail":'.repeat(20_000), `${'{"detail":'.repeat(30)}…`],
    ['unfinished tags', '<a '.repeat(100_000), `${'<a '.repeat(100)}…`],
    ['unclosed scripts', '<script>'.repeat(20_000), ''],
  ])('of nothing but %s is read calmly', { timeout: 2000 }, (_, body, told) => {
    const { issues, message } = readErrorDetail(body);
    expect(issues).toEqual([]);
    expect(message).toBe(told);
  });
});

it.each([
  [['body', 37, 'originId'], 'body entry 38 originId', 37],
  [['body', '37', 'originId'], 'body entry 38 originId', 37],
  [['body', 0], 'body entry 1', 0],
  [['query', 'first'], 'query first', undefined],
  [['body', 'items', 2, 'originId'], 'body items entry 3 originId', undefined],
  [['body', -1], 'body -1', undefined],
  [['body', 1.5], 'body 1.5', undefined],
  [['body'], 'body', undefined],
  [[], 'the request', undefined],
])('a place in a request: %j is shown as "%s" and names entry %s', (loc, words, entry) => {
  expect(locInWords(loc)).toBe(words);
  expect(bulkEntryOf(loc)).toBe(entry);
});
