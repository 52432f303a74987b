import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type HintText, hint, reviewctl } from '../../src/base/hint.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { kebabCase } from '../../src/base/name-case.ts';
import { commands } from '../../src/cli/commands/commands.ts';
import { addHintFlags } from '../../src/cli/help/hint-flags.ts';
import { serveHttp } from '../client/loopback.ts';
import { openLedgerShop } from './ledger-shop.ts';
import { openPlace } from './open-place.ts';
import { parseCommandLine } from './parse-command-line.ts';
import { expectEnd } from './run-cli.ts';

const completed = (text: HintText, typed: JsonObject) =>
  hint`${text}`.text((command) => addHintFlags(command, sourcesOf(typed)));

const sourcesOf = ({ profile, ...settings }: JsonObject) => ({
  flags: profile === undefined ? {} : { profile },
  overrides: Object.fromEntries(Object.entries(settings).map(([name, value]) => [kebabCase(name), value])),
  env: {},
  project: {},
  profile: { name: 'default', settings: {} },
});

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
  [hint`start one: ${reviewctl`sandbox serve`}`, 'start one: reviewctl sandbox serve --profile mall'],
  [
    hint`log in: ${reviewctl`login --profile other`}; or not`,
    'log in: reviewctl login --profile other; or not',
  ],
  ['the text reviewctl ledger init is no command', 'the text reviewctl ledger init is no command'],
])('a command in a hint gets the typed profile: %s', (text, whole) => {
  expect(completed(text, { profile: 'mall' })).toBe(whole);
});

it('the typed ledger is added to commands that open one, and no other', () => {
  const text = hint`${reviewctl`rewards settle`}; ${reviewctl`rewards list`}`;
  expect(completed(text, { ledger: '/a b/l.db', payerUrl: 'https://p' })).toBe(
    "reviewctl rewards settle -c 'ledger=/a b/l.db' --payer-url https://p; reviewctl rewards list",
  );
});

it('a place of a ledger that a hint names is neither repeated nor joined by the typed one', () => {
  const text = hint`${reviewctl`ledger accept -c ${'ledger=/l.db'}`}; ${reviewctl`ledger accept -c ${'state=a b'}`}`;
  expect(completed(text, { state: 'postgres://h/typed' })).toBe(String(text));
});

it.each([
  [{}, '--payer-command /path/to/program'],
  [{ payerCommand: '/opt/pay --key s3cret' }, "--payer-command '/opt/pay …'"],
  [{ payerUrl: 'https://u:s3cret@p/x?k=s3cret' }, "--payer-url 'https://…@p/x?…'"],
  [{ payerIdempotent: '24h' }, '-c payer-idempotent=24h --payer-command /path/to/program'],
  [
    { payerUrl: 'https://p', payerEnv: ['A', 'B'], maxAmountPerDay: '9' },
    '--payer-url https://p -c payer-env=A -c payer-env=B -c max-amount-per-day=9',
  ],
])('a command that pays is named with its payer, without secrets: %j', (typed, words) => {
  expect(completed(reviewctl`rewards settle --dry-run`, typed)).toBe(
    `reviewctl rewards settle ${words} --dry-run`,
  );
});

it.each(['payer-command', 'rewards.payer-command'])('a payer of the profile as %s is not repeated', (key) => {
  const settings = { [key]: '/opt/pay' };
  const sources = { ...sourcesOf({}), noun: 'ledger', profile: { name: 'default', settings } };
  expect(addHintFlags({ words: ['rewards', 'settle'] }, sources).words).toEqual(['rewards', 'settle']);
});

it.each(Object.entries(commands))(
  'a hint names %s with every typed flag that it has, and no other',
  async (path, entry) => {
    const service = { baseUrl: 'u', tokenFile: 't' };
    const typed = { profile: 'p', ...service, ledger: 'l', state: 's', statePasswordFile: 'f', shop: 'h' };
    const { flags } = (await entry.load()).command;
    const { profile, ...settings } = typed;
    const pays = ['rewards settle', 'rewards listen', 'payer check'].includes(path);
    const own = Object.entries(settings).filter(
      ([name]) => flags[name] !== undefined && !flags[name].isHidden,
    );
    const { words } = addHintFlags({ words: path.split(' ') }, sourcesOf(typed));
    expect(words).toEqual([
      ...path.split(' '),
      ...(path.startsWith('profile ') ? [] : ['--profile', profile]),
      ...own.flatMap(([name, value]) => ['-c', `${kebabCase(name)}=${value}`]),
      ...(pays ? ['--payer-command', '/path/to/program'] : []),
    ]);
  },
);

it('payer check, which opens no ledger, is named without the typed one', async () => {
  const shop = await openLedgerShop();
  const ledger = ['-c', `ledger=${join(shop.folder, 'own.db')}`];
  await shop.run(['ledger init', ...ledger]);
  const { url } = await serveHttp((_, response) => response.writeHead(401).end());
  expectEnd(
    await shop.run([`rewards settle --payer-url ${url}`, ...ledger]),
    2,
    `hint: to see its answer: reviewctl payer check --payer-url ${url} --member MEMBER\n`,
  );
});

it('a command in a record, a plan or an inspection has the typed profile and is quoted', async () => {
  const { run, write } = await openPlace({ products: 1, orders: 0, reviews: 1 });
  const profile = '--profile two';
  for (const setting of ['create-orders=POST /admin/v2/orders/bulk', 'product-key=SKU'])
    expectEnd(await run(['config set', ...setting.split('='), profile]), 0);
  const orders = (member: string) =>
    write('o.csv', [
      'orderOriginId,originId,productOriginId,orderedAt,memberOriginId',
      `O 1$(x),I1,P1,2026-11-20,${member}`,
    ]);
  await run(['orders push', orders('anna'), profile]);
  const other = ['orders push', orders('bert'), profile];
  const set = `set it with reviewctl orders update ${profile} 'origin:O 1$(x)' --member-origin-id VALUE, then`;
  await run([...other, '--plan-out p']);
  const shown = [await run(other), await run('runs rejects last --profile two'), await run('plan show p')];
  for (const { stdout } of shown) expect(stdout).toContain(set);
  const file = write('c.csv', ['상품코드,상품명', 'P1,머그']);
  expect((await run(['products inspect', file, profile])).stdout).toContain(
    `reviewctl config set ${profile} product-key '상품코드'`,
  );
  expect((await run(['reviews hide 999999', profile])).stdout).toContain(`reviewctl reviews list ${profile}`);
});

it('without such a flag nothing is added, nor to a command that shows its help', () => {
  const help = reviewctl`rewards settle --help`;
  expect(completed(help, { payerCommand: '/bin/pay' })).toBe('reviewctl rewards settle --help');
  expect(completed(reviewctl`ledger init`, { output: 'json' })).toBe('reviewctl ledger init');
});

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
  expect(inText).toEqual([]);
});

/** Every command in a hint of the sources, with a placeholder for each value. */
function namedCommands(): readonly (readonly [where: string, words: readonly string[]])[] {
  return (
    readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && path !== join('base', 'hint.ts'))
      .flatMap((path) =>
        [
          ...readFileSync(join('src', path), 'utf8').matchAll(
            /reviewctl`((?:[^`$]|\$(?!\{)|\$\{[^`}]*\})*)`/g,
          ),
        ].map(([, text = '']) => [join('src', path), wordsOf(text)] as const),
      )
      // Commands that begin with an interpolated value are checked at run time.
      .filter(([, words]) => /^[a-z]/.test(words[0] ?? ''))
  );
}

function wordsOf(text: string): readonly string[] {
  const [typed = ''] = text
    // Values of several words or none.
    .replaceAll(/\$\{(?:place|profile|typed|period|placeFlag\(\w+\.?\w*\)|\w+ \? .*?|\[\.\.\..*?)\}/g, '')
    .replaceAll(/\$\{method\}/g, 'GET')
    .replaceAll(/\$\{.*?\}/g, 'X')
    .replace(/--base-url$/, '--base-url https://…')
    .split(' < ');
  return typed.split(' ').filter((word) => word !== '');
}

/** Commands that require one of these flags. */
const requiredFlags: Readonly<Record<string, readonly string[]>> = {
  'payer check': ['--member'],
  'ledger resolve': ['--paid', '--refused', '--not-paid', '--reversed', '--accepted'],
};

it.each(namedCommands())('a hint of %s names a command that is taken: %j', async (_, words) => {
  if (words[0] === 'help') return;
  await parseCommandLine(words);
  const required = requiredFlags[words.slice(0, 2).join(' ')];
  if (required !== undefined) expect(required).toEqual(expect.arrayContaining([oneOf(words, required)]));
});

function oneOf(words: readonly string[], flags: readonly string[]): string | undefined {
  return words.find((word) => flags.includes(word));
}
