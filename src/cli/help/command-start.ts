import { commandPath } from './command-path.ts';
import { takesNextWord } from './completed-word.ts';
import { findSurface } from './find-surface.ts';

/** Where a command is called in a command line, and by which words. */
interface CommandStart {
  readonly index: number;
  readonly path: string;
}

/** Finds the command that is called behind flags: in `--profile mall products list` the third word begins it. */
export async function findCommandStart(words: readonly string[]): Promise<CommandStart | undefined> {
  for (const index of words.keys()) {
    const path = commandPath(words.slice(index));
    if (path === undefined) continue;
    const before = words[index - 1] ?? '';
    const takesIt = before.startsWith('-') && takesNextWord((await findSurface(path)).flags, before);
    if (!takesIt) return { index, path };
  }
  return undefined;
}

/** `--profile mall products list` as `products list --profile mall`. Any other command line stays as it is. */
export async function withLeadingFlagsBehind(argv: readonly string[]): Promise<readonly string[]> {
  const start = await findCommandStart(argv);
  if (start === undefined) return argv;
  const { index, path } = start;
  const end = index + path.split(' ').length;
  return [...argv.slice(index, end), ...argv.slice(0, index), ...argv.slice(end)];
}
