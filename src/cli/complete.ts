import type { Environment } from '../config/folders.ts';
import { calledCommand } from './called-words.ts';
import { commands, nouns } from './commands.ts';
import { filesLine } from './completion-scripts.ts';
import { findCommandSurface } from './find-surface.ts';
import type { CommandSurface, FlagSurface } from './surface.ts';

/** What a word may become, and what that means. */
interface Candidate {
  readonly word: string;
  readonly help?: string;
}

/** The words typed so far, and the one that is to be completed. */
interface Typed {
  readonly before: readonly string[];
  readonly current: string;
  readonly env: Environment;
}

const files: readonly Candidate[] = [{ word: filesLine }];

/**
 * Candidates for the last of `words` (without the program's name), one a line with what each means behind a tab. Never calls the
 * service, and loads no command where the program is built.
 */
export async function completionLines(
  words: readonly string[],
  { env }: { readonly env: Environment },
): Promise<readonly string[]> {
  const typed = { before: words.slice(0, -1), current: words.at(-1) ?? '', env };
  const fitting = (await candidatesFor(typed)).filter(
    ({ word }) => word === filesLine || word.startsWith(prefixOf(typed)),
  );
  return fitting.map(({ word, help }) => (help === undefined ? word : `${word}\t${help}`));
}

/** Bash takes `--output=js` for three words, of which the last alone is completed. */
function prefixOf({ current }: Typed): string {
  return current === '=' ? '' : current;
}

async function candidatesFor(typed: Typed): Promise<readonly Candidate[]> {
  const { before, current } = typed;
  const words = before[0] === 'help' ? before.slice(1) : before;
  const called = calledCommand(words);
  if (called !== undefined) {
    return before[0] === 'help'
      ? []
      : candidatesOf(await findCommandSurface(called), typed, called.split(' ').length);
  }
  if (words.length === 0) return current.startsWith('-') ? programFlags : programWords();
  return words.length === 1 ? verbsOf(words[0] ?? '') : [];
}

const programFlags: readonly Candidate[] = [{ word: '--help' }, { word: '--version' }];

function programWords(): readonly Candidate[] {
  const singles = Object.entries(commands).filter(([words]) => !words.includes(' '));
  return [
    ...Object.entries(nouns).map(([word, help]) => ({ word, help })),
    ...singles.map(([word, { summary }]) => ({ word, help: summary })),
    { word: 'help', help: 'show what a command takes' },
  ];
}

function verbsOf(noun: string): readonly Candidate[] {
  return Object.entries(commands).flatMap(([words, { summary }]) =>
    words.startsWith(`${noun} `) ? [{ word: words.slice(noun.length + 1), help: summary }] : [],
  );
}

/** Candidates behind the `count` words that call a command. */
async function candidatesOf(
  surface: CommandSurface,
  typed: Typed,
  count: number,
): Promise<readonly Candidate[]> {
  const { before, current } = typed;
  const behind = before.slice(count);
  const [flagWord = '', value] = valueBeingTyped(behind, current);
  const flag = surface.flags.find((one) => `--${one.name}` === flagWord || `-${one.short}` === flagWord);
  if (flag?.value !== undefined && value !== undefined) {
    const prefix = current.startsWith('-') ? `${flagWord}=` : '';
    return inList(await valuesOf(flag, typed), flag, value).map((one) =>
      one.word === filesLine ? one : { ...one, word: prefix + one.word },
    );
  }
  if (current.startsWith('-')) return flagsOf(surface);
  const place = positionals(behind, surface.flags);
  const argument = surface.arguments[place] ?? surface.arguments.findLast(({ term }) => term.includes('...'));
  if (argument === undefined) return flagsOf(surface);
  if (argument.choices !== undefined) return argument.choices.map((word) => ({ word }));
  return dynamicValues(argument.term.replaceAll(/[<>[\].]/g, ''), surface.words, typed);
}

/** The flag whose value is being typed, and what there is of the value: `--output js`, `--output=js`, or bash's three words. */
function valueBeingTyped(
  behind: readonly string[],
  current: string,
): readonly [] | readonly [string, string] {
  const joined = /^(--[^=]+)=(.*)$/s.exec(current);
  if (joined !== null) return [joined[1] ?? '', joined[2] ?? ''];
  if (current === '=') return [behind.at(-1) ?? '', ''];
  if (behind.at(-1) === '=') return [behind.at(-2) ?? '', current];
  return current.startsWith('-') ? [] : [behind.at(-1) ?? '', current];
}

/** Of a list the last value alone is completed. */
function inList(
  candidates: readonly Candidate[],
  { isRepeatable }: FlagSurface,
  value: string,
): readonly Candidate[] {
  const start = isRepeatable ? value.slice(0, value.lastIndexOf(',') + 1) : '';
  return candidates.map((one) => (one.word === filesLine ? one : { ...one, word: start + one.word }));
}

function flagsOf({ flags }: CommandSurface): readonly Candidate[] {
  return [
    ...flags.map(({ name, help }) => ({ word: `--${name}`, help })),
    { word: '--help', help: 'show this help' },
  ];
}

async function valuesOf(flag: FlagSurface, typed: Typed): Promise<readonly Candidate[]> {
  if (flag.choices !== undefined) return flag.choices.map((word) => ({ word }));
  if (flag.name === 'profile') return profiles(typed);
  return /FILE|PATH/.test(flag.value ?? '') ? files : [];
}

/** How many arguments stand among the words behind a command. */
function positionals(behind: readonly string[], flags: readonly FlagSurface[]): number {
  const takers = flags.filter(({ value, bare }) => value !== undefined && bare === undefined);
  const takesValue = new Set(takers.flatMap(({ name, short }) => [`--${name}`, `-${short}`]));
  const isValue = (index: number) => {
    const before = behind[index - 1] ?? '';
    return before === '=' || behind[index] === '=' || takesValue.has(before);
  };
  return behind.filter((word, index) => !(word.startsWith('-') && word !== '-') && !isValue(index)).length;
}

async function dynamicValues(argument: string, words: string, typed: Typed): Promise<readonly Candidate[]> {
  if (argument === 'file') return files;
  if (argument === 'run') return runs(typed);
  return words.startsWith('profile ') ? profiles(typed) : [];
}

async function profiles({ env }: Typed): Promise<readonly Candidate[]> {
  const [{ findFolders }, { readConfig }] = await Promise.all([
    import('../config/folders.ts'),
    import('../config/profiles.ts'),
  ]);
  return Object.keys(readConfig(findFolders(env)).profiles).map((word) => ({ word }));
}

async function runs({ before, env }: Typed): Promise<readonly Candidate[]> {
  const { runNames } = await import('./runs/run-names.ts');
  const named = (flag: string) => before[before.lastIndexOf(flag) + 1];
  return runNames({
    env,
    profile: before.includes('--profile') ? named('--profile') : undefined,
    baseUrl: before.includes('--base-url') ? named('--base-url') : undefined,
  });
}
