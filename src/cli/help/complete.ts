import type { Environment } from '../../config/folders.ts';
import { commands, nouns } from '../commands/commands.ts';
import { filesLine } from '../commands/completion-scripts.ts';
import { commandPath } from './command-path.ts';
import { type Candidate, type Candidates, completedWord } from './completed-word.ts';
import { findCommandSurface } from './find-surface.ts';

/**
 * Candidates for the last of `words` (without the program's name), one per line, with a description after a tab. Never
 * calls the service, and loads no command in the built program.
 */
export async function completionLines(
  words: readonly string[],
  { env }: { readonly env: Environment },
): Promise<readonly string[]> {
  const current = words.at(-1) ?? '';
  const candidates = await candidatesFor(words.slice(0, -1), current, env);
  if (candidates === 'files') return [filesLine];
  // Bash takes `--output=js` for three words, of which the last alone is completed.
  const start = current === '=' ? '' : current;
  return candidates.flatMap(({ word, help }) => {
    if (!word.startsWith(start)) return [];
    return help === undefined ? word : `${word}\t${help}`;
  });
}

async function candidatesFor(
  before: readonly string[],
  current: string,
  env: Environment,
): Promise<Candidates> {
  const isHelp = before[0] === 'help';
  const words = isHelp ? before.slice(1) : before;
  const called = commandPath(words);
  if (called !== undefined && !isHelp) {
    const behind = before.slice(called.split(' ').length);
    return completedWord(await findCommandSurface(called), { behind, current, env });
  }
  if (words.length === 0) return current.startsWith('-') ? programFlags : programWords();
  return called === undefined && words.length === 1 ? verbsOf(words[0] ?? '') : [];
}

const programFlags: readonly Candidate[] = [{ word: '--help' }, { word: '--version' }];

function programWords(): readonly Candidate[] {
  const singles = Object.entries(commands).filter(([words]) => !words.includes(' '));
  return [
    ...Object.entries(nouns).map(([word, help]) => ({ word, help })),
    ...singles.map(([word, { summary }]) => ({ word, help: summary })),
    { word: 'help', help: 'show the help of a command' },
  ];
}

function verbsOf(noun: string): readonly Candidate[] {
  return Object.entries(commands).flatMap(([words, { summary }]) =>
    words.startsWith(`${noun} `) ? [{ word: words.slice(noun.length + 1), help: summary }] : [],
  );
}
