import { Failure } from '../../../base/failure.ts';
import { locInWords } from '../../../contract/validation-error.ts';
import { textValue, valueFlag } from '../../flags/flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { type BodyField, bodyOfFlags, typedName } from './body-flags.ts';
import type { GivenBody } from './given-body.ts';
import { readBody } from './read-body.ts';

/** The flag for a whole body. */
export const bodyFlag = {
  ...valueFlag(textValue, '@FILE|-|JSON', 'the whole body as JSON: @FILE, - or inline'),
  group: 'Fields',
};

/**
 * The body from `--body`, or from the flags of its fields.
 * @throws Failure('usage') for both at once; as `readBody`.
 */
export async function bodyFromFlags(
  fields: readonly BodyField[],
  flags: Readonly<Record<string, unknown>>,
  invocation: Invocation,
): Promise<GivenBody> {
  const value = bodyOfFlags(fields, flags, invocation.context.streams.timeZone);
  const typed = fields.find(({ flag }) => flags[flag] !== undefined);
  const whole = flags['body'];
  if (typeof whole !== 'string') return { value, kind: 'usage', nameOf: (path) => flagAt(fields, path) };
  if (typed === undefined) return readBody(whole, invocation);
  throw new Failure(
    'usage',
    `--body is the whole body, so it cannot be combined with ${typedName(typed)}`,
    'pass the fields as flags, or all of them in --body',
  );
}

/** Names the flag of a path: `--items entry 1 status` for `['items', 0, 'status']`. */
function flagAt(fields: readonly BodyField[], path: Parameters<GivenBody['nameOf']>[0]): string {
  const named = fields.find((field) => field.path.split('.').every((name, at) => path[at] === name));
  if (named === undefined) return path.join('.');
  const rest = path.slice(named.path.split('.').length);
  return rest.length === 0 ? typedName(named) : `${typedName(named)} ${locInWords(['', ...rest]).trim()}`;
}
