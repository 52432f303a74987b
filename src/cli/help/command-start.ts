import { commandPath } from './command-path.ts';

/** Where a command is called in a command line, and by which words. */
export interface CommandStart {
  readonly index: number;
  readonly path: string;
}

/**
 * Finds the command that is called behind flags: in `--profile mall products list` the third word begins it.
 * `takesNextWord` says whether a word is a flag of that command whose value is the next word.
 */
export async function findCommandStart(
  words: readonly string[],
  takesNextWord: (word: string, path: string) => Promise<boolean>,
): Promise<CommandStart | undefined> {
  for (const index of words.keys()) {
    const path = commandPath(words.slice(index));
    if (path === undefined) continue;
    const before = words[index - 1] ?? '';
    if (!before.startsWith('-') || !(await takesNextWord(before, path))) return { index, path };
  }
  return undefined;
}
