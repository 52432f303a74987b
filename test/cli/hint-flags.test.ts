import { expect, it } from 'vitest';
import { addHintFlags } from '../../src/cli/help/hint-flags.ts';

it.each([
  [
    'make one with `reviewctl ledger init`, or wait',
    'make one with `reviewctl ledger init --profile mall`, or wait',
  ],
  [
    'reviewctl ledger list --payment unknown; then reviewctl ledger show ID',
    'reviewctl ledger list --profile mall --payment unknown; then reviewctl ledger show --profile mall ID',
  ],
  ['check with reviewctl doctor', 'check with reviewctl doctor --profile mall'],
  ['start one: reviewctl sandbox serve', 'start one: reviewctl sandbox serve'],
  ['log in: reviewctl login --profile other', 'log in: reviewctl login --profile other'],
  ['report this to the makers of reviewctl today', 'report this to the makers of reviewctl today'],
])('a command that is told to be typed next is about the same profile: %s', (text, whole) => {
  expect(addHintFlags(text, { profile: 'mall' })).toBe(whole);
});

it('the ledger that was named is carried to the commands that open one, and no other', () => {
  const text = 'reviewctl rewards settle; reviewctl rewards list';
  expect(addHintFlags(text, { ledger: '/a b/l.db' })).toBe(
    "reviewctl rewards settle --ledger '/a b/l.db'; reviewctl rewards list",
  );
});

it('without such a flag nothing is added', () => {
  expect(addHintFlags('reviewctl ledger init', { output: 'json' })).toBe('reviewctl ledger init');
});
