import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type HintText, hint, reviewctl } from '../../src/base/hint.ts';
import { commands } from '../../src/cli/commands/commands.ts';
import { addHintFlags } from '../../src/cli/help/hint-flags.ts';

const completed = (text: HintText, typed: Readonly<Record<string, unknown>>) =>
  hint`${text}`.text((command) => addHintFlags(command, typed));

it.each([
  [
    hint`make one with \`${reviewctl`ledger init`}\`, or wait`,
    'make one with `reviewctl ledger init --profile mall`, or wait',
  ],
  [
    hint`${reviewctl`ledger list --payment unknown`}; then ${reviewctl`ledger show ${'a b'}`}`,
    "reviewctl ledger list --profile mall --payment unknown; then reviewctl ledger show --profile mall 'a b'",
  ],
  [hint`check with ${reviewctl`doctor`}`, 'check with reviewctl doctor --profile mall'],
  [hint`start one: ${reviewctl`sandbox serve`}`, 'start one: reviewctl sandbox serve'],
  [
    hint`log in: ${reviewctl`login --profile other`}; or not`,
    'log in: reviewctl login --profile other; or not',
  ],
  ['the text reviewctl ledger init is no command', 'the text reviewctl ledger init is no command'],
])('a command in a hint gets the typed profile, where it takes one: %s', (text, whole) => {
  expect(completed(text, { profile: 'mall' })).toBe(whole);
});

it('the typed ledger is added to commands that open one, and no other', () => {
  const text = hint`${reviewctl`rewards settle`}; ${reviewctl`rewards list`}`;
  expect(completed(text, { ledger: '/a b/l.db' })).toBe(
    "reviewctl rewards settle --ledger '/a b/l.db'; reviewctl rewards list",
  );
});

it('without such a flag nothing is added', () => {
  expect(completed(reviewctl`ledger init`, { output: 'json' })).toBe('reviewctl ledger init');
});

/** Texts that are kept with a record or a proposal, and shown without the flags of a later call. */
const keptTexts = [
  'src/input/inspect/proposals.ts',
  'src/input/mapping/presets/shopify.ts',
  'src/push/decide/decide-product.ts',
  'src/push/decide/decide.ts',
  'src/push/send/whole-orders.ts',
];

it('a command that a message names is data, never a part of its text', () => {
  const nouns = new Set(Object.keys(commands).map((path) => path.split(' ')[0]));
  const named = new RegExp(`[\\w:;,(\`] reviewctl (?:${[...nouns].join('|')})\\b`);
  const inText = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => {
      const lines = readFileSync(join('src', path), 'utf8').split('\n');
      return lines.some((line) => !/^\s*(?:\/?\*|\/\/)/.test(line) && named.test(line))
        ? [join('src', path)]
        : [];
    });
  expect(inText.filter((path) => !keptTexts.includes(path))).toEqual([]);
});
