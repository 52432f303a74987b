import type { Environment } from '../../config/folders.ts';
import { withoutNoun } from '../../config/setting-sources.ts';
import type { ArgumentText } from '../runtime/command.ts';
import type { FlagSurface, Surface } from './surface.ts';

/** A candidate word and its description. */
export type Candidate = readonly [word: string, help?: string | undefined];

/** The candidates; `files` leaves the choice of files to the shell. */
export type Candidates = readonly Candidate[] | 'files';

/** The typed words, except those of the command. */
export interface Typed {
  readonly behind: readonly string[];
  /** The word to complete. */
  readonly current: string;
  readonly env: Environment;
}

/** Candidates for the word after a command. */
export async function completedWord(surface: Surface, typed: Typed): Promise<Candidates> {
  const { flags } = surface;
  const { behind } = typed;
  const ofFlags = await completedFlag(flags, typed);
  if (ofFlags !== undefined) return ofFlags;
  const place = argumentsIn(flags, behind).length;
  const argument = surface.arguments[place] ?? surface.arguments.findLast(({ term }) => term.includes('...'));
  return argument === undefined
    ? flagsLeft(flags, behind)
    : argumentsFor(argument, surface.words.startsWith('profile '), typed);
}

/** Candidates for a flag or its value; undefined if neither is being typed. */
export async function completedFlag(
  flags: readonly FlagSurface[],
  typed: Typed,
): Promise<Candidates | undefined> {
  const setting = settingBeingTyped(typed);
  if (setting !== undefined) return prefixed(await valuesOfSetting(setting, typed), `${setting}=`);
  const value = valueBeingTyped(flags, typed);
  if (value !== undefined) return prefixed(await valuesOf(value.flag, typed), value.prefix);
  return typed.current.startsWith('-') ? flagsLeft(flags, typed.behind) : undefined;
}

/** True if `word` is one of the flags, and the next word is its value. */
export function takesNextWord(flags: readonly FlagSurface[], word: string): boolean {
  return flags.some(
    ({ name, short, value, bare }) =>
      value !== undefined && bare === undefined && (word === `--${name}` || word === `-${short}`),
  );
}

/** The flag whose value is being typed, and the text before the value in the same word. */
interface ValueBeingTyped {
  readonly flag: FlagSurface;
  readonly prefix: string;
}

/** `--output js` or `--output=js`; in a list, only the last value is being typed. */
function valueBeingTyped(
  flags: readonly FlagSurface[],
  { behind, current }: Typed,
): ValueBeingTyped | undefined {
  const joined = /^(--?[^=]+)=(.*)$/s.exec(current);
  const word = joined?.[1] ?? behind.at(-1);
  const flag = flags.find(({ name, short }) => word === `--${name}` || word === `-${short}`);
  if (flag?.value === undefined) return undefined;
  if (joined === null && (flag.bare !== undefined || current.startsWith('-'))) return undefined;
  const value = joined?.[2] ?? current;
  const listed = flag.isRepeatable ? value.slice(0, value.lastIndexOf(',') + 1) : '';
  return { flag, prefix: (joined === null ? '' : `${word}=`) + listed };
}

/** The setting of `-c output=js`; undefined while its name is being typed. */
function settingBeingTyped({ behind, current }: Typed): string | undefined {
  return ['-c', '--config'].includes(behind.at(-1) ?? '') ? /^([^=]+)=/.exec(current)?.[1] : undefined;
}

async function valuesOfSetting(name: string, typed: Typed): Promise<Candidates> {
  const { findSettings } = await import('./all-setting-flags.ts');
  const plain = withoutNoun(name);
  const setting = (await findSettings()).find((one) => one.name === plain);
  return setting === undefined ? [] : valuesOf(setting, typed);
}

function prefixed(candidates: Candidates, prefix: string): Candidates {
  if (candidates === 'files') return candidates;
  return candidates.map(([word, help]) => [prefix + word, help]);
}

/** The flags that may still be added. */
function flagsLeft(flags: readonly FlagSurface[], behind: readonly string[]): readonly Candidate[] {
  const left = flags.filter(({ name, isRepeatable }) => isRepeatable || !behind.includes(`--${name}`));
  return [...left.map(({ name, help }) => [`--${name}`, help] as const), ['--help', 'show this help']];
}

async function valuesOf({ choices, name, value = '' }: FlagSurface, typed: Typed): Promise<Candidates> {
  if (choices !== undefined) return choices.map((word) => [word]);
  if (name === 'profile') return profiles(typed);
  if (name === 'config') return (await settings()).map(([word]) => [`${word}=`]);
  return /FILE|PATH/.test(value) ? 'files' : [];
}

/** The words that are neither flags nor values of flags. */
export function argumentsIn(flags: readonly FlagSurface[], behind: readonly string[]): readonly string[] {
  return behind.filter((word, index) => !/^-./s.test(word) && !takesNextWord(flags, behind[index - 1] ?? ''));
}

async function argumentsFor(
  { term, choices }: ArgumentText,
  isOfProfiles: boolean,
  typed: Typed,
): Promise<Candidates> {
  if (choices !== undefined) return choices.map((word) => [word]);
  if (/^[<[]file\b/.test(term)) return 'files';
  if (/^<run\b/.test(term)) return runs(typed);
  if (term === '<setting>') return settings();
  return isOfProfiles ? profiles(typed) : [];
}

async function settings(): Promise<readonly Candidate[]> {
  const { findSettingNames } = await import('./all-setting-flags.ts');
  return (await findSettingNames()).map((word) => [word]);
}

async function profiles({ env }: Typed): Promise<readonly Candidate[]> {
  const [{ findFolders }, { readConfig }] = await Promise.all([
    import('../../config/folders.ts'),
    import('../../config/profiles.ts'),
  ]);
  return Object.keys(readConfig(findFolders(env)).profiles).map((word) => [word]);
}

async function runs({ behind, env }: Typed): Promise<readonly Candidate[]> {
  const [{ runNames }, { readOverrides }, { findSettings }] = await Promise.all([
    import('../commands/runs/run-names.ts'),
    import('../settings/overrides.ts'),
    import('./all-setting-flags.ts'),
  ]);
  const valuesBehind = (flags: readonly string[]) =>
    behind.filter((_, index) => flags.includes(behind[index - 1] ?? ''));
  const overrides = await readOverrides(valuesBehind(['-c', '--config']), findSettings);
  return runNames({ env, profile: valuesBehind(['--profile']).at(-1), overrides });
}
