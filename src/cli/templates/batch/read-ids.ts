import type { Invocation } from '../../runtime/command.ts';
import { standardInput } from '../../runtime/standard-input.ts';

/** The ids of the arguments; `-` reads those on standard input by `readIdFile`. */
export async function readIds(
  args: readonly string[],
  field: string,
  invocation: Invocation,
): Promise<readonly string[]> {
  const ids = args.filter((arg) => arg !== '-');
  if (!args.includes('-')) return ids;
  const { stopping } = invocation.context;
  const { readIdFile } = await import('./read-id-file.ts');
  const stdin = standardInput(invocation, 'the ids');
  return [...ids, ...(await readIdFile('-', [field], { stdin, stopping }))];
}
