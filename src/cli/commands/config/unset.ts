import { findFolders } from '../../../config/folders.ts';
import { chosenProfile, readConfig, saveSettings, settingsOf } from '../../../config/profiles.ts';
import { connectionFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { knownSetting } from '../../settings/known-setting.ts';

const { debug, profile } = connectionFlags;

export const command = defineCommand({
  argument: { term: '<setting...>', help: 'names, such as rate or orders.map' },
  flags: { profile, debug },
  acceptsInvalidSettings: true,
  examples: ['reviewctl config unset rate', 'reviewctl config unset orders.map time-zone --profile mall'],
  exitCodes: [9],
  run: async ({ args, context, flags, notices, program }) => {
    const folders = findFolders(context.env);
    const config = readConfig(folders);
    const name = chosenProfile(config, flags.profile);
    const settings = settingsOf(config, name) ?? {};
    const set = args.filter((key) => settings[key] !== undefined);
    const table = await program.settingFlags();
    for (const key of args) if (!set.includes(key)) knownSetting(key, table);
    if (set.length > 0)
      await saveSettings(folders, name, Object.fromEntries(set.map((key) => [key, undefined])));
    for (const key of args) {
      notices.summary(`profile ${name}: ${key} is ${set.includes(key) ? 'no longer' : 'not'} set`);
    }
  },
});
