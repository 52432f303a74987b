import { exitCodes } from '../../base/failure.ts';
import type { ArgumentText } from '../runtime/command.ts';
import { builtSurface } from './built-surface.ts';
import type { CommandSurface, FlagSurface, GroupSurface, HelpRow, Surface } from './surface.ts';

export interface Section {
  readonly heading: string;
  readonly rows: readonly HelpRow[];
  /** Whether its meanings are aligned separately from those of other sections. */
  readonly isApart?: boolean;
  /** Whether its rows form one paragraph that follows the heading. */
  readonly isText?: true;
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

/** The sections that topics show instead. */
const sectionsOfTopics: ReadonlySet<string> = new Set(['Settings', 'Environment', 'Exit codes']);

/** The sections of flags that are the same everywhere, which one line names. */
const commonSections: ReadonlySet<string> = new Set(['Common', 'Output', 'Questions']);

/** The help of a surface, in lines that fit `columns` cells: what is its own, and where the rest stands. */
export function helpText(surface: Surface, columns: number): string {
  const { words, summary } = surface;
  const isGroup = surface.kind === 'group';
  const called = words === '' ? 'reviewctl' : `reviewctl ${words}`;
  const terms = isGroup ? ' <command>' : surface.arguments.map(({ term }) => ` ${term}`).join('');
  const titles = [`Usage: ${called}${terms} [flags]`, sentence(summary)];
  const own = helpSections(surface).filter(
    ({ heading }) => !(commonSections.has(heading) || sectionsOfTopics.has(heading)),
  );
  const [examples, others] = [own.filter(isExamples), own.filter((section) => !isExamples(section))];
  return rendered(titles, isGroup ? own : [...others, commonSection(surface), ...examples], columns);
}

/** A summary as the sentence below a title. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

function isExamples({ heading }: Section): boolean {
  return heading === 'Examples';
}

/** The flags that are the same everywhere, as they are typed. */
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

function commonSection({ flags }: CommandSurface): Section {
  const common = flags.filter((flag) => commonSections.has(sectionOf(flag)));
  const terms = common.map(({ name }) => commonTerms[name] ?? `--${name}`);
  const topics = 'see reviewctl help settings|output|exit-codes|environment';
  return { heading: 'Common', isText: true, rows: [[`${[...terms, '-h'].join(', ')}; ${topics}`, '']] };
}

/** What the help of a surface says below its titles, without empty sections. */
export function helpSections(surface: Surface, rowOf = flagRow): readonly Section[] {
  const { examples, variables, exitCodes: codes } = surface;
  const isGroup = surface.kind === 'group';
  const sections: readonly Section[] = [
    ...(isGroup ? groupSections(surface) : commandSections(surface, rowOf)),
    { heading: 'Examples', isLast: true, rows: examples.map((example): HelpRow => [`$ ${example}`, '']) },
    ...(isGroup || surface.settings.length === 0
      ? []
      : [{ heading: 'Settings', isLast: true as const, rows: [settingsRow(surface)] }]),
    {
      heading: 'Environment',
      isLast: true,
      rows: [...variables, flagVariable],
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

function groupSections({ commands, options }: GroupSurface): readonly Section[] {
  return [
    { heading: 'Commands', rows: commands },
    { heading: ownSection, isOfFlags: true, rows: [...options, helpRow] },
  ];
}

function commandSections(surface: CommandSurface, rowOf: typeof flagRow): readonly Section[] {
  const headings = [...new Set(surface.flags.map(sectionOf))];
  const rowsOf = (heading: string) => surface.flags.filter((flag) => sectionOf(flag) === heading).map(rowOf);
  return [
    { heading: 'Arguments', rows: surface.arguments.map(argumentRow) },
    ...headings.map((heading) => ({
      heading,
      isOfFlags: true as const,
      rows: heading === 'Common' ? [...rowsOf(heading), helpRow] : rowsOf(heading),
    })),
  ];
}

/** The settings that the command reads. */
function settingsRow({ settings }: CommandSurface): HelpRow {
  return ['-c NAME=VALUE', `${settings.join(', ')}; reviewctl help settings says what they mean`];
}

/** A flag as it is typed, and what it means. */
export function flagRow(flag: FlagSurface): HelpRow {
  return [flagTerm(flag), flag.help];
}

function argumentRow({ term, help }: ArgumentText): HelpRow {
  return [term.replaceAll(/[<>[\]]/g, ''), help];
}

/** `-o, --output <FORMAT>`, or `--wait[=DURATION]` for a value that may be left out. */
function flagTerm({ name, short, value, bare }: FlagSurface): string {
  const typed = `${short === undefined ? '' : `-${short}, `}--${name}`;
  if (value === undefined) return typed;
  return bare === undefined ? `${typed} <${value}>` : `${typed}[${value}]`;
}

export const flagVariable: HelpRow = [
  'REVIEWCTL_<NAME>',
  'any setting, such as REVIEWCTL_BASE_URL for base-url; flags and -c take precedence',
];

/** Titles and sections as text, with aligned meanings except in separate sections. */
export function rendered(titles: readonly string[], sections: readonly Section[], columns: number): string {
  const width = termWidth(sections.flatMap(({ rows, isApart, isText }) => (isApart || isText ? [] : rows)));
  const lines = (text: string) => wrapped(text, Math.max(narrowestMeaning, columns)).join('\n');
  const parts = sections.map(({ heading, rows, isApart, isText }) => {
    if (isText) return lines(`${heading}: ${rows.flat().join(' ').trim()}`);
    const widthHere = isApart ? termWidth(rows) : width;
    return [`${heading}:`, ...rows.map((row) => rowText(row, widthHere, columns))].join('\n');
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
