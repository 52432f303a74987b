import type { JsonObject } from '../../../base/json.ts';
import { type Environment, findFolders } from '../../../config/folders.ts';
import { readProfile } from '../../../config/profiles.ts';
import { environmentName } from '../../../config/setting-sources.ts';
import { terminalText } from '../../../output/terminal/terminal-text.ts';
import { openExistingPushJournal } from '../../../store/open-store.ts';
import { readFlags } from '../../flags/flags.ts';
import { findState } from '../../runtime/find-state.ts';
import { placeFlags } from './open-runs.ts';

/** Maximum runs offered, the newest. */
const namesMaximum = 50;

/** The location of the runs: as typed, else as set. */
interface RunPlace {
  readonly env: Environment;
  readonly profile: string | undefined;
  /** The typed settings. */
  readonly overrides: JsonObject;
}

/** The names of the newest runs, each with its command; empty if no run is recorded. Creates no file. */
export async function runNames({
  env,
  profile: name,
  overrides,
}: RunPlace): Promise<readonly (readonly [id: string, meaning: string])[]> {
  const profile = readProfile(findFolders(env), name ?? (env[environmentName('profile')] || undefined));
  const sources = { flags: {}, overrides, env, project: {}, profile };
  const flags = readFlags(placeFlags, sources);
  if (flags.baseUrl === undefined) return [];
  const journal = await openExistingPushJournal(await findState({ context: { env }, flags, sources }));
  if (journal === undefined) return [];
  try {
    const newest = (await journal.runs.list()).slice(0, namesMaximum);
    const ids = newest.map(({ id, command }) => [id, terminalText(command.join(' '))] as const);
    return newest.length === 0 ? [] : [['last', 'the newest run'], ...ids];
  } finally {
    await journal.close();
  }
}
