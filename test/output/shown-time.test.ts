import { expect, test } from 'vitest';
import { shownTime } from '../../src/output/views/shown-time.ts';

const written = '2019-08-24T14:15:22Z';
const at = (time: string) => {
  const now = () => Date.parse(time);
  return { now, monotonicMs: now, sleep: () => Promise.resolve() };
};

test.each([
  ['2019-08-24T14:15:50Z', 'just now'],
  ['2019-08-24T14:20:21Z', '4 min ago'],
  ['2019-08-24T17:20:00Z', '3 h ago'],
  ['2019-08-29T17:20:00Z', '5 d ago'],
  ['2019-09-24T17:20:00Z', '2019-08-24'],
  ['2019-08-24T14:15:00Z', '2019-08-24'],
])('at %s it was %s', (now, shown) => {
  expect(shownTime(written, { clock: at(now) })).toBe(shown);
});

test('without a clock a time keeps its zone', () => {
  expect(shownTime(written)).toBe('2019-08-24 14:15Z');
  expect(shownTime('2019-08-24T14:15:22.123+09:00')).toBe('2019-08-24 14:15+09:00');
});

test.each(['', 'yesterday', '2019-13-45T99:99:99Z', '2019-08-24'])('%j stays as it is', (text) => {
  expect(shownTime(text, { clock: at(written), timeZone: '+09:00' })).toBe(text);
});

test.each([
  ['2019-08-24T15:15:22Z', '+09:00', '2019-08-25 00:15+09:00'],
  ['2019-08-24T15:15:22.5Z', '-03:30', '2019-08-24 11:45-03:30'],
  ['2019-08-25T00:15:22+09:00', '+00:00', '2019-08-24 15:15+00:00'],
])('%s is shown in %s as %s', (text, timeZone, shown) => {
  expect(shownTime(text, { timeZone })).toBe(shown);
});

test('the date of an older time is the one of the zone', () => {
  const clock = at('2026-01-01T00:00:00Z');
  expect(shownTime('2019-08-24T15:15:22Z', { clock, timeZone: '+09:00' })).toBe('2019-08-25');
});

test('a time without a zone is Korean, whatever the zone of this machine', () => {
  const zoneless = '2019-08-24T14:15:22';
  expect(shownTime(zoneless)).toBe('2019-08-24 14:15+09:00');
  expect(shownTime(zoneless, { timeZone: '+00:00' })).toBe('2019-08-24 05:15+00:00');
  expect(shownTime(zoneless, { clock: at('2019-08-24T08:15:22Z') })).toBe('3 h ago');
});
