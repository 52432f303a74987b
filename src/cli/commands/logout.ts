import { hint, reviewctl } from '../../base/hint.ts';
import type { Json } from '../../base/json.ts';
import { findFolders } from '../../config/folders.ts';
import {
  choiceOfDefault,
  chosenProfile,
  defaultProfileName,
  readConfig,
  removeProfile,
  saveSettings,
  settingsOf,
  unknownProfile,
} from '../../config/profiles.ts';
import { setTokenVariables } from '../../config/token.ts';
import type { Notices } from '../../output/terminal/notices.ts';
import { connectionFlags } from '../flags/shared-flags.ts';
import { defineCommand } from '../runtime/command.ts';

const { debug, profile } = connectionFlags;

export const command = defineCommand({
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
    const { token, 'base-url': address, ...others } = settings ?? {};
    const isOfLoginAlone = Object.keys(others).length === 0;
    if (token !== undefined && isOfLoginAlone) await removeProfile(folders, name);
    else if (token !== undefined) await saveSettings(folders, name, { token: undefined });
    notices.summary(
      token === undefined
        ? `profile ${name} has no stored credential`
        : `the credential of profile ${name} was removed from this machine; the service still accepts it`,
    );
    if (token !== undefined && isOfLoginAlone) {
      reportRemoved(name, address, notices);
      const choice = choiceOfDefault(readConfig(folders));
      if (choice !== undefined) notices.info(hint`no profile is the default now; ${choice}`);
    } else if (settings !== undefined) {
      const remaining = Object.keys(settings).filter((key) => key !== 'token');
      if (remaining.length > 0) notices.info(`profile ${name} still has: ${remaining.join(', ')}`);
    }
    const [variable] = setTokenVariables(env);
    if (variable !== undefined)
      notices.warning(`${variable} still provides a credential`, `unset ${variable}`);
  },
});

/** Reports that the profile made by `login` is gone completely. */
function reportRemoved(name: string, address: Json | undefined, notices: Notices): void {
  const profile = name === defaultProfileName ? [] : ['--profile', name];
  notices.info(
    hint`nothing else was set, so the profile was removed, too; to log in again:
      ${reviewctl`login ${profile} --base-url ${typeof address === 'string' ? address : 'https://…'}`}`,
  );
}
