import { existsSync } from 'node:fs';
import { hint } from '../../../base/hint.ts';
import { findFolders, profileStatePath } from '../../../config/folders.ts';
import {
  choiceOfDefault,
  chosenProfile,
  readConfig,
  removeProfile,
  settingsOf,
  unknownProfile,
} from '../../../config/profiles.ts';
import { askFlags, connectionFlags } from '../../flags/shared-flags.ts';
import { isChangeConfirmed } from '../../runtime/ask.ts';
import { defineCommand } from '../../runtime/command.ts';

const { debug } = connectionFlags;

export const command = defineCommand({
  argument: { term: '<name>', help: 'the profile' },
  flags: { ...askFlags, debug },
  acceptsInvalidSettings: true,
  examples: ['reviewctl profile delete trial'],
  exitCodes: [9],
  run: async (invocation) => {
    const { args, context, notices } = invocation;
    const folders = findFolders(context.env);
    const config = readConfig(folders);
    const name = chosenProfile(config, args[0]);
    const settings = settingsOf(config, name);
    if (settings === undefined) throw unknownProfile(name, config);
    const question = `Delete profile ${name} with its settings and its credential?`;
    if (!(await isChangeConfirmed(question, invocation))) return;
    await removeProfile(folders, name);
    const caveat = settings['token'] === undefined ? '' : '; the service still accepts its credential';
    notices.summary(`profile ${name} was deleted from this machine${caveat}`);
    const state = profileStatePath(folders, name);
    if (existsSync(state)) notices.info(`the records of its pushes and payments stay in ${state}`);
    const choice = choiceOfDefault(readConfig(folders));
    if (choice !== undefined) notices.info(hint`no profile is the default now; ${choice}`);
  },
});
