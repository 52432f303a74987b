import { nearestName } from '../base/nearest-name.ts';
import type { Environment } from '../config/folders.ts';
import { environmentName } from '../config/setting-sources.ts';
import type { Flag } from './flags.ts';

/** A flag that can be set elsewhere, and a command that takes it. */
export interface CommandFlag {
  readonly noun: string;
  readonly flag: Flag<unknown>;
}

/** Every flag that can be set elsewhere, under its name in camel case, with all commands that take one of that name. */
export type SettingFlags = ReadonlyMap<string, readonly CommandFlag[]>;

/**
 * The names of all flags that can be set elsewhere, as files write them. They are kept here beside the flags, for every run looks at its
 * variables, and reading them off the commands would load all of those.
 */
export const settingNames: readonly string[] = `
  after all all-pages assume base-url batch-size carrier check-products concurrency content-types count
  created-at-end created-at-start csv-raw data debug delimiter direction documented-only dry-run
  edited-at-end edited-at-start encoding excel failed fault fields first format header-row host
  image-base-url images is-alimtalk-enabled is-blocked is-commented is-fixed is-reported is-rewarded
  is-visible job-delay key-id latency limit log-format map max-errors name nickname no-input not-sent
  null-word on-existing order-item order-member-origin-id order-name order-origin-ids order-phone ordering
  orders origin origin-ids output pending port preset product-group-ids product-name product-origin-ids
  products profile progress rate rating ratings rejects resend retries review-categories reviews same-shop
  save seed send-extra-fields sent set sheet since-last skip-invalid sort status text time-zone timeout
  title token-command token-file top unknown unset update-only updated-at-end updated-at-start upload-froms
  videos wait webhook-url yes
`
  .trim()
  .split(/\s+/);

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
  const known = [...otherVariables, ...settingNames.map(environmentName)];
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
