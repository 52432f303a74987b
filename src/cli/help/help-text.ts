import { exitCodes } from '../../base/failure.ts';
import { builtSurface } from './built-surface.ts';
import type {
  ArgumentSurface,
  CommandSurface,
  FlagSurface,
  GroupSurface,
  HelpRow,
  Surface,
} from './surface.ts';

export interface Section {
  readonly heading: string;
  readonly rows: readonly HelpRow[];
  /** Whether its meanings are aligned separately from those of other sections. */
  readonly isApart?: boolean;
  readonly isOfFlags?: true;
  /** Whether it comes behind the flags. */
  readonly isLast?: true;
}

/** Cells that meanings keep; where the terms leave fewer, the line grows beyond the terminal. */
const narrowestMeaning = 24;
const indent = '  ';
/** The section of flags without a group. */
export const ownSection = 'Options';
const helpRow: HelpRow = ['-h, --help', 'show this help'];

/** The heading under which the help shows a flag. */
export function sectionOf({ group = ownSection }: FlagSurface): string {
  return group;
}

/** The sections of flags that many commands have, which `help settings` shows. */
const settingSections: ReadonlySet<string> = new Set([
  'State',
  'Ledger',
  'Output',
  'Connection',
  'Questions',
  'Monitoring',
  'Messages',
]);

export function isShared(section: string): boolean {
  return settingSections.has(section);
}

/** The help of a surface, in lines that fit `columns` cells: what is its own, and where the rest stands. */
export function helpText(surface: Surface, columns: number): string {
  const { words, summary } = surface;
  const isGroup = surface.kind === 'group';
  const called = words === '' ? 'reviewctl' : `reviewctl ${words}`;
  const terms = isGroup ? ' <command>' : surface.arguments.map(({ term }) => ` ${term}`).join('');
  const titles = [
    `Usage: ${called}${terms} [flags]`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
  ];
  const own = helpSections(surface).filter(({ heading }) => !(isShared(heading) || isOfTopic(heading)));
  return rendered(titles, isGroup ? own : [...own, commonSection(surface)], columns);
}

/** Whether a topic of help shows this section instead. */
function isOfTopic(heading: string): boolean {
  return heading === 'Environment' || heading === 'Exit codes';
}

/** The flags that are named in one line, if a command has them. */
const commonFlags: readonly string[] = ['output', 'fields', 'profile', 'yes', 'quiet', 'debug'];

function commonSection({ flags }: CommandSurface): Section {
  const shared = new Set(flags.filter((flag) => isShared(sectionOf(flag))).map(({ name }) => name));
  const named = commonFlags.filter((name) => shared.has(name)).map((name) => `--${name}`);
  const others = shared.size - named.length;
  return {
    heading: 'Common',
    isApart: true,
    rows: [
      ['-h, --help', 'show this help'],
      ['reviewctl help settings', `${named.join(', ')}${others > 0 ? ` and ${others} more flags` : ''}`],
      ['reviewctl help exit-codes', 'what each means; also: help environment, help output'],
    ],
  };
}

/** What the help of a surface says below its titles, without empty sections. */
export function helpSections(surface: Surface): readonly Section[] {
  const { examples, variables, exitCodes: codes } = surface;
  const isGroup = surface.kind === 'group';
  const sections: readonly Section[] = [
    ...(isGroup ? groupSections(surface) : commandSections(surface)),
    { heading: 'Examples', isLast: true, rows: examples.map((example): HelpRow => [`$ ${example}`, '']) },
    {
      heading: 'Environment',
      isLast: true,
      rows: [...variables, isGroup ? flagVariable : ownFlagVariable(surface)],
    },
    {
      heading: 'Exit codes',
      isLast: true,
      isApart: true,
      rows: codes.map((code): HelpRow => [String(code), exitCodes[code]]),
    },
  ];
  return sections.filter(({ rows }) => rows.length > 0);
}

/**
 * The help of `argv`, where it consists of a command and a help flag only. It loads neither commands nor the parser.
 * Undefined for every other command line, and in a program that is not built.
 */
export function plainHelp(argv: readonly string[], columns: number): string | undefined {
  const asked = askedWords(argv);
  const surface = asked === undefined ? undefined : builtSurface(asked.join(' '));
  return surface === undefined ? undefined : helpText(surface, columns);
}

function askedWords(argv: readonly string[]): readonly string[] | undefined {
  const last = argv.at(-1);
  if (last === '--help' || last === '-h') return argv.slice(0, -1);
  return argv[0] === 'help' ? argv.slice(1) : undefined;
}

function groupSections({ lists, options }: GroupSurface): readonly Section[] {
  return [...lists, { heading: ownSection, isOfFlags: true, rows: [...options, helpRow] }];
}

function commandSections(surface: CommandSurface): readonly Section[] {
  const headings = [...new Set(surface.flags.map(sectionOf))];
  const rowsOf = (heading: string) =>
    surface.flags.filter((flag) => sectionOf(flag) === heading).map(flagRow);
  return [
    { heading: 'Arguments', rows: surface.arguments.map(argumentRow) },
    ...headings.map((heading) => ({
      heading,
      isOfFlags: true as const,
      rows: heading === headings.at(-1) ? [...rowsOf(heading), helpRow] : rowsOf(heading),
    })),
  ];
}

/** A flag as it is typed, and what it means. */
export function flagRow(flag: FlagSurface): HelpRow {
  return [flagTerm(flag), flag.help];
}

function argumentRow({ term, help }: ArgumentSurface): HelpRow {
  return [term.replaceAll(/[<>[\]]/g, ''), help];
}

/** `-o, --output <FORMAT>`, or `--wait[=DURATION]` for a value that may be left out. */
function flagTerm({ name, short, value, bare }: FlagSurface): string {
  const typed = `${short === undefined ? '' : `-${short}, `}--${name}`;
  if (value === undefined) return typed;
  return bare === undefined ? `${typed} <${value}>` : `${typed}[${value}]`;
}

export const flagVariable: HelpRow = [
  'REVIEWCTL_<FLAG>',
  'a flag, such as REVIEWCTL_BASE_URL for --base-url; typed flags take precedence',
];

function ownFlagVariable({ flags }: CommandSurface): HelpRow {
  const settable = flags.filter(({ variable }) => variable !== undefined);
  const example = settable.find(({ name }) => name !== 'log-format') ?? settable[0];
  const which = settable.length === flags.length ? 'every flag' : 'every flag except those that are sent';
  return ['REVIEWCTL_<FLAG>', `${which}, such as ${example?.variable} for --${example?.name}`];
}

/** Titles and sections as text, with aligned meanings except in separate sections. */
export function rendered(titles: readonly string[], sections: readonly Section[], columns: number): string {
  const width = termWidth(sections.flatMap(({ rows, isApart }) => (isApart ? [] : rows)));
  const parts = sections.map(({ heading, rows, isApart }) =>
    [`${heading}:`, ...rows.map((row) => rowText(row, isApart ? termWidth(rows) : width, columns))].join(
      '\n',
    ),
  );
  const head = titles.map((title) => wrapped(title, Math.max(narrowestMeaning, columns)).join('\n'));
  return `${[...head, ...parts].join('\n\n')}\n`;
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

/** Lines of at most `width` cells, of whole words. */
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
