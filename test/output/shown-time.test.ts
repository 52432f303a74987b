import { expect, test } from 'vitest';
import { shownTime } from '../../src/output/views/shown-time.ts';

test.each([
  ['2019-08-24T15:15:22Z', '+09:00', '2019-08-25 00:15 +09:00'],
  ['2019-08-24T15:15:22.5Z', '-03:30', '2019-08-24 11:45 -03:30'],
  ['2019-08-25T00:15:22+09:00', '+00:00', '2019-08-24 15:15 +00:00'],
  ['2019-08-24T14:15', '+00:00', '2019-08-24 05:15 +00:00'],
])('%s is shown in %s as %s', (text, timeZone, shown) => {
  expect(shownTime(text, { timeZone })).toBe(shown);
});

test('a time without a zone is Korean, and so is the zone that is shown by default', () => {
  expect(shownTime('2019-08-24T14:15:22')).toBe('2019-08-24 14:15 +09:00');
});

test.each(['', 'yesterday', '2019-13-45T99:99:99Z', '2019-02-31T10:00:00Z', '2019-08-24'])(
  '%j stays as it is',
  (text) => {
    expect(shownTime(text)).toBe(text);
  },
);
