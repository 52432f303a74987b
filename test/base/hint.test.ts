import { expect, it } from 'vitest';
import { type Hint, hint, joinHints, reviewctl } from '../../src/base/hint.ts';

const commandsOf = ({ parts }: Hint) =>
  parts.flatMap((part) => (typeof part === 'string' ? [] : [part.words]));

it('a value is one word of its command, in quotes where a shell needs them', () => {
  const command = reviewctl`runs show ${"it's"} -c name=${'a b'}`;
  expect(commandsOf(command)).toEqual([['runs', 'show', "'it'\\''s'", '-c', "name='a b'"]]);
  expect(String(command)).toBe("reviewctl runs show 'it'\\''s' -c name='a b'");
});

it('an array is a word for each of its items, and an empty one is none', () => {
  expect(commandsOf(reviewctl`${['orders', 'push']} ${[]} --plan ${'x y'}`)).toEqual([
    ['orders', 'push', '--plan', "'x y'"],
  ]);
});

it('hints within a hint keep their commands', () => {
  const inner = hint`first ${reviewctl`doctor`}`;
  const whole = joinHints([hint`${inner}, then ${reviewctl`ledger verify`}`, 'or wait'], '\n');
  expect(commandsOf(whole)).toEqual([['doctor'], ['ledger', 'verify']]);
  expect(String(whole)).toBe('first reviewctl doctor, then reviewctl ledger verify\nor wait');
  expect(JSON.stringify({ whole })).toBe(
    '{"whole":"first reviewctl doctor, then reviewctl ledger verify\\nor wait"}',
  );
});

it('a hint wrapped in the source is one line', () => {
  const text = hint`one
    two`;
  expect(String(text)).toBe('one two');
});
