import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { Json } from '../../../base/json.ts';
import { writeOutput } from '../../../output/terminal/streams.ts';
import { onOneLine, terminalText } from '../../../output/terminal/terminal-text.ts';
import { textOf } from '../../../output/views/fields.ts';
import { connectionFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { effectiveSetting, knownSetting } from '../../settings/known-setting.ts';
import { shownValue } from '../../settings/shown-setting.ts';

const { debug, profile } = connectionFlags;

export const command = defineCommand({
  argument: {
    term: '<setting>',
    help: 'its name, such as base-url, or orders.map for the commands of one noun',
  },
  flags: { profile, debug },
  examples: ['reviewctl config get base-url', 'reviewctl config get orders.map --profile mall'],
  run: async ({ args, context: { streams }, program, sources }) => {
    const [key = ''] = args;
    const table = await program.settingDefaults();
    const [reader] = knownSetting(key, table).readers;
    const found = effectiveSetting(key, sources)?.value;
    const value = (found ?? reader?.value ?? []) as Json;
    const values: readonly Json[] = Array.isArray(value) ? value : [value];
    if (values.length === 0) {
      throw new Failure('config', `${key} is not set`, hint`to set it: ${reviewctl`config set ${key} …`}`);
    }
    const safe = streams.isOutputTerminal ? terminalText : onOneLine;
    const lines = values.map((part) => `${safe(textOf(shownValue(key, part)))}\n`);
    await writeOutput(streams, lines.join(''));
  },
});
