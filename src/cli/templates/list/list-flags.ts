import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { kebabCase } from '../../../base/name-case.ts';
import type { Flag } from '../../flags/flags.ts';
import { hiddenFlags, integerValue, textFlag, valueFlag } from '../../flags/flags.ts';
import { stateFlags } from '../../flags/shared-flags.ts';
/** The detection of changes in a list: by a time of its records, or none. */
export type Changes =
  | {
      readonly kind: 'timed';
      readonly path: string;
      /**
       * Set if the list can be sorted: an order that moves a changed record to the front, so that no record moves to a
       * page already read.
       */
      readonly order?: Readonly<Record<'sort' | 'direction', string>>;
    }
  | { readonly kind: 'unsupported'; readonly reason: string };
export type TimedChanges = Extract<Changes, { kind: 'timed' }>;

type TypedFlags = Readonly<Record<string, unknown>>;

const checkpointName = () =>
  z.string().regex(/^[\w-][\w.-]{0,63}$/, 'expected a name of letters, digits, -, _ and dots');

/** The flags of a list that limit it to changes. */
export type ChangeFlags = typeof stateFlags & {
  readonly sinceLast: Flag<string | undefined>;
};

/** `--since-last` of one list, and the location of its checkpoint. */
export function changeFlags(changes: Changes): ChangeFlags {
  const isHidden = changes.kind === 'unsupported';
  const help = isHidden
    ? `not offered: ${changes.reason}`
    : 'only what changed since the last run of this name';
  return {
    // A list without checkpoints does not read the state.
    ...(isHidden ? hiddenFlags(stateFlags) : stateFlags),
    sinceLast: { ...valueFlag(checkpointName, 'NAME', help), isHidden },
  };
}

/** The parameter behind --since: when the reviews of a list were written. */
export const sinceParameter = 'createdAtStart';
export const sinceFlag = textFlag('TIME', 'written since: 7d, or 2026-11-20');

/** More windows gain nothing and may overload a service. */
const lanesMaximum = 32;
export const parallelFlag = valueFlag(
  integerValue(1, lanesMaximum),
  'N',
  `read N time windows at once, in order (1 to ${lanesMaximum})`,
);

/** Flags that omit records, which would then never be printed, with the reasons. */
const withoutChanges = {
  limit: 'would skip changes permanently',
  after: 'would skip changes permanently',
  updatedAtStart: 'is set by --since-last itself',
};

/** Flags that windows of `createdAt` do not support, with the reasons. */
const withoutWindows = {
  after: 'starts at a position in the list, which windows do not have',
  sinceLast: 'reads by time of change, not in windows of createdAt',
};

/** @throws Failure('usage') for the first of these flags that was typed; `way` says how to remove the conflict. */
function refuse(
  reasons: Readonly<Record<string, string>>,
  flags: TypedFlags,
  way: (flag: string) => string,
): void {
  for (const [name, reason] of Object.entries(reasons)) {
    const flag = `--${kebabCase(name)}`;
    if (flags[name] !== undefined) throw new Failure('usage', `${flag} ${reason}`, way(flag));
  }
}

/**
 * Returns the detection of changes if the flags request changes; otherwise undefined.
 * @throws Failure('usage') if the list cannot show changes, and for flags that conflict with them.
 */
export function requestedChanges(changes: Changes, flags: TypedFlags): TimedChanges | undefined {
  if (flags['sinceLast'] === undefined) return undefined;
  if (changes.kind === 'unsupported') {
    throw new Failure(
      'usage',
      `--since-last: ${changes.reason}`,
      'store two lists with -o ndjson and compare them',
    );
  }
  refuse(withoutChanges, flags, (flag) => `leave out ${flag} or --since-last`);
  for (const [name, value] of Object.entries(changes.order ?? {})) {
    if (flags[name] === undefined || flags[name] === value) continue;
    throw new Failure(
      'usage',
      `--${name}: in an order other than ${value}, a change while the list is read may hide another change`,
      `leave out --${name} or --since-last, which reads by ${value}`,
    );
  }
  return changes;
}

/**
 * Number of windows to read at once; undefined if the list is read in one piece.
 * @throws Failure('usage') for flags that windows do not support.
 */
export function lanesOf(flags: TypedFlags): number | undefined {
  const { parallel, sort } = flags;
  if (typeof parallel !== 'number' || parallel === 1) return undefined;
  const way = (flag: string) => `remove ${flag} or --parallel`;
  refuse(withoutWindows, flags, way);
  if (sort !== 'CREATED_AT') refuse({ sort: 'sets an order other than createdAt' }, flags, way);
  return parallel;
}

/**
 * The flags with the start that `since` sets.
 * @throws Failure('usage') if another flag sets a start as well.
 */
export function withStart<F extends TypedFlags>(flags: F): F {
  const { since } = flags;
  if (since === undefined) return flags;
  const clash = [sinceParameter, 'sinceLast'].find((name) => flags[name] !== undefined);
  if (clash === undefined) return { ...flags, [sinceParameter]: since };
  throw new Failure(
    'usage',
    `--since and --${kebabCase(clash)} both set the start`,
    `leave out --since or --${kebabCase(clash)}`,
  );
}

/** Returns the name of the flag that sets a parameter of a list. */
export function typedAs({ since }: TypedFlags): (name: string) => string {
  return (name) => (name === sinceParameter && since !== undefined ? 'since' : name);
}
