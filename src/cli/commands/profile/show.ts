import { streamOf } from '../../../base/lists.ts';
import { findFolders } from '../../../config/folders.ts';
import { chosenProfile, readConfig, settingsOf, unknownProfile } from '../../../config/profiles.ts';
import { writeRecords } from '../../../output/formats/records.ts';
import type { View } from '../../../output/views/view.ts';
import { connectionFlags, outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { shownValue } from '../../settings/shown-setting.ts';

const { profile } = connectionFlags;

const view: View = {
  noun: 'setting',
  id: 'name',
  csvColumns: ['name', 'value'],
  columns: [
    { header: 'name', path: 'name', kind: 'word' },
    { header: 'value', path: 'value', kind: 'note' },
  ],
};

export const profileShow = defineCommand({
  argument: { term: '[name]', help: 'the profile (default: the current one)' },
  flags: { ...outputFlags, profile },
  acceptsInvalidSettings: true,
  examples: ['reviewctl profile show', 'reviewctl profile show mall -o json'],
  exitCodes: [],
  run: async ({ args, context, flags, notices }) => {
    const config = readConfig(findFolders(context.env));
    const name = chosenProfile(config, args[0] ?? flags.profile);
    const settings = settingsOf(config, name);
    if (settings === undefined) throw unknownProfile(name, config);
    const records = Object.entries(settings).map(([key, value]) => ({
      name: key,
      value: shownValue(key, value ?? null),
    }));
    const options = { ...flags, format: flags.output };
    const { isCut } = await writeRecords(streamOf([records]), view, options, context.streams);
    if (!isCut) notices.summary(`profile ${name}`);
    return 0;
  },
});
