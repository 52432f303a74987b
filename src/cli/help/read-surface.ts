import { type ExitCode, exitCodes } from '../../base/failure.ts';
import { lazy } from '../../base/lazy.ts';
import { kebabCase } from '../../base/name-case.ts';
import { present } from '../../base/present.ts';
import { environmentName } from '../../config/setting-sources.ts';
import { commands, nouns } from '../commands/commands.ts';
import { choicesOf, typeOf } from '../flags/flag-choices.ts';
import { type Flag, type FlagSet, isSetting } from '../flags/flags.ts';
import { askFlags, commonFlags } from '../flags/shared-flags.ts';
import { defaultValue } from '../settings/known-setting.ts';
import { allSettingFlags } from './all-setting-flags.ts';
import { programWords, topics, verbsOf } from './command-path.ts';
import { ownSection, versionFlag } from './help-text.ts';
import type { FlagSurface, HelpRow, Surface } from './surface.ts';

const credentialRow: HelpRow = ['REVIEWCTL_TOKEN', 'the credential; no flag takes it'];

/** Exit codes that every command may end with. */
const commonExitCodes: readonly ExitCode[] = [0, 1, 2, 130, 143];

/** The surface of the command `words`. Loads the command. */
export async function commandSurface(words: string): Promise<Surface> {
  const entry = commands[words];
  if (entry === undefined) throw new Error(`'${words}' calls no command`);
  const { command: definition } = await entry.load();
  const { argument = [], examples, exitCodes: own = [] } = definition;
  const flags: FlagSet = { ...definition.flags, ...commonFlags };
  const typedFlags = Object.entries(flags).filter(
    ([, { scope, isHidden }]) => scope !== 'setting' && isHidden !== true,
  );
  return {
    words,
    summary: entry.summary,
    commands: [],
    arguments: [argument].flat(),
    flags: inHelpOrder(typedFlags.map(([name, flag]) => flagSurface(name, flag))),
    settings: settingNamesOf(flags),
    examples,
    variables: variablesOf(definition.flags),
    exitCodes: [...new Set([...commonExitCodes, ...own])].sort((a, b) => a - b),
  };
}

/** The credential variable, for commands that call the service. */
function variablesOf(flags: FlagSet): readonly HelpRow[] {
  return Object.hasOwn(flags, 'tokenFile') ? [credentialRow] : [];
}

/** The surface of a noun, made from those of its verbs: their summaries, and an example of each. */
export function groupSurface(noun: string, verbs: readonly Surface[]): Surface {
  return {
    words: noun,
    summary: nouns[noun] ?? noun,
    commands: verbsOf(noun),
    arguments: [],
    flags: [],
    settings: [],
    examples: verbs.flatMap(({ examples: [first] }) => first ?? []),
    variables: verbs.find(({ variables }) => variables.length > 0)?.variables ?? [],
    exitCodes: [...new Set(verbs.flatMap((verb) => verb.exitCodes))].sort((a, b) => a - b),
  };
}

export function programSurface(): Surface {
  return {
    words: '',
    summary: 'push catalogs and orders, read reviews and settle rewards, through the review admin API',
    commands: [...programWords(), [`help ${Object.keys(topics).join('|')}`, '']],
    arguments: [],
    flags: [versionFlag],
    settings: [],
    examples: [
      'reviewctl orders push orders.csv',
      'reviewctl reviews list --ratings 1,2 --created-at-start 7d',
    ],
    variables: [
      credentialRow,
      ['CREDENTIALS_DIRECTORY', 'folder, set by systemd, whose file reviewctl-token holds the credential'],
      ['REVIEWCTL_PROFILE', 'the profile, as with --profile'],
      ['REVIEWCTL_DEBUG', '1: requests and stack traces on stderr, as with --debug'],
      ['REVIEWCTL_CONFIG_DIR', 'folder of the profiles, instead of the XDG folder'],
      ['REVIEWCTL_STATE_DIR', 'folder of runs and ledgers, instead of the XDG folder'],
      ['PGPASSWORD, PGPASSFILE', 'password of the database that the setting state names, or a file with it'],
      ['NO_COLOR, FORCE_COLOR', 'whether output is colored, on a terminal or not'],
      ['COLUMNS', 'width of the terminal in characters'],
      ['HTTPS_PROXY, NO_PROXY', 'proxy settings for the connection to the service'],
      [
        'NODE_EXTRA_CA_CERTS',
        'file with certificates (PEM) of further authorities, such as that of a TLS proxy',
      ],
      ['TRACEPARENT', 'W3C trace that requests and payments are part of'],
    ],
    exitCodes: Object.keys(exitCodes).map((code) => Number(code) as ExitCode),
  };
}

/** The names of the settings among the flags, as in files. */
function settingNamesOf(flags: FlagSet): readonly string[] {
  const names = Object.entries(flags).flatMap(([name, flag]) => {
    if (flag.parts !== undefined) return Object.keys(flag.parts);
    return isSetting(flag) && !flag.isHidden ? [name] : [];
  });
  return names.map(kebabCase).toSorted();
}

/** The flags that commands have in common, except those of output. */
export function commonSurfaces(): readonly FlagSurface[] {
  const flags: FlagSet = { ...commonFlags, ...askFlags };
  const typed = Object.entries(flags).filter(([, { scope }]) => scope !== 'setting');
  return typed.map(([name, flag]) => flagSurface(name, flag));
}

/** Every setting, ordered by section. Loads all commands, once in a process. */
export const readSettings = lazy(async (): Promise<readonly FlagSurface[]> => {
  const surfaces = [...(await allSettingFlags())].map(([name, readers]) => {
    // Some commands offer fewer choices.
    const [flag] = readers.map((reader) => flagSurface(name, reader.flag)).toSorted(byChoices);
    return flag as FlagSurface;
  });
  return inHelpOrder(surfaces);
});

function byChoices({ choices: one = [] }: FlagSurface, { choices: other = [] }: FlagSurface): number {
  return other.length - one.length;
}

function flagSurface(name: string, flag: Flag<unknown>): FlagSurface {
  const { help, short, value, bare, group: section = ownSection, isRepeatable, scope } = flag;
  const choices = choicesOf(flag);
  const initial: unknown = defaultValue(flag);
  return present<FlagSurface>({
    name: kebabCase(name),
    short,
    type: typeOf(flag),
    value,
    bare,
    isRepeatable: isRepeatable || undefined,
    choices: choices.length === 0 ? undefined : choices,
    default: hasMeaning(initial) ? String(initial) : undefined,
    variable: scope && environmentName(name),
    section,
    help,
  });
}

/** True if a default means more than an omitted flag. */
function hasMeaning(initial: unknown): boolean {
  return initial !== undefined && initial !== false && !(Array.isArray(initial) && initial.length === 0);
}

/** The sections that many commands share. */
const sharedSections = [
  'Sending',
  'Reading',
  'Connection',
  'Service',
  'Files',
  'State',
  'Payer',
  'Paying',
  'Receiver',
  'Messages',
  'Monitoring',
  'Output',
  'Questions',
  'Common',
];

/**
 * The one order of flags for the help of every command: first the sections of few commands, by name, after those of the
 * command itself; then the shared sections, always in the same order. Within a section, by name.
 */
export function inHelpOrder(flags: readonly FlagSurface[]): readonly FlagSurface[] {
  return flags.toSorted((a, b) => {
    const [one, other] = [a.section, b.section];
    return rankOf(one) - rankOf(other) || compareText(one, other) || compareText(a.name, b.name);
  });
}

function rankOf(section: string): number {
  return section === ownSection ? -2 : sharedSections.indexOf(section);
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
