import { exitCodes } from '../../base/failure.ts';
import type { ArgumentText } from '../runtime/command.ts';
import { builtSurface } from './built-surface.ts';
import type { FlagSurface, HelpRow, Surface } from './surface.ts';

export interface Section {
  readonly heading: string;
  readonly rows: readonly HelpRow[];
  /** True if its rows form one paragraph that follows the heading. */
  readonly isText?: true;
}

/** Minimum cells of meanings; if the terms leave fewer, lines exceed the terminal. */
const narrowestMeaning = 24;
const indent = '  ';
/** The section of flags without a group. */
export const ownSection = 'Options';
const helpRow: HelpRow = ['-h, --help', 'show this help'];

/** The flag of the program itself. */
export const versionFlag: FlagSurface = {
  name: 'version',
  short: 'V',
  type: 'boolean',
  section: ownSection,
  help: 'print the version',
};

/** The sections of flags that are the same everywhere; one line lists them. */
export const commonSections: ReadonlySet<string> = new Set(['Common', 'Output', 'Questions']);

/** The help of a surface, in lines that fit `columns` cells: its own parts, and references to the rest. */
export function helpText(surface: Surface, columns: number): string {
  const { words, summary } = surface;
  const called = ['reviewctl', words, ...termsOf(surface), '[flags]'].filter((part) => part !== '');
  const titles = [`Usage: ${called.join(' ')}`, sentence(summary)];
  const { before, flags, examples } = helpParts(surface);
  const own = flags.filter(({ heading }) => !commonSections.has(heading));
  const common = isGroup(surface) ? [] : [commonSection(surface)];
  return rendered(titles, [...before, ...own, ...common, ...examples], columns);
}

/** True for a noun and for the whole program. */
function isGroup({ commands }: Surface): boolean {
  return commands.length > 0;
}

/** The terms that follow the words of a surface. */
export function termsOf(surface: Surface): readonly string[] {
  return isGroup(surface) ? ['<command>'] : surface.arguments.map(({ term }) => term);
}

/** A summary as the sentence below a title. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** The flags that are the same everywhere, as typed. */
const commonTerms: Readonly<Record<string, string>> = {
  output: '-o FORMAT',
  fields: '--fields a,b',
  excel: '--excel',
  yes: '-y',
  'no-input': '--no-input',
  profile: '--profile NAME',
  config: '-c NAME=VALUE',
  quiet: '-q',
  debug: '--debug',
};

function commonSection({ flags }: Surface): Section {
  const common = flags.filter(({ section }) => commonSections.has(section));
  const terms = common.map(({ name }) => commonTerms[name] ?? `--${name}`);
  const topics = 'see reviewctl help settings|output|exit-codes|environment';
  return { heading: 'Common', isText: true, rows: [[`${[...terms, '-h'].join(', ')}; ${topics}`, '']] };
}

/** The sections of help below the titles; empty ones are omitted. */
interface HelpParts {
  /** The commands of a noun, or the arguments of a command. */
  readonly before: readonly Section[];
  readonly flags: readonly Section[];
  readonly examples: readonly Section[];
  /** The help topics that concern all commands. */
  readonly topics: readonly Section[];
}

export function helpParts(surface: Surface, rowOf = flagRow): HelpParts {
  const { commands, settings, examples, variables, exitCodes: codes } = surface;
  return {
    before: filled([
      { heading: 'Commands', rows: commands },
      { heading: 'Arguments', rows: surface.arguments.map(argumentRow) },
    ]),
    flags: flagSections(surface, rowOf),
    examples: filled([
      { heading: 'Examples', rows: examples.map((example): HelpRow => [`$ ${example}`, '']) },
    ]),
    topics: filled([
      { heading: 'Settings', rows: settings.length === 0 ? [] : [settingsRow(surface)] },
      { heading: 'Environment', rows: [...variables, flagVariable] },
      { heading: 'Exit codes', rows: codes.map((code): HelpRow => [String(code), exitCodes[code]]) },
    ]),
  };
}

function filled(sections: readonly Section[]): readonly Section[] {
  return sections.filter(({ rows }) => rows.length > 0);
}

/**
 * The help for `argv` if it consists of a command and a help flag only. Loads neither commands nor the parser.
 * Undefined for every other command line, and without a build.
 */
export function plainHelp(argv: readonly string[], columns: number): string | undefined {
  const requested = requestedWords(argv);
  const surface = requested === undefined ? undefined : builtSurface(requested.join(' '));
  return surface === undefined ? undefined : helpText(surface, columns);
}

function requestedWords(argv: readonly string[]): readonly string[] | undefined {
  const last = argv.at(-1);
  if (last === '--help' || last === '-h') return argv.slice(0, -1);
  return argv[0] === 'help' ? argv.slice(1) : undefined;
}

function flagSections(surface: Surface, rowOf: typeof flagRow): readonly Section[] {
  const { flags } = surface;
  const last = isGroup(surface) ? ownSection : 'Common';
  return [...new Set([...flags.map(({ section }) => section), last])].map((heading) => {
    const rows = flags.filter(({ section }) => section === heading).map(rowOf);
    return { heading, rows: heading === last ? [...rows, helpRow] : rows };
  });
}

/** The settings that the command reads. */
function settingsRow({ settings }: Surface): HelpRow {
  return ['-c NAME=VALUE', `${settings.join(', ')}; reviewctl help settings explains them`];
}

/** A flag as typed, and its meaning. */
export function flagRow(flag: FlagSurface): HelpRow {
  return [flagTerm(flag), flag.help];
}

function argumentRow({ term, help }: ArgumentText): HelpRow {
  return [term.replaceAll(/[<>[\]]/g, ''), help];
}

/** `-o, --output <FORMAT>`, or `--wait[=DURATION]` for an optional value. */
function flagTerm({ name, short, value, bare }: FlagSurface): string {
  const typed = `${short === undefined ? '' : `-${short}, `}--${name}`;
  if (value === undefined) return typed;
  return bare === undefined ? `${typed} <${value}>` : `${typed}[${value}]`;
}

export const flagVariable: HelpRow = [
  'REVIEWCTL_<NAME>',
  'any setting, such as REVIEWCTL_BASE_URL for base-url; flags and -c take precedence',
];

/** Titles and sections as text, with aligned meanings. */
export function rendered(titles: readonly string[], sections: readonly Section[], columns: number): string {
  const width = termWidth(sections.flatMap(({ rows, isText }) => (isText ? [] : rows)));
  const lines = (text: string) => wrapped(text, Math.max(narrowestMeaning, columns)).join('\n');
  const parts = sections.map(({ heading, rows, isText }) => {
    if (isText) return lines(`${heading}: ${rows.flat().join(' ').trim()}`);
    return [`${heading}:`, ...rows.map((row) => rowText(row, width, columns))].join('\n');
  });
  return `${[titles.map(lines).join('\n'), ...parts].join('\n\n')}\n`;
}

function termWidth(rows: readonly HelpRow[]): number {
  return Math.max(...rows.map(([term, meaning]) => (meaning === '' ? 0 : term.length)));
}

function rowText([term, meaning]: HelpRow, width: number, columns: number): string {
  if (meaning === '') return indent + term;
  const start = indent + term.padEnd(width) + indent;
  const lines = wrapped(meaning, Math.max(narrowestMeaning, columns - start.length));
  return start + lines.join(`\n${' '.repeat(start.length)}`);
}

/** Wraps text between words, in lines of at most `width` cells. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
