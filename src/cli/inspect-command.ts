import { type ExitCode, Failure } from '../base/failure.ts';
import { shellWord } from '../base/shell-word.ts';
import { findFolders } from '../config/folders.ts';
import { saveSettings } from '../config/profiles.ts';
import type { Identified } from '../input/check.ts';
import { type Inspection, inspectInput } from '../input/inspect.ts';
import type { RecordKind } from '../input/record-kinds.ts';
import { type Streams, writeOutput } from '../output/streams.ts';
import { terminalJson } from '../output/terminal-text.ts';
import { counted } from '../output/totals.ts';
import { type CommandDefinition, defineCommand, type Invocation } from './command.ts';
import { type FlagSet, groupFlags, switchFlag, valueFlag, wordValue } from './flags.ts';
import { inputOptions, makesWholeOrders, openFiles, tellNotice } from './input-options.ts';
import { inspectionText } from './inspection-text.ts';
import { connectionFlags, inputFlags } from './shared-flags.ts';

const inspectFlags = {
  ...inputFlags,
  ...groupFlags('Output', {
    output: valueFlag(wordValue(['table', 'json', 'ndjson', 'none']).optional(), {
      short: 'o',
      value: 'FORMAT',
      help: 'table, json, ndjson or none (default: table on a terminal, ndjson in a pipe)',
    }),
  }),
  save: switchFlag({ help: 'keep in the profile how these files are read, for files of this kind' }),
  profile: connectionFlags.profile,
  assume: connectionFlags.assume,
};

/**
 * `inspect` of one kind of record: what a push of the files would do, and the command that does it. Neither service nor
 * credential is needed.
 */
export function inspectCommand<T extends Identified>(
  kind: RecordKind<T>,
  examples: readonly string[],
): CommandDefinition {
  return defineCommand({
    argument: { term: '<file...>', help: 'the files that are to be pushed; - for standard input' },
    flags: inspectFlags,
    examples,
    exitCodes: [3],
    run: async (invocation) => {
      const { context, flags, notices } = invocation;
      const input = await openFiles(invocation);
      try {
        const inspection = assuming(flags.assume, await inspectInput(input, kind, inputOptions(flags)));
        await write(inspection, flags.output, context.streams);
        for (const notice of inspection.notices) tellNotice(notice, notices);
        if (flags.save) await save(inspection, invocation);
        if (inspection.wouldPush) return 0;
        notices.error(refusalOf(inspection));
        return 3 satisfies ExitCode;
      } finally {
        await input.close();
      }
    },
  });
}

/** The push is proposed under the assumption that the input was inspected under. */
function assuming<T>(assume: readonly string[], inspection: Inspection<T>): Inspection<T> {
  const settings = assume.filter(makesWholeOrders);
  const flags = settings.map((setting) => ` --assume ${shellWord(setting)}`).join('');
  return { ...inspection, commands: inspection.commands.map((command) => command + flags) };
}

async function write<T>(
  inspection: Inspection<T>,
  format: 'table' | 'json' | 'ndjson' | 'none' | undefined,
  streams: Streams,
): Promise<void> {
  const chosen = format ?? (streams.isOutputTerminal ? 'table' : 'ndjson');
  if (chosen === 'none') return;
  if (chosen === 'table') {
    await writeOutput(streams, inspectionText(inspection));
    return;
  }
  const json = JSON.stringify(inspection, undefined, chosen === 'json' ? 2 : undefined);
  await writeOutput(streams, `${streams.isOutputTerminal ? terminalJson(json) : json}\n`);
}

/** @throws Failure('input') where the reading is not settled yet; as `saveSettings`. */
async function save<T>(
  { kind, settings, problemCount, commands }: Inspection<T>,
  { context, notices, sources }: Pick<Invocation<FlagSet>, 'context' | 'notices' | 'sources'>,
): Promise<void> {
  if (problemCount > 0 || commands.length !== 1) {
    const hint = 'choose with the flags that inspect names, then save';
    throw new Failure('input', 'how these files are read is not settled, so nothing was kept', hint);
  }
  const { name } = sources.profile;
  if (settings === undefined) {
    notices.info('nothing to keep: the files are read like this without any flag');
    return;
  }
  await saveSettings(findFolders(context.env), name, settings);
  notices.info(`kept in profile ${name} for all ${kind} files: ${Object.keys(settings).join(', ')}`);
}

function refusalOf<T>({ problemCount, proposals }: Inspection<T>): Failure {
  if (problemCount > 0) {
    const message = `${counted(problemCount, 'problem')} in the input: a push would refuse it`;
    return new Failure('input', message, 'correct what is listed and inspect again');
  }
  const message = `the input cannot be pushed without ${counted(proposals.length, 'flag')} more`;
  return new Failure('input', message, 'push with the command that inspect prints');
}
