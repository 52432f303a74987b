import { findFolders } from '../../../config/folders.ts';
import { chosenProfile, readConfig, settingsOf, unknownProfile } from '../../../config/profiles.ts';
import { note, type View, word } from '../../../output/views/view.ts';
import { connectionFlags, outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { printRecords } from '../../runtime/print.ts';
import { shownValue } from '../../settings/shown-setting.ts';

const { profile } = connectionFlags;

const view: View = {
  noun: 'setting',
  id: 'name',
  csvColumns: ['name', 'value'],
  columns: [word('name'), note('value')],
};

export const command = defineCommand({
  argument: { term: '[name]', help: 'the profile (default: the current one)' },
  flags: { ...outputFlags, profile },
  acceptsInvalidSettings: true,
  examples: ['reviewctl profile show', 'reviewctl profile show mall -o json'],
  run: async (invocation) => {
    const { args, context, flags, notices } = invocation;
    const config = readConfig(findFolders(context.env));
    const name = chosenProfile(config, args[0] ?? flags.profile);
    const settings = settingsOf(config, name);
    if (settings === undefined) throw unknownProfile(name, config);
    const records = Object.entries(settings).map(([key, value]) => ({
      name: key,
      value: shownValue(key, value ?? null),
    }));
    const { isCut } = await printRecords(invocation, view, records);
    if (!isCut) notices.summary(`profile ${name}`);
  },
});
