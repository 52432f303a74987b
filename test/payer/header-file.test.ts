import { expect, it } from 'vitest';
import { readHeaderLines } from '../../src/payer/http-payer.ts';

it.each([
  ['A: b', { a: 'b' }],
  ['A:b \t', { a: 'b' }],
  ['a:\t b', { a: 'b' }],
  ["!#$%&'*+.^`|~_-9: b", { "!#$%&'*+.^`|~_-9": 'b' }],
  ['a: #b', { a: '#b' }],
  ['a: 1\na: 2', { a: '2' }],
  [' \n#a: b\n', {}],
])('%j is read as %j', (text, headers) => {
  expect(readHeaderLines(text, 'h')).toEqual(headers);
});

const shape = 'write one per line, such as Authorization: Bearer …';

it.each<readonly [text: string, line: number, message: string, hint: string]>([
  ['a', 1, 'h:1 is not a header', shape],
  ['a: b\n: c', 2, 'h:2 is not a header', shape],
  ['a:  ', 1, 'h:1 is not a header', shape],
  [' a: b', 1, 'h:1 is not a header', shape],
  ['a: é', 1, 'h:1 is not a header', shape],
  ...[
    'Accept',
    'Connection',
    'Content-Length',
    'Content-Type',
    'Expect',
    'Host',
    'Idempotency-Key',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
  ].map((name) => [`${name}: x`, 1, `h:1: ${name} is set by every call itself`, 'remove the line'] as const),
])('%j is refused with its line, and without its value', (text, line, message, hint) => {
  expect(() => readHeaderLines(text, 'h')).toThrow(
    expect.objectContaining({ kind: 'config', message, hint, place: { file: 'h', line } }),
  );
});
