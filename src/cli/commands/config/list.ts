import type { Json, JsonObject } from '../../../base/json.ts';
import { camelCase, kebabCase } from '../../../base/name-case.ts';
import { findFolders } from '../../../config/folders.ts';
import { configPath } from '../../../config/profiles.ts';
import { type FoundSetting, projectPath, type SettingSources } from '../../../config/setting-sources.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { type Column, note, type View, word } from '../../../output/views/view.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { type Context, defineCommand } from '../../runtime/command.ts';
import { printRecords } from '../../runtime/print.ts';
import { effectiveSetting } from '../../settings/known-setting.ts';
import type { ReadersBySetting } from '../../settings/setting-names.ts';
import { shownValue } from '../../settings/shown-setting.ts';

const columns: readonly Column[] = [
  word('name'),
  note('value'),
  word('from', 'origin'),
  note('where', 'place'),
];

const view: View = { noun: 'setting', id: 'name', columns, csvColumns: columns.map(({ path }) => path) };

export const command = defineCommand({
  flags: outputFlags,
  examples: ['reviewctl config list', 'reviewctl config list --profile mall -o json'],
  run: async (invocation) => {
    const { context, notices, program, sources } = invocation;
    const table = await program.settingDefaults();
    const found = [...setSettings(sources, table)].map(([key, setting]) => ({
      name: key,
      value: shownValue(key, setting.value as Json),
      origin: setting.origin,
      place: placeOf(setting, context),
    }));
    const records: JsonObject[] = found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const { isCut } = await printRecords(invocation, view, records);
    if (!isCut) notices.summary(`${counted(records.length, view.noun)}, profile ${sources.profile.name}`);
  },
});

/** Every setting that is set, with its effective value. Flags of this listing itself are omitted. */
function* setSettings(
  sources: SettingSources,
  table: ReadersBySetting,
): Generator<readonly [string, FoundSetting]> {
  const inFiles = [...Object.keys(sources.project), ...Object.keys(sources.profile.settings)];
  for (const key of new Set(['token', ...[...table.keys()].map(kebabCase), ...inFiles])) {
    const found = effectiveSetting(key, sources);
    const isOfThisList = Object.hasOwn(sources.flags, camelCase(key));
    if (found !== undefined && !isOfThisList) yield [key, found];
  }
}

/** The source of a setting; for files, with the path that messages omit. */
function placeOf({ origin, place }: FoundSetting, { cwd, env }: Context): string {
  if (origin === 'project') return projectPath(cwd);
  return origin === 'profile' ? `${place} in ${configPath(findFolders(env))}` : place;
}
