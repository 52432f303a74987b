import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import type { JsonObject } from '../../base/json.ts';
import { kebabCase } from '../../base/name-case.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { isSecretSetting, withoutNoun } from '../../config/setting-sources.ts';

/** The name of a setting, and whether it is a list. */
interface SettingName {
  readonly name: string;
  readonly isRepeatable?: true;
}

/**
 * The settings that `-c NAME=VALUE` sets for one call, by their names in files. If a name is repeated, the last value
 * counts; for a list, all values do.
 * @throws Failure('usage') for a setting that no command reads, and for the credential.
 */
export async function readOverrides(
  typed: unknown,
  findSettings: () => Promise<readonly SettingName[]>,
): Promise<JsonObject> {
  const words = [typed ?? []].flat().map(String);
  if (words.length === 0) return {};
  const settings = await findSettings();
  const names = settings.map(({ name }) => name);
  const lists = new Set(settings.flatMap(({ name, isRepeatable }) => (isRepeatable ? name : [])));
  const found = new Map<string, string | readonly string[]>();
  for (const word of words) {
    const { name, value } = checkedOverride(word, names);
    const before = found.get(name);
    const isAdded = before !== undefined && lists.has(withoutNoun(name));
    found.set(name, isAdded ? [before, value].flat() : value);
  }
  return Object.fromEntries(found) as JsonObject;
}

/** Like `readOverrides`, but skips invalid ones. */
export async function readValidOverrides(
  typed: unknown,
  findSettings: () => Promise<readonly SettingName[]>,
): Promise<JsonObject> {
  const names = (await findSettings()).map(({ name }) => name);
  const isValid = (word: string) => {
    try {
      return checkedOverride(word, names) !== undefined;
    } catch {
      return false;
    }
  };
  return readOverrides([typed ?? []].flat().map(String).filter(isValid), findSettings);
}

function checkedOverride(word: string, names: readonly string[]) {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
  if (name === undefined) {
    const way = 'write NAME=VALUE, such as -c rate=5';
    throw new Failure('usage', `-c: '${word}' is not a setting and its value`, way);
  }
  if (isSecretSetting(withoutNoun(name))) {
    const way = hint`set REVIEWCTL_TOKEN, name a file: -c token-file=PATH, or store it with: ${reviewctl`login`}`;
    throw new Failure('usage', '-c token: other users of this machine could read the credential', way);
  }
  if (names.includes(withoutNoun(name))) return { name, value };
  const meant = nearestName(kebabCase(withoutNoun(name)), names);
  throw new Failure(
    'usage',
    `-c ${name}: no command reads this setting`,
    meant === undefined
      ? hint`settings that are read: ${reviewctl`help settings`}`
      : hint`did you mean -c ${meant}=…? All settings: ${reviewctl`help settings`}`,
  );
}
