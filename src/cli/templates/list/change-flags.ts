import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { kebabCase, type SettingSources } from '../../../config/setting-sources.ts';
import { isUsefulInPart, type OutputFormat } from '../../../output/formats/formats.ts';
import { durationValue, type Flag, switchFlag, valueFlag } from '../../flags/flags.ts';
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

const intervalValue = durationValue.refine((ms) => ms >= 1_000, 'expected 1s or more').default(30_000);

/** The flags of a list that ask for what changed, in place of the whole list. */
export type ChangeFlags = typeof stateFlags & {
  readonly sinceLast: Flag<string | undefined>;
  readonly follow: Flag<boolean>;
  readonly interval: Flag<number>;
};

/** A list that keeps no position reads nothing of the state. */
const hiddenState = {
  state: { ...stateFlags.state, isHidden: true },
  statePasswordFile: { ...stateFlags.statePasswordFile, isHidden: true },
  shop: { ...stateFlags.shop, isHidden: true },
};

/** `--since-last` and `--follow` of one list, and where the position is kept. */
export function changeFlags(changes: Changes): ChangeFlags {
  const isHidden = changes.kind === 'unsupported';
  const { sinceLast, follow, interval } = helpOf(changes);
  return {
    ...(isHidden ? hiddenState : stateFlags),
    sinceLast: { ...valueFlag(checkpointName, { value: 'NAME', help: sinceLast }), isHidden },
    // A setting would keep lists running that scripts expect to end.
    follow: { ...switchFlag({ help: follow }), isHidden, isContent: true },
    interval: { ...valueFlag(intervalValue, { value: 'DURATION', help: interval }), isHidden },
  };
}

function helpOf(changes: Changes): Readonly<Record<'sinceLast' | 'follow' | 'interval', string>> {
  if (changes.kind === 'unsupported') {
    const help = `not offered: ${changes.reason}`;
    return { sinceLast: help, follow: help, interval: help };
  }
  const { records, gap } = changes;
  const exception = gap === undefined ? '' : `; ${gap}`;
  return {
    sinceLast: `only ${records} since the last run of this name${exception}`,
    follow:
      `keep running and print ${records} from now on${exception}; with --since or --since-last, first print what ` +
      'they select',
    interval: 'with --follow: pause before the list is read again (default 30s)',
  };
}

/** Flags with which a list leaves records out that would then never be printed, and why. */
const clashes = {
  limit: 'would skip changes permanently',
  after: 'would skip changes permanently',
  updatedAtStart: 'is set by FLAG itself',
} as const;

/** What --follow adds to them: the end of a time is no part of a list without end. */
const followClashes = { ...clashes, updatedAtEnd: 'would leave out what changes later' } as const;

/**
 * How changes of a list are detected, where the flags ask for them; otherwise undefined.
 * @throws Failure('usage') where the list shows none, and for flags that do not go with it.
 */
export function askedChanges(
  changes: Changes,
  flags: Readonly<Record<string, unknown>> & { readonly output: OutputFormat | undefined },
  sources: SettingSources,
): TimedChanges | undefined {
  const isFollowed = flags['follow'] === true;
  if (!isFollowed && Object.hasOwn(sources.flags, 'interval')) {
    throw new Failure('usage', '--interval has no effect without --follow', 'add --follow');
  }
  if (!isFollowed && flags['sinceLast'] === undefined) return undefined;
  const timed = timedChanges(changes, flags, isFollowed ? '--follow' : '--since-last');
  if (isFollowed) checkFormat(flags.output);
  return timed;
}

function checkFormat(format: OutputFormat | undefined): void {
  if (format === undefined || format === 'table' || isUsefulInPart[format]) return;
  throw new Failure(
    'usage',
    `--follow prints records as they come, which -o ${format} does not`,
    'choose -o ndjson, csv, ids or table',
  );
}

function timedChanges(
  changes: Changes,
  flags: Readonly<Record<string, unknown>>,
  asking: string,
): TimedChanges {
  if (changes.kind === 'unsupported') {
    throw new Failure(
      'usage',
      `${asking}: ${changes.reason}`,
      'store two lists with -o ndjson and compare them',
    );
  }
  const refused = (name: string, why: string) =>
    new Failure('usage', `--${kebabCase(name)} ${why}`, `leave out --${kebabCase(name)} or ${asking}`);
  const unfit = asking === '--follow' ? followClashes : clashes;
  for (const [name, why] of Object.entries(unfit)) {
    if (flags[name] !== undefined) throw refused(name, why.replace('FLAG', asking));
  }
  for (const [name, value] of Object.entries(changes.order ?? {})) {
    if (flags[name] === undefined || flags[name] === value) continue;
    throw new Failure(
      'usage',
      `--${name}: in an order other than ${value}, a change while the list is read may hide another change`,
      `leave out --${name} or ${asking}, which reads by ${value}`,
    );
  }
  return changes;
}
