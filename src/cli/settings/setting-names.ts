import type { Json } from '../../base/json.ts';
import { nearestName } from '../../base/nearest-name.ts';
import type { Environment } from '../../config/folders.ts';
import { environmentName } from '../../config/setting-sources.ts';
import { type Flag, type FlagSet, isSetting } from '../flags/flags.ts';

/** A command that reads a setting. */
export interface SettingReader {
  /** Empty if every command reads it. */
  readonly noun: string;
}

/** All settings by their camel-case names, with the commands that read them. */
export type ReadersBySetting<T extends SettingReader = SettingReader> = ReadonlyMap<string, readonly T[]>;

/** A flag that can be set as a setting. */
export interface CommandFlag extends SettingReader {
  readonly flag: Flag<unknown>;
}

export type SettingFlags = ReadersBySetting<CommandFlag>;

/** The default of a setting. */
interface SettingDefault extends SettingReader {
  /** The default as typed; undefined if there is none. */
  readonly value?: Json | undefined;
}

export type SettingDefaults = ReadersBySetting<SettingDefault>;

/** Environment variables that do not correspond to a setting. */
const otherVariables: ReadonlySet<string> = new Set([
  'REVIEWCTL_TOKEN',
  'REVIEWCTL_PROFILE',
  'REVIEWCTL_DEBUG',
  'REVIEWCTL_SANDBOX_TOKEN',
  'REVIEWCTL_STATE_DIR',
  'REVIEWCTL_CONFIG_DIR',
  // Set for payers, which may call this tool.
  'REVIEWCTL_PAYMENT_KEY',
]);

/** A variable that no command reads, and the one that was probably meant. */
interface UnknownVariable {
  readonly name: string;
  readonly meant: string | undefined;
}

/**
 * The variables of this tool that no command reads, usually misspelt. `flags` are those of the current command; if they
 * explain all variables, the names of all settings need not be loaded.
 */
export async function unknownVariables(
  env: Environment,
  findSettingNames: () => Promise<readonly string[]>,
  flags: FlagSet = {},
): Promise<readonly UnknownVariable[]> {
  const read = new Set([...otherVariables, ...settingsOf(flags).map(environmentName)]);
  const own = Object.keys(env).filter((name) => name.startsWith('REVIEWCTL_') && !read.has(name));
  if (own.length === 0) return [];
  const known = [...otherVariables, ...(await findSettingNames()).map(environmentName)];
  const isKnown = new Set(known);
  return own
    .filter((name) => !isKnown.has(name))
    .map((name) => ({ name, meant: nearestName(name, known, (word) => word.slice('REVIEWCTL_'.length)) }));
}

/** The settings among the flags of a command, in camel case. */
export function settingsOf(flags: FlagSet): readonly string[] {
  return Object.entries(flags).flatMap(([name, flag]) =>
    flag.parts !== undefined ? Object.keys(flag.parts) : isSetting(flag) ? [name] : [],
  );
}

/** The remedy for a variable that no command reads. */
export function variableHint({ name, meant }: UnknownVariable): string {
  return meant === undefined
    ? `unset ${name}; variables are named after settings: base-url as REVIEWCTL_BASE_URL`
    : `did you mean ${meant}? else: unset ${name}`;
}
