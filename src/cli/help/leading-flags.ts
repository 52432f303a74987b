import { kebabCase } from '../../config/setting-sources.ts';
import { commands } from '../commands/commands.ts';
import { noticeFlags } from '../flags/shared-flags.ts';
import { commandPath } from './command-path.ts';

/** `--profile mall products list` as `products list --profile mall`. Any other command line stays as it is. */
export async function withLeadingFlagsBehind(argv: readonly string[]): Promise<readonly string[]> {
  if (!argv[0]?.startsWith('-')) return argv;
  for (const index of argv.keys()) {
    const path = commandPath(argv.slice(index));
    if (path === undefined || (await takesNextWord(argv[index - 1] ?? '', path))) continue;
    const start = index + path.split(' ').length;
    return [...argv.slice(index, start), ...argv.slice(0, index), ...argv.slice(start)];
  }
  return argv;
}

/** Whether `word` is a flag of the command whose value is the next word. */
async function takesNextWord(word: string, path: string): Promise<boolean> {
  if (!word.startsWith('-')) return false;
  const definition = await commands[path]?.load();
  return Object.entries({ ...definition?.flags, ...noticeFlags }).some(
    ([name, { short, value, bare }]) =>
      value !== undefined && bare === undefined && (word === `--${kebabCase(name)}` || word === `-${short}`),
  );
}
