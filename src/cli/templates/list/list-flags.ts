import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { kebabCase } from '../../../base/name-case.ts';
import type { Flag } from '../../flags/flags.ts';
import { hiddenFlags, integerValue, textFlag, valueFlag } from '../../flags/flags.ts';
import { stateFlags } from '../../flags/shared-flags.ts';
/** Whether a list can be asked for what changed, and by which time of its records. */
export type Changes =
  | {
      readonly kind: 'timed';
      readonly path: string;
      /**
       * Where the list can be sorted: an order that moves a changed record to the front, so that no record moves to a
       * page already read.
       */
      readonly order?: Readonly<Record<'sort' | 'direction', string>>;
    }
  | { readonly kind: 'unsupported'; readonly reason: string };
export type TimedChanges = Extract<Changes, { kind: 'timed' }>;

type TypedFlags = Readonly<Record<string, unknown>>;

const checkpointName = () =>
  z.string().regex(/^[\w-][\w.-]{0,63}$/, 'expected a name of letters, digits, -, _ and dots');

/** The flags of a list that ask for what changed, in place of the whole list. */
export type ChangeFlags = typeof stateFlags & {
  readonly sinceLast: Flag<string | undefined>;
};

/** `--since-last` of one list, and where the position is kept. */
export function changeFlags(changes: Changes): ChangeFlags {
  const isHidden = changes.kind === 'unsupported';
  const help = isHidden
    ? `not offered: ${changes.reason}`
    : 'only what changed since the last run of this name';
  return {
    // A list that keeps no position reads nothing of the state.
    ...(isHidden ? hiddenFlags(stateFlags) : stateFlags),
    sinceLast: { ...valueFlag(checkpointName, 'NAME', help), isHidden },
  };
}

/** The parameter that --since stands for: of the times of a list, when its reviews were written. */
export const sinceParameter = 'createdAtStart';
export const sinceFlag = textFlag('TIME', 'written since: 7d, or 2026-11-20');

/** Windows beyond that gain nothing and may be too much for a service. */
const lanesMaximum = 32;
export const parallelFlag = valueFlag(
  integerValue(1, lanesMaximum),
  'N',
  `read N time windows at once, in order (1 to ${lanesMaximum})`,
);

/** Flags with which a list leaves records out that would then never be printed, and why. */
const withoutChanges = {
  limit: 'would skip changes permanently',
  after: 'would skip changes permanently',
  updatedAtStart: 'is set by --since-last itself',
};

/** Flags with which a list cannot be read in windows of `createdAt`, and why. */
const withoutWindows = {
  after: 'starts at a position in the list, which windows do not have',
  sinceLast: 'reads by time of change, not in windows of createdAt',
};

/** @throws Failure('usage') for the first of these flags that was typed; `way` is how to leave one of the two out. */
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
 * How changes of a list are detected, where the flags ask for them; otherwise undefined.
 * @throws Failure('usage') where the list shows none, and for flags that do not go with it.
 */
export function askedChanges(changes: Changes, flags: TypedFlags): TimedChanges | undefined {
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
 * How many windows are read at once; undefined where the list is read from its beginning to its end.
 * @throws Failure('usage') beside flags with which there are no windows.
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
 * The flags with the start that `since` asks for.
 * @throws Failure('usage') beside a flag that says otherwise from when on.
 */
export function withStart<F extends TypedFlags>(flags: F): F {
  const { since } = flags;
  if (since === undefined) return flags;
  const clash = [sinceParameter, 'sinceLast'].find((name) => flags[name] !== undefined);
  if (clash === undefined) return { ...flags, [sinceParameter]: since };
  throw new Failure(
    'usage',
    `--since and --${kebabCase(clash)} both say from when on`,
    `leave out --since or --${kebabCase(clash)}`,
  );
}

/** The name of the flag by which a parameter of a list was typed. */
export function typedAs({ since }: TypedFlags): (name: string) => string {
  return (name) => (name === sinceParameter && since !== undefined ? 'since' : name);
}
