import { expect, test } from 'vitest';
import { shownTime } from '../../src/output/shown-time.ts';

const written = '2019-08-24T14:15:22Z';
const at = (time: string) => ({ now: () => Date.parse(time), sleep: () => Promise.resolve() });

test.each([
  ['2019-08-24T14:15:50Z', 'just now'],
  ['2019-08-24T14:20:21Z', '4 min ago'],
  ['2019-08-24T17:20:00Z', '3 h ago'],
  ['2019-08-29T17:20:00Z', '5 d ago'],
  ['2019-09-24T17:20:00Z', '2019-08-24'],
  ['2019-08-24T14:15:00Z', '2019-08-24'],
])('at %s it was %s', (now, shown) => {
  expect(shownTime(written, at(now))).toBe(shown);
});

test('without a clock a time keeps its zone', () => {
  expect(shownTime(written, undefined)).toBe('2019-08-24 14:15Z');
  expect(shownTime('2019-08-24T14:15:22.123+09:00', undefined)).toBe('2019-08-24 14:15+09:00');
});

test.each(['', 'yesterday', '2019-13-45T99:99:99Z', '2019-08-24'])('%j stays as it is', (text) => {
  expect(shownTime(text, at(written))).toBe(text);
});
