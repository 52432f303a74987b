import { findFolders } from '../../../config/folders.ts';
import { configPath } from '../../../config/profiles.ts';
import { writeOutput } from '../../../output/terminal/streams.ts';
import { defineCommand } from '../../runtime/command.ts';

export const command = defineCommand({
  flags: {},
  acceptsInvalidSettings: true,
  examples: ['reviewctl config path'],
  run: async ({ context: { env, streams } }) => {
    await writeOutput(streams, `${configPath(findFolders(env))}\n`);
  },
});
