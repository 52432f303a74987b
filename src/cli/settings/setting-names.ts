import { nearestName } from '../../base/nearest-name.ts';
import type { Environment } from '../../config/folders.ts';
import { environmentName } from '../../config/setting-sources.ts';
import type { Flag } from '../flags/flags.ts';
import { flagNames } from './flag-names.ts';

/** A flag that can be set elsewhere, and a command that takes it. */
export interface CommandFlag {
  readonly noun: string;
  readonly flag: Flag<unknown>;
}

/** Every flag that can be set elsewhere, under its name in camel case, with all commands that take one of that name. */
export type SettingFlags = ReadonlyMap<string, readonly CommandFlag[]>;

/** Variables of the environment that stand for no flag. */
const otherVariables: ReadonlySet<string> = new Set([
  'REVIEWCTL_TOKEN',
  'REVIEWCTL_SANDBOX_TOKEN',
  'REVIEWCTL_STATE_DIR',
  'REVIEWCTL_CONFIG_DIR',
  // What a payer is told; it may call this tool.
  'REVIEWCTL_PAYMENT_KEY',
]);

/** A variable that no command reads, and the one it was most likely meant to be. */
export interface UnknownVariable {
  readonly name: string;
  readonly meant: string | undefined;
}

/** The variables of this tool that no command reads, usually misspelt. */
export function unknownVariables(env: Environment): readonly UnknownVariable[] {
  const known = [...otherVariables, ...flagNames.map(environmentName)];
  const isKnown = new Set(known);
  return Object.keys(env)
    .filter((name) => name.startsWith('REVIEWCTL_') && !isKnown.has(name))
    .map((name) => ({ name, meant: nearestName(name, known, (word) => word.slice('REVIEWCTL_'.length)) }));
}

/** What to do about a variable that no command reads. */
export function variableHint({ name, meant }: UnknownVariable): string {
  return meant === undefined
    ? `unset ${name}; variables are named after flags, --base-url as REVIEWCTL_BASE_URL`
    : `did you mean ${meant}? else: unset ${name}`;
}
