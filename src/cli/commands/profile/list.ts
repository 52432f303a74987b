import { hint, reviewctl } from '../../../base/hint.ts';
import { findFolders } from '../../../config/folders.ts';
import { defaultProfileName, isProduction, readConfig } from '../../../config/profiles.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { flag, note, type View, word } from '../../../output/views/view.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { printRecords } from '../../runtime/print.ts';
import { shownValue } from '../../settings/shown-setting.ts';

const view: View = {
  noun: 'profile',
  id: 'name',
  csvColumns: ['name', 'isCurrent', 'isProduction', 'credential', 'baseUrl'],
  columns: [
    word('name'),
    flag('current', 'isCurrent'),
    flag('production', 'isProduction'),
    word('credential'),
    note('address', 'baseUrl'),
  ],
};

/** The sources of a profile's credential, the strongest first. */
const credentialSettings = ['token-file', 'token-command', 'token'];

export const command = defineCommand({
  flags: outputFlags,
  acceptsInvalidSettings: true,
  examples: ['reviewctl profile list', 'reviewctl profile list -o ids'],
  run: async (invocation) => {
    const { context, notices } = invocation;
    const config = readConfig(findFolders(context.env));
    const { current = defaultProfileName } = config;
    const records = Object.entries(config.profiles).map(([name, settings]) => ({
      name,
      isCurrent: name === current,
      isProduction: isProduction({ name, settings }),
      credential: credentialSettings.find((key) => settings[key] !== undefined) ?? null,
      baseUrl: settings['base-url'] === undefined ? null : shownValue('base-url', settings['base-url']),
    }));
    const { isCut } = await printRecords(invocation, view, records);
    if (isCut) return;
    notices.summary(counted(records.length, view.noun));
    if (records.length === 0) notices.info(hint`to create one: ${reviewctl`login --base-url https://…`}`);
  },
});
