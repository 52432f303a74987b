import { serviceUrl } from '../../../client/open-service.ts';
import { type Environment, findFolders, stateFolderPath } from '../../../config/folders.ts';
import { readProfile } from '../../../config/profiles.ts';
import { environmentName, findSetting } from '../../../config/setting-sources.ts';
import { openExistingPushJournal, stateLocation } from '../../../store/open-store.ts';

/** Runs that are offered, the newest. */
const namesMaximum = 50;

/** Where runs are looked for: what was typed, else what is set. */
interface RunPlace {
  readonly env: Environment;
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
}

/** The names of the newest runs, each with what it pushed; none where no run is on record. Makes no file. */
export async function runNames(
  place: RunPlace,
): Promise<readonly { readonly word: string; readonly help: string }[]> {
  const { env } = place;
  const folders = findFolders(env);
  const profile = readProfile(folders, place.profile ?? (env[environmentName('profile')] || undefined));
  const flags = place.baseUrl === undefined ? {} : { baseUrl: place.baseUrl };
  const address = findSetting({ flags, env, project: {}, profile }, 'baseUrl')?.value;
  if (typeof address !== 'string') return [];
  const folder = stateFolderPath(folders, profile.name, serviceUrl(address));
  const journal = await openExistingPushJournal(stateLocation(folder));
  if (journal === undefined) return [];
  try {
    const newest = (await journal.runs.list()).slice(0, namesMaximum);
    const last = newest.length === 0 ? [] : [{ word: 'last', help: 'the newest run' }];
    return [...last, ...newest.map(({ id, command }) => ({ word: id, help: command.join(' ') }))];
  } finally {
    await journal.close();
  }
}
