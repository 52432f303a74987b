import { findFolders } from '../../../config/folders.ts';
import { useProfile } from '../../../config/profiles.ts';
import { environmentName } from '../../../config/setting-sources.ts';
import { connectionFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';

const { debug } = connectionFlags;

export const command = defineCommand({
  argument: { term: '<name>', help: 'the new default profile' },
  flags: { debug },
  acceptsInvalidSettings: true,
  examples: ['reviewctl profile use mall'],
  exitCodes: [9],
  run: async ({ args, context: { env }, notices }) => {
    const [name = ''] = args;
    await useProfile(findFolders(env), name);
    notices.summary(`profile ${name} is now the default`);
    const variable = environmentName('profile');
    const named = env[variable];
    if (named && named !== name) {
      notices.warning(`${variable} selects profile ${named} and overrides this`, `unset ${variable}`);
    }
  },
});
