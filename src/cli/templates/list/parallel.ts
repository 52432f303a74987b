import { Failure } from '../../../base/failure.ts';
import { kebabCase } from '../../../base/name-case.ts';
import { integerValue, valueFlag } from '../../flags/flags.ts';

/** Windows beyond that gain nothing and may be too much for a service. */
const lanesMaximum = 32;

export const parallelFlag = valueFlag(integerValue(1, lanesMaximum).optional(), {
  value: 'N',
  help: `read N time windows at once, in order (1 to ${lanesMaximum})`,
});

/** Flags with which a list cannot be read in windows of `createdAt`, and why. */
const clashes = {
  after: 'starts at a position in the list, which windows do not have',
  sinceLast: 'reads by time of change, not in windows of createdAt',
} as const;

/**
 * How many windows are read at once; undefined where the list is read from its beginning to its end.
 * @throws Failure('usage') beside flags with which there are no windows.
 */
export function lanesOf(flags: Readonly<Record<string, unknown>>): number | undefined {
  const { parallel, sort } = flags;
  if (typeof parallel !== 'number' || parallel === 1) return undefined;
  for (const [name, reason] of Object.entries(clashes)) {
    if (flags[name] !== undefined) throw clash(name, reason);
  }
  if (sort !== undefined && sort !== 'CREATED_AT') throw clash('sort', 'sets an order other than createdAt');
  return parallel;
}

function clash(name: string, reason: string): Failure {
  const flag = `--${kebabCase(name)}`;
  return new Failure('usage', `${flag} ${reason}`, `remove ${flag} or --parallel`);
}
