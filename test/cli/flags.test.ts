import { describe, expect, it, test } from 'vitest';
import { durationValue, readFlags, textFlag, valueFlag } from '../../src/cli/flags/flags.ts';

const flags = { timeout: valueFlag(durationValue, 'VALUE', 'how long') };
const read = (timeout: string) =>
  readFlags(flags, { flags: { timeout }, env: {}, project: {}, profile: { name: 'default', settings: {} } });

test('an empty value is refused in plain words', () => {
  const text = { ledger: textFlag('VALUE', 'the ledger') };
  const sources = { env: {}, project: {}, profile: { name: 'default', settings: {} } };
  expect(() => readFlags(text, { ...sources, flags: { ledger: '' } })).toThrow(
    /^--ledger: must not be empty$/,
  );
});

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['1ms', 1],
    ['24d', 2_073_600_000],
    ['2147483647ms', 2_147_483_647],
  ])('of %s is waited for %i ms', (typed, ms) => {
    expect(read(typed)).toEqual({ timeout: ms });
  });

  it.each(['2147483648ms', '25d', '30d', `${'9'.repeat(400)}s`])(
    'of %s is refused, since no timer waits so long',
    (typed) => {
      expect(() => read(typed)).toThrow(
        `--timeout: '${typed}' is longer than 24d, the longest this tool waits for anything`,
      );
    },
  );

  it.each(['30', 'soon'])('of %s is none', (typed) => {
    expect(() => read(typed)).toThrow(
      `--timeout: expected a duration such as 500ms, 30s, 10m, 24h or 7d, not '${typed}'`,
    );
  });
});
