import { kebabCase } from '../../base/name-case.ts';
import { commands } from '../commands/commands.ts';
import { commonFlags } from '../flags/shared-flags.ts';
import { findCommandStart } from './command-start.ts';

/** `--profile mall products list` as `products list --profile mall`. Any other command line stays as it is. */
export async function withLeadingFlagsBehind(argv: readonly string[]): Promise<readonly string[]> {
  const start = await findCommandStart(argv, takesNextWord);
  if (start === undefined) return argv;
  const { index, path } = start;
  const end = index + path.split(' ').length;
  return [...argv.slice(index, end), ...argv.slice(0, index), ...argv.slice(end)];
}

async function takesNextWord(word: string, path: string): Promise<boolean> {
  const definition = await commands[path]?.load();
  return Object.entries({ ...definition?.flags, ...commonFlags }).some(
    ([name, { short, value, bare }]) =>
      value !== undefined && bare === undefined && (word === `--${kebabCase(name)}` || word === `-${short}`),
  );
}
