import { expect, it } from 'vitest';
import { childTraceparent, readTraceparent } from '../../src/base/trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

it('a call is in the trace of its caller, with a span of its own', () => {
  const trace = readTraceparent(`00-${traceId}-${spanId}-01`);
  if (trace === undefined) throw new Error('it is valid');
  const [one, other] = [childTraceparent(trace), childTraceparent(trace)];
  expect(one).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  expect(one).not.toContain(spanId);
  expect(other).not.toBe(one);
});

it.each([
  ['a later version with more fields', `cc-${traceId}-${spanId}-03-what-the-future-will-be`, '01'],
  ['a trace that is not sampled', `00-${traceId}-${spanId}-00`, '00'],
])('%s is taken with the flag that is known', (_, text, flags) => {
  expect(readTraceparent(text)).toEqual({ traceId, flags });
});

it.each([
  ['nothing', undefined],
  ['an empty text', ''],
  ['upper case', `00-${traceId.toUpperCase()}-${spanId}-01`],
  ['version ff', `ff-${traceId}-${spanId}-01`],
  ['more fields in version 00', `00-${traceId}-${spanId}-01-x`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a parent id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['a second line', `00-${traceId}-${spanId}-01\nx: y`],
])('%s is no trace', (_, text) => {
  expect(readTraceparent(text)).toBeUndefined();
});
