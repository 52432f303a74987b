import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { kebabCase } from '../../../base/name-case.ts';
import { type Flag, valueFlag } from '../../flags/flags.ts';
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
      /** Which records are printed: `reviews written or changed`. */
      readonly records: string;
      /** What these leave out. */
      readonly gap?: string;
    }
  | { readonly kind: 'unsupported'; readonly reason: string };

export type TimedChanges = Extract<Changes, { kind: 'timed' }>;

const checkpointName = z
  .string()
  .regex(/^[\w-][\w.-]{0,63}$/, 'expected a name of letters, digits, -, _ and dots')
  .optional();

/** The flags of a list that ask for what changed, in place of the whole list. */
export type ChangeFlags = typeof stateFlags & {
  readonly sinceLast: Flag<string | undefined>;
};

/** A list that keeps no position reads nothing of the state. */
const hiddenState = {
  state: { ...stateFlags.state, isHidden: true },
  statePasswordFile: { ...stateFlags.statePasswordFile, isHidden: true },
  shop: { ...stateFlags.shop, isHidden: true },
};

/** `--since-last` of one list, and where the position is kept. */
export function changeFlags(changes: Changes): ChangeFlags {
  const isHidden = changes.kind === 'unsupported';
  return {
    ...(isHidden ? hiddenState : stateFlags),
    sinceLast: { ...valueFlag(checkpointName, { value: 'NAME', help: helpOf(changes) }), isHidden },
  };
}

function helpOf(changes: Changes): string {
  return changes.kind === 'unsupported'
    ? `not offered: ${changes.reason}`
    : 'only what changed since the last run of this name';
}

/** Flags with which a list leaves records out that would then never be printed, and why. */
const clashes = {
  limit: 'would skip changes permanently',
  after: 'would skip changes permanently',
  updatedAtStart: 'is set by --since-last itself',
} as const;

/**
 * How changes of a list are detected, where the flags ask for them; otherwise undefined.
 * @throws Failure('usage') where the list shows none, and for flags that do not go with it.
 */
export function askedChanges(
  changes: Changes,
  flags: Readonly<Record<string, unknown>>,
): TimedChanges | undefined {
  if (flags['sinceLast'] === undefined) return undefined;
  if (changes.kind === 'unsupported') {
    throw new Failure(
      'usage',
      `--since-last: ${changes.reason}`,
      'store two lists with -o ndjson and compare them',
    );
  }
  for (const [name, why] of Object.entries(clashes)) {
    if (flags[name] === undefined) continue;
    const flag = `--${kebabCase(name)}`;
    throw new Failure('usage', `${flag} ${why}`, `leave out ${flag} or --since-last`);
  }
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
