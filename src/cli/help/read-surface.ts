import { type ExitCode, exitCodes } from '../../base/failure.ts';
import { environmentName, kebabCase } from '../../config/setting-sources.ts';
import { type CommandEntry, commands, nouns } from '../commands/commands.ts';
import { choicesOf, typeOf } from '../flags/flag-choices.ts';
import type { Flag, FlagSet } from '../flags/flags.ts';
import { noticeFlags } from '../flags/shared-flags.ts';
import type { CommandDefinition } from '../runtime/command.ts';
import { defaultValue } from '../settings/known-setting.ts';
import { inHelpOrder } from './flag-order.ts';
import type { CommandSurface, FlagSurface, GroupSurface, HelpRow } from './surface.ts';
import { topics } from './topic-names.ts';

const credentialRow: HelpRow = ['REVIEWCTL_TOKEN', 'the credential; no flag takes it'];

/** Exit codes any command may end with. */
const commonExitCodes: readonly ExitCode[] = [0, 1, 2, 130, 143];

/** The surface of the command that `words` call, of its definition. */
export function surfaceOf(
  words: string,
  { entry, definition }: { readonly entry: CommandEntry; readonly definition: CommandDefinition },
): CommandSurface {
  const { argument = [], examples, exitCodes: own } = definition;
  const flags = { ...definition.flags, ...noticeFlags };
  return {
    kind: 'command',
    words,
    summary: entry.summary,
    writes: entry.writes,
    arguments: [argument].flat(),
    flags: inHelpOrder(
      Object.entries(flags).flatMap(([name, flag]) => (flag.isHidden ? [] : flagSurface(name, flag))),
    ),
    examples,
    variables: variablesOf(definition.flags),
    exitCodes: [...new Set([...commonExitCodes, ...own])].sort((a, b) => a - b),
  };
}

/** The credential, of commands that call the service. */
function variablesOf(flags: FlagSet): readonly HelpRow[] {
  return Object.hasOwn(flags, 'tokenFile') ? [credentialRow] : [];
}

/** The surface of a noun, of those of its verbs: what each of them can show, and an example of each. */
export function groupSurface(noun: string, verbs: readonly CommandSurface[]): GroupSurface {
  const rows = verbs.map(({ words, summary }): HelpRow => [words.slice(noun.length + 1), summary]);
  return {
    kind: 'group',
    words: noun,
    summary: nouns[noun] ?? noun,
    lists: [{ heading: 'Commands', rows }],
    options: [],
    examples: verbs.flatMap(({ examples: [first] }) => first ?? []),
    variables: verbs.find(({ variables }) => variables.length > 0)?.variables ?? [],
    exitCodes: [...new Set(verbs.flatMap((verb) => verb.exitCodes))].sort((a, b) => a - b),
  };
}

/** The surface of the whole program. */
export function programSurface(): GroupSurface {
  const singles = Object.entries(commands).filter(([words]) => !words.includes(' '));
  return {
    kind: 'group',
    words: '',
    summary: 'push catalogs and orders, read reviews and settle rewards, through the review admin API',
    lists: [
      { heading: 'Commands by record', rows: Object.entries(nouns) },
      { heading: 'Commands', rows: singles.map(([words, { summary }]) => [words, summary]) },
      {
        heading: 'Topics',
        rows: Object.entries(topics).map(([name, summary]): HelpRow => [`help ${name}`, summary]),
      },
    ],
    options: [['-V, --version', 'print the version']],
    examples: [
      'reviewctl demo',
      'reviewctl login --base-url https://api.example.com',
      'reviewctl orders inspect orders.csv',
      'reviewctl orders push orders.csv',
      'reviewctl reviews list --ratings 1,2 --created-at-start 7d',
      'reviewctl orders push --help',
    ],
    variables: [
      credentialRow,
      ['CREDENTIALS_DIRECTORY', 'folder, set by systemd, whose file reviewctl-token holds the credential'],
      ['REVIEWCTL_CONFIG_DIR', 'folder of the profiles, instead of the XDG folder'],
      ['REVIEWCTL_STATE_DIR', 'folder of runs and ledgers, instead of the XDG folder'],
      ['NO_COLOR, FORCE_COLOR', 'whether output is colored, on a terminal or not'],
      ['COLUMNS', 'width of the terminal in characters'],
      ['HTTPS_PROXY, NO_PROXY', 'proxy settings for the connection to the service'],
      [
        'NODE_EXTRA_CA_CERTS',
        'file with certificates (PEM) of further authorities, such as that of a TLS proxy',
      ],
    ],
    exitCodes: Object.keys(exitCodes).map((code) => Number(code) as ExitCode),
  };
}

function flagSurface(name: string, flag: Flag<unknown>): FlagSurface {
  const { help, short, value, bare, group, isRepeatable, isContent } = flag;
  const choices = choicesOf(flag);
  const preset: unknown = defaultValue(flag);
  return {
    name: kebabCase(name),
    ...(short === undefined ? {} : { short }),
    type: typeOf(flag),
    ...(value === undefined ? {} : { value }),
    ...(bare === undefined ? {} : { bare }),
    ...(isRepeatable ? { isRepeatable } : {}),
    ...(choices.length === 0 ? {} : { choices }),
    ...(hasMeaning(preset) ? { default: String(preset) } : {}),
    ...(isContent ? {} : { variable: environmentName(name) }),
    ...(group === undefined ? {} : { group }),
    help,
  };
}

/** Whether a default says more than that nothing was given. */
function hasMeaning(preset: unknown): boolean {
  return preset !== undefined && preset !== false && !(Array.isArray(preset) && preset.length === 0);
}
