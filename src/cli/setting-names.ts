import { Failure } from '../base/failure.ts';
import type { JsonObject } from '../base/json.ts';
import { nearestName } from '../base/nearest-name.ts';
import { kebabCase, withoutNoun } from '../config/setting-sources.ts';
import { commands, nouns } from './commands.ts';
import type { FlagSet } from './flags.ts';
import { noticeFlags } from './shared-flags.ts';

/** The names of every flag of every command, in camel case. Loads all commands, so it is asked only where something looks wrong. */
export async function allSettingNames(): Promise<ReadonlySet<string>> {
  const names = new Set(Object.keys(noticeFlags));
  for (const entry of Object.values(commands)) {
    for (const name of Object.keys((await entry.load()).flags)) names.add(name);
  }
  return names;
}

/**
 * @throws Failure('config') where a project file sets something that no command knows: a misspelt zone or mapping would else
 *   change what is sent without a word.
 */
export async function checkProjectNames(project: JsonObject, flags: FlagSet): Promise<void> {
  const here = new Set(Object.keys(flags).map(kebabCase));
  const isNamed = (key: string, names: { has(name: string): boolean }) => {
    const name = withoutNoun(key);
    return names.has(name) && (name === key || Object.hasOwn(nouns, key.slice(0, -name.length - 1)));
  };
  if (Object.keys(project).every((key) => isNamed(key, here))) return;
  const known = [...(await allSettingNames())].map(kebabCase);
  const unknown = Object.keys(project).find((key) => !isNamed(key, new Set(known)));
  if (unknown === undefined) return;
  const meant = nearestName(withoutNoun(unknown), known);
  throw new Failure(
    'config',
    `reviewctl.json sets '${unknown}', which no command knows`,
    meant === undefined
      ? 'settings are named like flags, without the dashes in front'
      : `did you mean '${meant}'?`,
  );
}
