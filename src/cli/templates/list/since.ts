import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { kebabCase } from '../../../base/name-case.ts';
import { valueFlag } from '../../flags/flags.ts';

/** The parameter that --since stands for: of the times of a list, when its reviews were written. */
export const sinceParameter = 'createdAtStart';

export const sinceFlag = valueFlag(z.string().min(1).optional(), {
  value: 'TIME',
  help: 'written since: 7d, or 2026-11-20',
});

/** Flags that say from when on, too. */
const clashes = [sinceParameter, 'sinceLast'] as const;

/**
 * The flags with the start that `since` asks for.
 * @throws Failure('usage') beside a flag that says otherwise from when on.
 */
export function withStart<F extends Readonly<Record<string, unknown>>>(flags: F): F {
  const { since } = flags;
  if (since === undefined) return flags;
  const clash = clashes.find((name) => flags[name] !== undefined);
  if (clash === undefined) return { ...flags, [sinceParameter]: since };
  throw new Failure(
    'usage',
    `--since and --${kebabCase(clash)} both say from when on`,
    `leave out --since or --${kebabCase(clash)}`,
  );
}

/** The name of the flag by which a parameter of a list was typed. */
export function typedAs({ since }: Readonly<Record<string, unknown>>): (name: string) => string {
  return (name) => (name === sinceParameter && since !== undefined ? 'since' : name);
}
