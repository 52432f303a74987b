import type { Environment } from '../../config/folders.ts';
import { filesLine } from '../commands/completion-scripts.ts';
import { programWords, topics, verbsOf } from './command-path.ts';
import { findCommandStart } from './command-start.ts';
import {
  argumentsIn,
  type Candidate,
  type Candidates,
  completedFlag,
  completedWord,
  type Typed,
} from './completed-word.ts';
import { findSurface } from './find-surface.ts';
import { commonSections, versionFlag } from './help-text.ts';
import type { FlagSurface } from './surface.ts';

/**
 * Candidates for the last of `words` (without the program's name), one per line, with a description after a tab. Never
 * calls the service, and loads no command in the built program.
 */
export async function completionLines(
  words: readonly string[],
  { env }: { readonly env: Environment },
): Promise<readonly string[]> {
  const { behind, current, known } = joinedWords(words);
  const candidates = await candidatesFor(behind, current, env);
  if (candidates === 'files') return [filesLine];
  return candidates.flatMap(([word, help]) => {
    if (!word.startsWith(current)) return [];
    const completed = word.slice(known.length);
    return help === undefined ? completed : `${completed}\t${help}`;
  });
}

/**
 * Bash splits `--output=js` into three words and completes only the last one. Returns the words as typed, and `known`,
 * the part of the current word before the shell's own last word.
 */
function joinedWords(words: readonly string[]) {
  const joined: string[] = [];
  let known = '';
  for (const [index, word] of words.entries()) {
    const before = word === '=' || words[index - 1] === '=' ? (joined.pop() ?? '') : '';
    known = word === '=' ? before + word : before;
    joined.push(before + word);
  }
  return { behind: joined.slice(0, -1), current: joined.at(-1) ?? '', known };
}

async function candidatesFor(
  before: readonly string[],
  current: string,
  env: Environment,
): Promise<Candidates> {
  if (before[0] === 'help') return helpWords(before.slice(1));
  const start = await findCommandStart(before);
  if (start === undefined) return beforeCommand({ behind: before, current, env });
  const { index, path } = start;
  const behind = [...before.slice(0, index), ...before.slice(index + path.split(' ').length)];
  return completedWord(await findSurface(path), { behind, current, env });
}

/** The nouns, verbs, single commands and topics that may follow `help`. */
function helpWords([noun, verb]: readonly string[]): readonly Candidate[] {
  if (noun === undefined) return [...firstWords(), ...Object.entries(topics)];
  return verb === undefined ? verbsOf(noun) : [];
}

function firstWords(): readonly Candidate[] {
  return [...programWords(), ['help', 'show the help of a command']];
}

/** Candidates before a command: a word of the program, or a flag in front of it; after a noun, a verb. */
async function beforeCommand(typed: Typed): Promise<Candidates> {
  const { behind } = typed;
  const flags = await leadingFlags();
  const [noun, ...more] = argumentsIn(flags, behind);
  if (noun === undefined) return (await completedFlag(flags, typed)) ?? firstWords();
  return more.length === 0 ? verbsOf(noun) : [];
}

/** The flags that may precede any command, read from a command that has all of them. */
async function leadingFlags(): Promise<readonly FlagSurface[]> {
  const { flags } = await findSurface('products list');
  return [...flags.filter(({ section }) => commonSections.has(section)), versionFlag];
}
