import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import type { Json } from '../../base/json.ts';
import { formatMoney } from '../../base/money.ts';
import { camelCase, kebabCase } from '../../base/name-case.ts';
import { nearestName } from '../../base/nearest-name.ts';
import {
  type FoundSetting,
  findSetting,
  type SettingSources,
  withoutNoun,
} from '../../config/setting-sources.ts';
import { systemdToken } from '../../config/token.ts';
import { choicesOf } from '../flags/flag-choices.ts';
import { type Flag, faultInWords } from '../flags/flags.ts';
import type { CommandFlag, ReadersBySetting, SettingReader } from './setting-names.ts';

/** A setting by its name in files, and its readers; without readers, only the profile itself reads it. */
interface KnownSetting<T> {
  readonly key: string;
  readonly readers: readonly T[];
}

/** The credential, which no flag accepts. */
const tokenSetting = 'token';

/**
 * The setting of this name, for all commands (`time-zone`) or for those of a noun (`orders.map`).
 * @throws Failure('usage') if no command reads it, with the nearest name.
 */
export function knownSetting<T extends SettingReader>(
  key: string,
  table: ReadersBySetting<T>,
): KnownSetting<T> {
  const name = withoutNoun(key);
  const noun = key.slice(0, -name.length - 1);
  // Files are read by names in kebab case alone: `batchSize` would be kept, and never read.
  const all = name === kebabCase(name) ? (table.get(camelCase(name)) ?? []) : [];
  const readers = all.filter((reader) => noun === '' || reader.noun === noun);
  if (readers.length > 0 || key === tokenSetting) return { key, readers };
  throw unknownSetting(key, table);
}

function unknownSetting(key: string, table: ReadersBySetting): Failure {
  const readers = [...table].flatMap(([camel, list]) =>
    list.map(({ noun }) => ({ noun, name: kebabCase(camel) })),
  );
  const scoped = readers.flatMap(({ noun, name }) => (noun === '' ? [] : `${noun}.${name}`));
  const names = key.includes('.') ? scoped : readers.map(({ name }) => name);
  const meant = nearestName(kebabCase(key), [...new Set(names)]);
  return new Failure(
    'usage',
    `no command reads a setting '${key}'`,
    meant === undefined ? hint`all settings: ${reviewctl`help settings`}` : `did you mean '${meant}'?`,
  );
}

/** The value that commands read for a setting; for one with a noun, the commands of this noun. */
export function effectiveSetting(key: string, sources: SettingSources): FoundSetting | undefined {
  const name = withoutNoun(key);
  const found = findSetting({ ...sources, noun: key.slice(0, -name.length - 1) }, camelCase(name));
  if (key !== tokenSetting || found?.origin === 'environment') return found;
  return systemdToken(sources.env) ?? found;
}

/**
 * Converts typed words to the value in a file: a boolean for a switch, a list for a repeatable flag.
 * @throws Failure('usage') for a secret, and for a value that no flag of this name accepts.
 */
export function settingValue(
  { key, readers }: KnownSetting<CommandFlag>,
  words: readonly string[],
): boolean | string | string[] {
  const [flag, ...others] = readers.map((reader) => reader.flag);
  // No command reads the credential from a flag.
  if (flag === undefined) {
    throw new Failure(
      'usage',
      `'${key}' is a secret, and the shell records typed commands`,
      hint`store it with: ${reviewctl`login`}`,
    );
  }
  const [word, ...more] = words;
  if (word === undefined || (more.length > 0 && !flag.isRepeatable)) {
    throw new Failure(
      'usage',
      `'${key}' takes ${flag.isRepeatable ? 'at least ' : ''}one value`,
      choicesInWords(readers) ?? flag.help,
    );
  }
  const value = flag.isRepeatable ? [...words] : word;
  const readings = [flag, ...others].map(({ schema }) => schema().safeParse(value, { reportInput: true }));
  const [refusal] = readings;
  if (refusal?.error !== undefined && !readings.some(({ success }) => success)) {
    const isEmpty = words.every((written) => written === '');
    throw new Failure(
      'usage',
      `${key}: ${faultInWords(refusal.error, value)}`,
      isEmpty
        ? hint`to remove it: ${reviewctl`config unset ${key}`}`
        : (choicesInWords(readers) ?? flag.help),
    );
  }
  const isSwitch = readings.every(({ data }) => typeof data === 'boolean');
  return isSwitch ? readings[0]?.data === true : value;
}

/** The words that a setting accepts, if they are few; commands may differ. */
function choicesInWords(readers: readonly CommandFlag[]): string | undefined {
  const choices = readers.map(({ flag }) => choicesOf(flag));
  const all = [...new Set(choices.flat())];
  const everywhere = all.filter((word) => choices.every((words) => words.includes(word)));
  if (everywhere.length === 0) return undefined;
  const elsewhere = all.filter((word) => !everywhere.includes(word));
  const some = elsewhere.length === 0 ? '' : `; some commands take ${elsewhere.join(', ')}, too`;
  return `write one of ${everywhere.join(', ')}${some}`;
}

/** The nouns whose commands all accept a value, and those with commands that refuse it. */
export function nounsByValue(
  { readers }: KnownSetting<CommandFlag>,
  value: ReturnType<typeof settingValue>,
): { readonly taking: readonly string[]; readonly refusing: readonly string[] } {
  const refusing = new Set(
    readers.flatMap(({ noun, flag }) => (flag.schema().safeParse(value).success ? [] : noun)),
  );
  const nouns = new Set(readers.map(({ noun }) => noun));
  return { taking: [...nouns].filter((noun) => !refusing.has(noun)), refusing: [...refusing] };
}

/** The default of a flag, as typed; undefined if there is none. */
export function defaultValue({ fallback, schema }: Flag<unknown>): Json | undefined {
  if (typeof fallback === 'bigint') return formatMoney(fallback);
  const value = fallback as Json | undefined;
  // Durations are parsed to milliseconds; the text shown must be accepted as input.
  const isDuration = typeof value === 'number' && !schema().safeParse(String(value)).success;
  return isDuration ? `${value / 1000}s` : value;
}
