import { commands, nouns, secondNames } from '../commands/commands.ts';
import type { HelpRow } from './surface.ts';

/** The words of the command that `argv` calls; undefined if it calls none. */
export function commandPath([noun = '', verb = '']: readonly string[]): string | undefined {
  const words = `${noun} ${verb}`;
  return [secondNames.get(words) ?? words, noun].find((name) => Object.hasOwn(commands, name));
}

/** Replaces a command's second name by its first one. */
export function withFirstName(argv: readonly string[]): readonly string[] {
  const first = secondNames.get(argv.slice(0, 2).join(' '));
  return first === undefined ? argv : [...first.split(' '), ...argv.slice(2)];
}

/** The subject of the requested help: a command, else a noun, else '', the whole program. */
export function helpSubject(argv: readonly string[]): string {
  const [noun = ''] = argv;
  return commandPath(argv) ?? (Object.hasOwn(nouns, noun) ? noun : '');
}

/** Converts `help orders push` and `orders help push` to `orders push --help`. */
export function asHelpFlag(argv: readonly string[]): readonly string[] {
  const at = argv.slice(0, 2).indexOf('help');
  const isOfGroup = at === 0 || (at === 1 && Object.hasOwn(nouns, argv[0] ?? ''));
  return isOfGroup ? withFirstName([...argv.toSpliced(at, 1), '--help']) : argv;
}

/** The words that may begin a command line: nouns, then commands without a noun. */
export function programWords(): readonly HelpRow[] {
  const singles = Object.entries(commands).filter(([words]) => !words.includes(' '));
  return [...Object.entries(nouns), ...singles.map(([word, { summary }]): HelpRow => [word, summary])];
}

export function verbsOf(noun: string): readonly HelpRow[] {
  const ofNoun = Object.entries(commands).filter(([words]) => words.startsWith(`${noun} `));
  return ofNoun.map(([words, { summary }]) => [words.slice(noun.length + 1), summary]);
}

/** The help topics that concern all commands. */
export const topics = {
  settings:
    'all settings: for a call with -c NAME=VALUE, for a shell in REVIEWCTL_NAME, for a profile with config set',
  'exit-codes': 'what each exit code means',
  environment: 'the variables that every command reads',
  output: 'the formats of output, and the flags that choose them',
} as const;

export type Topic = keyof typeof topics;

export function isTopic(word: string | undefined): word is Topic {
  return word !== undefined && Object.hasOwn(topics, word);
}
