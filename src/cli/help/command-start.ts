import { commandPath } from './command-path.ts';
import { takesNextWord } from './completed-word.ts';
import { findSurface } from './find-surface.ts';

/** The position and words of a command in a command line. */
interface CommandStart {
  readonly index: number;
  readonly path: string;
}

/** Finds the command behind leading flags: in `--profile mall products list` the third word begins it. */
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

/** Converts `--profile mall products list` to `products list --profile mall`. Any other command line is unchanged. */
export async function withLeadingFlagsBehind(argv: readonly string[]): Promise<readonly string[]> {
  const start = await findCommandStart(argv);
  if (start === undefined) return argv;
  const { index, path } = start;
  const end = index + path.split(' ').length;
  return [...argv.slice(index, end), ...argv.slice(0, index), ...argv.slice(end)];
}
