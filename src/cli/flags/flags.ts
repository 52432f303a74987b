import { type Command, Option } from 'commander';
import * as z from 'zod';
import { longestTimerMs, parseDuration } from '../../base/duration.ts';
import { Failure } from '../../base/failure.ts';
import { kebabCase } from '../../base/name-case.ts';
import { nearestWord } from '../../base/nearest-name.ts';
import { sentenceList } from '../../base/sentence-list.ts';
import {
  environmentName,
  type FoundSetting,
  findSetting,
  findVariable,
  type SettingSources,
} from '../../config/setting-sources.ts';
import { choicesOf } from './flag-choices.ts';

/**
 * One flag, defined once: parser, help text, environment variable and setting derive from it. Its name is its key in
 * the set of flags, in camel case.
 */
export interface Flag<T> {
  readonly help: string;
  /** The placeholder of the value in the help; undefined for a switch. */
  readonly value: string | undefined;
  readonly short?: string | undefined;
  readonly isRepeatable: boolean;
  /**
   * The value of a flag typed without one. A typed value must then follow `=`, so that a file name is never read as
   * one.
   */
  readonly bare?: string;
  /** Its heading in the help. */
  readonly group?: string;
  /** The sources of its value; if omitted, it is typed with each call. */
  readonly scope?: FlagScope;
  /** Settings that are read together under this name, as `name=value`. The flag then has no value of its own. */
  readonly parts?: FlagSet;
  /** True if the flag is accepted only to be refused with a reason; no help shows it. */
  readonly isHidden?: boolean;
  /** The default value. */
  readonly fallback: T;
  readonly schema: Value<T>;
}

/**
 * The schema of a value: text, true, or a list of texts. It is built only for a flag that is set, because building all
 * schemas would take longer than most calls.
 */
export type Value<T> = () => z.ZodType<T>;

/**
 * `setting`: describes this machine, shop and service; no flag of this name is typed. `both`: typed or set.
 * `environment`: typed, or in the environment.
 */
type FlagScope = 'setting' | 'both' | 'environment';

/** True if settings can hold the value. */
export function isSetting({ scope }: Flag<unknown>): boolean {
  return scope === 'setting' || scope === 'both';
}

export type FlagSet = Readonly<Record<string, Flag<unknown>>>;
export type FlagValues<F extends FlagSet> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer T> ? T : never;
};

/** A flag with one value and no default; the help shows `value` as its placeholder. */
export function valueFlag<T>(
  schema: Value<T>,
  value: string,
  help: string,
  short?: string,
): Flag<T | undefined> {
  return defaultFlag<T | undefined>(schema, undefined, value, help, short);
}

/** A flag with one value; its default is `fallback`. */
export function defaultFlag<T>(
  schema: Value<T>,
  fallback: NoInfer<T>,
  value: string,
  help: string,
  short?: string,
): Flag<T> {
  return { help, value, short, isRepeatable: false, fallback, schema };
}

export const textValue: Value<string> = () => z.string();

/** A flag that accepts any text except an empty one. */
export function textFlag(value: string, help: string): Flag<string | undefined> {
  return valueFlag(() => z.string().min(1), value, help);
}

/** Text, or a number in a settings file. */
export const textOrNumber = () => z.union([z.string(), z.number().transform(String)]);

const switchValue = () =>
  z.union(
    [z.boolean(), z.enum(['true', 'false', '1', '0']).transform((word) => word === 'true' || word === '1')],
    'expected true or false',
  );

export function switchFlag(help: string, short?: string): Flag<boolean> {
  return { help, value: undefined, short, isRepeatable: false, fallback: false, schema: switchValue };
}

/** A flag that may be repeated; a variable has one value a line. */
export function repeatableFlag(
  value: string,
  help: string,
  { short, element = textValue }: { readonly short?: string; readonly element?: Value<string> } = {},
): Flag<readonly string[]> {
  const schema = () =>
    z.preprocess(
      (raw) => (typeof raw === 'string' ? raw.split('\n').filter((line) => line !== '') : raw),
      z.array(element()),
    );
  return { ...defaultFlag<readonly string[]>(schema, [], value, help, short), isRepeatable: true };
}

/** A flag with a list as its value, separated by commas or repeated. */
export function listFlag<T>(element: Value<T>, value: string, help: string): Flag<readonly T[] | undefined> {
  const schema = () =>
    z.preprocess(
      (raw) =>
        [raw]
          .flat()
          .flatMap((part) =>
            typeof part === 'string' ? part.split(',').map((word) => word.trim()) : [part],
          ),
      z.array(element()),
    );
  return { ...valueFlag<readonly T[]>(schema, value, help), isRepeatable: true };
}

/** One of `words`, in any case. */
export function wordValue<const W extends readonly [string, ...string[]]>(words: W): Value<W[number]> {
  return () => {
    const written = new Map(words.map((word) => [word.toLowerCase(), word]));
    return z.preprocess(
      (raw) => (typeof raw === 'string' ? (written.get(raw.toLowerCase()) ?? raw) : raw),
      z.enum(words, `expected ${sentenceList(words, 'or')}`),
    );
  };
}

/** True or false; an omitted flag means neither. */
export const booleanValue = () =>
  z.union(
    [z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')],
    'expected true or false',
  );

/** An integer within bounds, as text or number. */
export function integerValue(minimum: number, maximum: number): Value<number> {
  const range = maximum === Number.MAX_SAFE_INTEGER ? `at least ${minimum}` : `${minimum} to ${maximum}`;
  const expected = `expected ${range}`;
  return () =>
    z
      .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], 'expected a whole number')
      .pipe(z.int().min(minimum, expected).max(maximum, expected));
}

/** A duration such as `30s` within the range of timers, in milliseconds; 0 for no wait at all. */
export const durationValue = () =>
  durationSuchAs('500ms, 30s, 10m, 24h or 7d').refine(
    (ms) => ms <= longestTimerMs,
    'is longer than 24d, the longest this tool waits for anything',
  );

/** A time limit: the duration of `durationValue`, but never 0. */
export const timeLimitValue = () => durationValue().refine((ms) => ms > 0, 'expected more than 0');

/** A span of time that is compared but never waited for, so it may exceed the range of timers. */
export const spanValue = () => durationSuchAs('30m, 24h or 90d');

function durationSuchAs(examples: string) {
  return textOrNumber().transform((written, context) => {
    const ms = parseDuration(written);
    if (ms !== undefined) return ms;
    context.addIssue({ code: 'custom', message: `expected a duration such as ${examples}` });
    return z.NEVER;
  });
}

/** The same flags under one heading of the help. */
export function groupFlags<F extends FlagSet>(group: string, flags: F): F {
  return withEach(flags, { group });
}

/** Settings under one heading of `help settings`. */
export function settings<F extends FlagSet>(group: string, flags: F): F {
  return withEach(flags, { group, scope: 'setting' });
}

/** The same flags, also read from the settings if they are not typed. */
export function alsoSettings<F extends FlagSet>(flags: F): F {
  return withEach(flags, { scope: 'both' });
}

/** The same flags, accepted only to be refused with a reason. */
export function hiddenFlags<F extends FlagSet>(flags: F): F {
  return withEach(flags, { isHidden: true });
}

function withEach<F extends FlagSet>(flags: F, more: Pick<Flag<unknown>, 'group' | 'scope' | 'isHidden'>): F {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, ...more }])) as F;
}

/** Declares the flags on a command. */
export function declareFlags(command: Command, flags: FlagSet): void {
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.scope === 'setting') continue;
    const { value, short } = flag;
    const long = `--${kebabCase(name)}`;
    const shown = value === undefined ? '' : flag.bare === undefined ? ` <${value}>` : ` [${value}]`;
    const option = new Option(`${short === undefined ? '' : `-${short}, `}${long}${shown}`, flag.help);
    // Commander treats `--no-input` as the negation of a flag `--input`; here it is an ordinary switch.
    option.negate = false;
    if (flag.group !== undefined) option.helpGroup(`${flag.group}:`);
    if (flag.isRepeatable)
      option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
    command.addOption(option);
  }
}

/** `argv` with the default of flags whose optional value is missing: `--wait` becomes `--wait=10m`. */
export function spellOut(argv: readonly string[], flags: FlagSet): string[] {
  const spelled = new Map(
    Object.entries(flags).flatMap(([name, { bare }]) => {
      const long = `--${kebabCase(name)}`;
      return bare === undefined ? [] : [[long, `${long}=${bare}`] as const];
    }),
  );
  return argv.map((word) => spelled.get(word) ?? word);
}

/**
 * Reads the values of the flags: as typed, else from environment, project file, profile, default.
 * @throws Failure('usage') for an invalid value; the message names its source.
 */
export function readFlags<F extends FlagSet>(flags: F, sources: SettingSources): FlagValues<F> {
  const values: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.parts !== undefined) {
      values[name] = readParts(flag.parts, sources);
      continue;
    }
    const found = foundValue(flag, name, sources);
    if (found?.value === undefined) {
      values[name] = flag.fallback;
      continue;
    }
    const read = flag.schema().safeParse(found.value, { reportInput: true });
    if (!read.success) {
      const isOfFile = found.origin === 'project' || found.origin === 'profile';
      throw new Failure(
        'usage',
        `${found.place}:${isOfFile ? ` ${kebabCase(name)}:` : ''} ${faultInWords(read.error, found.value)}`,
        guessOf(flag, found.value) +
          (flag.scope === 'both' && found.origin === 'flag'
            ? `${flag.help}; it can also be set with ${environmentName(name)}`
            : flag.help),
      );
    }
    values[name] = read.data;
  }
  return values as FlagValues<F>;
}

/** The value of one flag; undefined for an unknown flag or an invalid value. */
export function readFlag<F extends FlagSet, Name extends keyof F & string>(
  flags: F,
  name: Name,
  sources: SettingSources,
): FlagValues<F>[Name] | undefined;
export function readFlag(flags: FlagSet, name: string, sources: SettingSources): unknown {
  const flag = flags[name];
  const found = flag && foundValue(flag, name, sources);
  return found?.value === undefined ? flag?.fallback : flag?.schema().safeParse(found.value).data;
}

function foundValue(flag: Flag<unknown>, name: string, sources: SettingSources): FoundSetting | undefined {
  if (flag.scope === undefined) return typedValue(sources, name);
  if (flag.scope === 'environment') return typedValue(sources, name) ?? findVariable(sources, name);
  return findSetting(sources, name);
}

/** The parts that are set, as `name=value`. A flag of the same name, such as that of a body field, does not count. */
function readParts(parts: FlagSet, sources: SettingSources): readonly string[] {
  const untyped = { ...sources, flags: {} };
  return Object.keys(parts).flatMap((name) => {
    if (findSetting(untyped, name) === undefined) return [];
    const flag = parts[name];
    if (flag === undefined) return [];
    const { [name]: value } = readFlags({ [name]: flag }, untyped);
    return typeof value === 'string' ? `${name}=${value}` : [];
  });
}

/**
 * Describes why the value of a flag or a setting is invalid, and shows it: `expected 1 to 5, not '6'`, or `'x' is not a
 * time`. Of a list, shows only the part at fault, which the error must report as its input.
 */
export function faultInWords({ issues: [issue] }: z.ZodError, value: unknown): string {
  const part = issue !== undefined && issue.path.length > 0 ? issue.input : undefined;
  const written = [part === undefined || part === '' ? value : part]
    .flat()
    .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
    .join(',');
  const isEmpty = issue?.code === 'too_small' && issue.origin === 'string';
  const fault = isEmpty
    ? 'must not be empty'
    : (issue?.message.replace(/^Invalid input.*/, 'is not valid') ?? 'is not valid');
  if (written === '') return fault;
  return fault.startsWith('expected ') ? `${fault}, not '${written}'` : `'${written}' ${fault}`;
}

/** A guess at the intended word, for a flag with few words. */
function guessOf(flag: Flag<unknown>, value: unknown): string {
  const meant = typeof value === 'string' ? nearestWord(value, choicesOf(flag)) : undefined;
  return meant === undefined ? '' : `did you mean ${meant}? `;
}

function typedValue({ flags }: SettingSources, name: string): FoundSetting | undefined {
  if (!Object.hasOwn(flags, name)) return undefined;
  return { value: flags[name], origin: 'flag', place: `--${kebabCase(name)}` };
}
