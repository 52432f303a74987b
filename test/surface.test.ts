import { expect, test } from 'vitest';
import { exitCodes } from '../src/base/failure.ts';
import { kebabCase } from '../src/base/name-case.ts';
import { helpMaximum } from '../src/cli/flags/flag-choices.ts';
import { findSettings } from '../src/cli/help/all-setting-flags.ts';
import { allSurfaces } from '../src/cli/help/find-surface.ts';
import { flagRow, helpText } from '../src/cli/help/help-text.ts';
import type { FlagSurface, Surface } from '../src/cli/help/surface.ts';
import { bodyFields } from '../src/cli/templates/record/body-flags.ts';
import {
  addOrderItemBody,
  createCategoryBody,
  createProductBody,
  updateOrderBody,
  updateOrderItemBody,
  updateProductBody,
  updateReviewBody,
  updateRewardBody,
} from '../src/contract/bodies.ts';
import { productGroupsQuery, productsQuery, reviewsQuery, rewardsQuery } from '../src/contract/queries.ts';
import { cleanEnvironment, temporaryFolder } from './cli/run-cli.ts';
import { runInProcess } from './cli/run-program.ts';

/*
 * The interface on which users, scripts and cron jobs rely. A change of it changes these files, which `vitest -u`
 * writes, so that reviewers see it. Promises are also listed here by hand.
 */

const surfaces = await allSurfaces();
const allSettings = await findSettings();
/** Settings for what the API document leaves open. */
const serviceSettings = new Set(
  allSettings.filter(({ section }) => section === 'Service').map(({ name }) => name),
);
const commands = surfaces.filter(({ commands }) => commands.length === 0);

function flagLines({ name, short, value, bare, isRepeatable, choices, ...rest }: FlagSurface): string[] {
  const shown = value === undefined ? '' : bare === undefined ? ` <${value}>` : `[${value}]`;
  const facts = [
    ...(isRepeatable ? ['repeatable'] : []),
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(bare === undefined ? [] : [`alone: ${bare}`]),
    ...(rest.default === undefined ? [] : [`default: ${rest.default}`]),
    rest.variable ?? 'no variable',
  ];
  return [
    `  ${short === undefined ? '' : `-${short}, `}--${name}${shown}: ${rest.help}`,
    `      ${facts.join('; ')}`,
  ];
}

/** Flags that commands share, as text, with the name of each block: the heading of its group and a number. */
const shared = new Map<string, string>();

function groupLines(group: string, flags: readonly FlagSurface[]): string[] {
  const lines = flags.flatMap(flagLines);
  if (group === 'Options') return lines;
  const text = lines.join('\n');
  const variants = [...shared.values()].filter((name) => name.startsWith(`${group} `)).length;
  const name = shared.get(text) ?? `${group} ${variants + 1}`;
  shared.set(text, name);
  return [`  flags: ${name}`];
}

function commandLines({ arguments: terms, flags, settings }: Surface): string[] {
  const groups = new Set(flags.map(({ section }) => section));
  return [
    ...terms.flatMap(({ term, help, choices = [] }) => [
      `  ${term}: ${help}`,
      // Settings are many, and already listed as flags.
      ...(choices.length === 0 || /setting/.test(term) ? [] : [`      one of ${choices.join(', ')}`]),
    ]),
    ...[...groups].flatMap((group) =>
      groupLines(
        group,
        flags.filter(({ section }) => section === group),
      ),
    ),
    `  settings: ${settings.filter((name) => !serviceSettings.has(name)).join(' ')}`,
  ];
}

function surfaceLines(surface: Surface): string[] {
  const { words, summary, variables, exitCodes: codes } = surface;
  const terms =
    surface.commands.length === 0
      ? commandLines(surface)
      : [...surface.commands, ...surface.flags.map(flagRow)].map(([term, help]) => `  ${term}: ${help}`);
  return [
    `# reviewctl ${words}`.trimEnd(),
    summary,
    ...terms,
    ...variables.map(([name, help]) => `  ${name}: ${help}`),
    `  exit codes: ${codes.join(' ')}`,
    '',
  ];
}

test('the commands, with their arguments, flags, variables, defaults and exit codes, are as they were reviewed', async () => {
  const meanings = Object.entries(exitCodes).map(([code, meaning]) => `  ${code}: ${meaning}`);
  const lines = surfaces.flatMap(surfaceLines);
  const groups = [...shared].flatMap(([text, name]) => [`# flags: ${name}`, text, '']);
  const settingLines = ['# settings', ...allSettings.flatMap(flagLines), ''];
  const text = [...lines, ...groups, ...settingLines, '# exit codes', ...meanings, ''].join('\n');
  await expect(text).toMatchFileSnapshot('../fixtures/surface/commands.txt');
});

test('the JSON Schemas are as they were reviewed', async () => {
  const env = cleanEnvironment(temporaryFolder());
  const { stdout: names } = await runInProcess(['schema'], { env });
  const schemas: string[] = [];
  for (const name of names.trimEnd().split('\n')) {
    schemas.push((await runInProcess(['schema', name], { env })).stdout);
  }
  await expect(schemas.join('')).toMatchFileSnapshot('../fixtures/surface/schemas.txt');
});

/** Every command with its promised flags, besides those of its kind. */
const promised: Readonly<Record<string, string>> = {
  'products push': 'on-existing update-only plan plan-out limit',
  'products inspect': '',
  'products list': 'origin-ids page-size limit time-zone',
  'products get': '',
  'products create': 'name image-url body dry-run',
  'products update': 'name image-url body dry-run',
  'product-groups list': 'page-size limit',
  'product-groups add-product': '',
  'categories push': 'batch-size plan plan-out limit',
  'categories inspect': '',
  'categories create': 'name body dry-run',
  'orders push': 'batch-size wait bulk-extra-fields resend plan plan-out limit',
  'orders inspect': '',
  'orders get': '',
  'orders update': 'alimtalk-template-code body dry-run',
  'orders add-item': 'body dry-run',
  'order-items push': 'plan plan-out limit',
  'order-items inspect': '',
  'order-items get': '',
  'order-items update': 'body dry-run',
  'reviews list':
    'since product-origin-ids ratings created-at-start created-at-end page-size limit since-last',
  'reviews get': '',
  'reviews publish': '',
  'reviews hide': 'yes no-input',
  'reviews stats': '',
  'report run': 'out overwrite with-ids time-zone',
  'report reviews': 'out overwrite with-ids limit ratings created-at-start created-at-end time-zone progress',
  'report ledger': 'month out overwrite with-ids max-amount-per-day',
  'rewards list': 'since status page-size limit since-last',
  'rewards get': '',
  'rewards update': 'status yes no-input',
  'rewards settle':
    'ledger payer-command payer-url payer-header-file payer-paid-status payer-idempotent max-amount max-count max-amount-per-day max-per-reward max-per-member expect-total expect-count dry-run concurrency fail-on-held',
  'rewards listen':
    'ledger payer-command payer-url host port path-secret-file allow-ip trust-proxy metrics max-amount-per-day max-per-reward max-per-member',
  'rewards export': 'ledger',
  'rewards import': 'ledger',
  'payer check': 'payer-command payer-url',
  'ledger init': 'already-paid ledger',
  'ledger status': 'ledger',
  'ledger list': 'ledger',
  'ledger export': 'month from to with-ids ledger',
  'ledger show': 'ledger',
  'ledger resolve': 'ledger yes no-input',
  'ledger reconcile': 'ledger payer-statement kind',
  'ledger verify': 'ledger',
  'ledger freeze': 'ledger',
  'ledger accept': 'ledger complete base-url yes no-input',
  'ledger unfreeze': 'ledger without-statement',
  'ledger backup': 'ledger',
  'jobs list': '',
  'jobs wait': '',
  'plan show': '',
  'runs list': '',
  'runs show': '',
  'runs rejects': 'open unknown',
  'runs prune': 'dry-run output',
  'runs resolve': 'dropped sent not-sent output',
  'runs undo': 'undo-days limit max-errors dry-run concurrency output yes no-input',
  login: 'profile base-url same-shop',
  logout: 'profile',
  'state move': '',
  'profile list': '',
  'profile use': '',
  'profile delete': 'yes no-input',
  'profile show': '',
  'config get': '',
  'config set': '',
  'config unset': '',
  'config list': '',
  'config path': '',
  api: 'param query body',
  'sandbox serve': 'port host data products orders reviews webhook-url job-delay latency fault seed output',
  'sandbox write-review': '',
  'sandbox advance': '',
  'sandbox resend': '',
  'sandbox fault': '',
  'sandbox hints': '',
  doctor: '',
  status: 'online output',
  template: '',
  schema: '',
  completion: '',
  demo: '',
};

/** The flags of every command of a kind. */
const kinds: readonly (readonly [kind: RegExp, flags: string])[] = [
  [
    / push$/,
    'dry-run concurrency progress max-errors max-change rejects rate retries timeout output fields excel profile base-url token-file token-command yes no-input get-job debug',
  ],
  [
    / (?:push|inspect)$/,
    'format encoding delimiter sheet header-row preset map set time-zone image-base-url null-word decimal date-order open-status',
  ],
  [/ list$/, 'output fields excel'],
  [
    /^(?:(?:products|product-groups|reviews|rewards) list|ledger (?:init|reconcile|verify)|jobs wait)$/,
    'progress',
  ],
  [
    /^(?!config|login|logout|profile|state|payer|ledger|runs|plan|jobs|report (?:run|ledger)|schema|completion|template|demo|sandbox|.* inspect)/,
    'profile base-url token-file token-command timeout retries rate debug',
  ],
  [/./, 'log-format quiet profile config debug'],
];

test('every command and flag that was promised is there', () => {
  const missing = Object.entries(promised).flatMap(([words, own]) => {
    const command = commands.find((one) => one.words === words);
    if (command === undefined) return [words];
    const known = new Set([...command.flags.map(({ name }) => name), ...command.settings]);
    const wanted = [own, ...kinds.filter(([kind]) => kind.test(words)).map(([, flags]) => flags)];
    return wanted
      .flatMap((flags) => flags.split(' '))
      .filter((flag) => flag !== '' && !known.has(flag))
      .map((flag) => `${words} --${flag}`);
  });
  expect(missing).toEqual([]);
});

test('no flag takes the value of a credential', () => {
  const flags = commands.flatMap((command) => command.flags.map(({ name }) => name));
  expect(flags.filter((name) => /(?:^|-)(?:token|secret|password|key)$/.test(name))).toEqual([]);
});

test('no command is there that was not promised', () => {
  expect(commands.map(({ words }) => words).filter((words) => !Object.hasOwn(promised, words))).toEqual([]);
});

/** The commands of this program in an example, as words without quotes. */
function calls(example: string): readonly (readonly string[])[] {
  return [...example.matchAll(/\breviewctl ((?:'[^']*'|[^|;&)<>'])*)/g)].map(([, line = '']) =>
    (line.match(/'[^']*'|[^\s']+/g) ?? []).map((word) => word.replaceAll("'", '')),
  );
}

test('every example calls a command there is, with flags it has', () => {
  const faults = surfaces.flatMap(({ examples }) =>
    examples.flatMap((example) =>
      calls(example).flatMap((words) => {
        const [noun = '', verb = ''] = words;
        const command = commands.find(({ words: name }) => name === noun || name === `${noun} ${verb}`);
        if (command === undefined) return [`${example}: no command`];
        const known = ['help', ...command.flags.flatMap(({ name, short }) => [name, short ?? ''])];
        const typed = words.flatMap((word) => /^--?([a-z][\w-]*)/.exec(word)?.[1] ?? []);
        const set = words.flatMap((word, at) => (words[at - 1] === '-c' ? [word.replace(/=.*/s, '')] : []));
        return [
          ...typed.filter((flag) => !known.includes(flag)).map((flag) => `${example}: no flag ${flag}`),
          ...set
            .filter((name) => !command.settings.includes(name))
            .map((name) => `${example}: no setting ${name}`),
        ];
      }),
    ),
  );
  expect(faults).toEqual([]);
});

test('every command has a summary, an example and help for each of its words', () => {
  for (const { words, summary, examples, flags, arguments: terms } of commands) {
    expect({ words, summary, examples }).toEqual({
      words,
      summary: expect.stringMatching(/^[a-z].*[^.]$/),
      examples: expect.arrayContaining([expect.stringContaining(`reviewctl ${words}`)]),
    });
    expect([...flags, ...terms].filter(({ help }) => help.length < 5)).toEqual([]);
  }
});

/** Parameters and body fields of the API document, as flags. */
const documented = new Set(
  [
    ...[productsQuery, productGroupsQuery, reviewsQuery, rewardsQuery].flatMap((query) =>
      Object.keys(query().shape),
    ),
    ...[
      createProductBody,
      updateProductBody,
      createCategoryBody,
      updateOrderBody,
      addOrderItemBody,
      updateOrderItemBody,
      updateReviewBody,
      updateRewardBody,
    ].flatMap((body) => bodyFields(body()).map(({ flag }) => flag)),
  ].map(kebabCase),
);

test('there are at most 105 flags besides those of the API document, and 32 on one command', () => {
  const own = (command: Surface) =>
    command.flags.map(({ name }) => name).filter((name) => !documented.has(name));
  expect(new Set(commands.flatMap(own)).size).toBeLessThanOrEqual(105);
  const most = commands.filter((command) => own(command).length > 32).map(({ words }) => words);
  expect(most).toEqual([]);
});

test('the help of a flag has at most 50 characters', () => {
  const flags = commands.flatMap((command) => command.flags);
  expect(flags.filter(({ help }) => help.length > helpMaximum).map(({ name }) => name)).toEqual([]);
});

test('help fits 40 lines of 80 columns, that of lists of reviews 48', () => {
  const linesOf = (surface: Surface) =>
    helpText(surface, 80)
      .trimEnd()
      .split('\n')
      .flatMap((line) => Array.from({ length: Math.max(1, Math.ceil(line.length / 80)) })).length;
  const maximum = (words: string) => (/review/.test(words) ? 48 : 40);
  const tall = surfaces.filter((surface) => linesOf(surface) > maximum(surface.words));
  expect(tall.map((surface) => [surface.words, linesOf(surface)])).toEqual([]);
});
