import type { Invocation } from '../../runtime/command.ts';
import { standardInput } from '../../runtime/standard-input.ts';
import { originIdIn } from '../record/path-arguments.ts';

/**
 * The ids of the arguments; `-` reads those on standard input with `readIdFile`. Reviews and rewards have no originId.
 * @throws Failure('usage') for `origin:ID` instead of the service's id; as `readIdFile`.
 */
export async function readIds(
  args: readonly string[],
  field: string,
  invocation: Invocation,
): Promise<readonly string[]> {
  const ids = args.filter((arg) => arg !== '-');
  if (args.includes('-')) ids.push(...(await idsOnInput(field, invocation)));
  const parameter = invocation.sources.noun === 'reviews' ? 'reviewId' : 'rewardId';
  if (field !== 'originId') for (const id of ids) originIdIn(parameter, id);
  return ids;
}

async function idsOnInput(field: string, invocation: Invocation): Promise<readonly string[]> {
  const { stopping } = invocation.context;
  const { readIdFile } = await import('./read-id-file.ts');
  const stdin = standardInput(invocation, 'the ids');
  return readIdFile('-', [field], { stdin, stopping });
}
