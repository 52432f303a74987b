import { findFolders } from '../../config/folders.ts';
import {
  chosenProfile,
  readConfig,
  saveSettings,
  settingsOf,
  unknownProfile,
} from '../../config/profiles.ts';
import { setTokenVariables } from '../../config/token.ts';
import { connectionFlags } from '../flags/shared-flags.ts';
import { defineCommand } from '../runtime/command.ts';

const { debug, profile } = connectionFlags;

export const logout = defineCommand({
  flags: { profile, debug },
  acceptsInvalidSettings: true,
  examples: ['reviewctl logout', 'reviewctl logout --profile mall'],
  exitCodes: [9],
  run: async ({ context: { env }, flags, notices }) => {
    const folders = findFolders(env);
    const config = readConfig(folders);
    const name = chosenProfile(config, flags.profile);
    const settings = settingsOf(config, name);
    if (settings === undefined && flags.profile !== undefined) throw unknownProfile(name, config);
    const { token, ...rest } = settings ?? {};
    if (token !== undefined) await saveSettings(folders, name, { token: undefined });
    notices.summary(
      token === undefined
        ? `profile ${name} has no stored credential`
        : `the credential of profile ${name} was removed from this machine; the service still accepts it`,
    );
    const remaining = Object.keys(rest);
    if (remaining.length > 0) notices.info(`profile ${name} still has: ${remaining.join(', ')}`);
    const [variable] = setTokenVariables(env);
    if (variable !== undefined)
      notices.warning(`${variable} still provides a credential`, `unset ${variable}`);
    return 0;
  },
});
