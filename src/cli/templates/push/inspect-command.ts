import { type ExitCode, Failure } from '../../../base/failure.ts';
import { type HintText, hint, joinHints, withHintTexts } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { type Shard, shardText } from '../../../base/shard.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { findFolders } from '../../../config/folders.ts';
import { saveSettings } from '../../../config/profiles.ts';
import type { Assumptions } from '../../../contract/assumptions.ts';
import { type Inspection, inspectInput } from '../../../input/inspect.ts';
import type { InputFiles } from '../../../input/open/open.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import type { Identified, RecordKind } from '../../../input/records/record-kinds.ts';
import { chosenFormat } from '../../../output/formats/formats.ts';
import { type Streams, writeOutput } from '../../../output/terminal/streams.ts';
import { terminalJson } from '../../../output/terminal/terminal-text.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { selectFields } from '../../../output/views/fields.ts';
import { type FlagValues, groupFlags, hiddenFlags, switchFlag } from '../../flags/flags.ts';
import { inputFlags } from '../../flags/input-flags.ts';
import { shardFlags } from '../../flags/shard-flags.ts';
import { askFlags, connectionFlags, outputFlag, progressFlags } from '../../flags/shared-flags.ts';
import { type CommandDefinition, defineCommand, type Invocation } from '../../runtime/command.ts';
import { readAssumptions } from '../../runtime/session.ts';
import { askShopAddress } from './ask-shop-address.ts';
import { checkingProgress } from './checking-progress.ts';
import { checkSharded, findShard } from './find-shard.ts';
import { inputOptions, isPlaceholder, openFiles, showNotice } from './input-options.ts';
import { inspectionText, type PushInspection } from './inspection-text.ts';
import type { UnsentWarning } from './push-kind.ts';
import { assumeFlags } from './typed-command.ts';
import { findPassword } from './workbook-password.ts';

const inspectFlags = {
  ...inputFlags,
  ...shardFlags,
  ...groupFlags('Output', { output: outputFlag(['table', 'json', 'ndjson', 'none']) }),
  save: switchFlag('store the way these files are read in the profile'),
  profile: connectionFlags.profile,
  noInput: askFlags.noInput,
  assume: connectionFlags.assume,
  ...progressFlags,
};

/** The flags for records without shards: --shard is accepted only to be refused with a reason. */
const unshardedFlags = { ...inspectFlags, ...hiddenFlags(shardFlags) };

/** Returns the fields of `fields`, those with values in the input, that a push omits under these assumptions. */
type FindUnsent = (fields: readonly string[], assumptions: Assumptions) => UnsentWarning | undefined;

/**
 * The `inspect` command of one kind of record: it shows what a push of the files would do, and the command for it. It
 * needs neither service nor credential. Without `findUnsent` the push sends all fields.
 */
export function inspectCommand<T extends Identified>(
  kind: RecordKind<T>,
  examples: readonly string[],
  findUnsent?: FindUnsent,
): CommandDefinition {
  return defineCommand({
    argument: {
      term: '<file...>',
      help: 'the files to push; - for standard input. Exits with 3 if a choice is open, even without errors',
    },
    flags: kind.shardedBy === undefined ? unshardedFlags : inspectFlags,
    examples,
    exitCodes: [3],
    run: async (invocation) => {
      const { context, flags, notices } = invocation;
      if (flags.shard !== undefined) checkSharded(kind);
      const shard = flags.shard && findShard(flags.shard, context.env);
      const input = await openFiles(invocation, invocation.args, 'records');
      const read = await inspectFiles(input, kind, invocation, shard);
      const inspection = asPushed(read, flags, shard, findUnsent);
      const shown = withHintTexts(inspection, notices.complete) as typeof inspection;
      await write(shown, flags.output, context.streams);
      for (const notice of inspection.notices) showNotice(notice, notices);
      if (flags.save) await save(read, invocation);
      if (inspection.wouldPush) return 0;
      const open = openChoices(inspection);
      if (inspection.problemCount > 0) notices.error(refusalOf(inspection));
      else if (open.length === 0) return 0;
      else notices.info(choicesInWords(open, inspection.commands));
      return 3 satisfies ExitCode;
    },
  });
}

/** Inspects the files; a second time if the person at the terminal enters the address of the shop. */
async function inspectFiles<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  invocation: Invocation<typeof inspectFlags>,
  shard: Shard | undefined,
): Promise<Inspection<T>> {
  const { context, flags } = invocation;
  const password = await findPassword(input, invocation);
  const options = { ...inputOptions(flags), ...password, ...(shard === undefined ? {} : { shard }) };
  const inspect = (address: Pick<InputOptions, 'shopUrl'>) => {
    const { onRead, done } = checkingProgress(invocation);
    return inspectInput(input, kind, { ...options, onRead, ...address }).finally(done);
  };
  const read = await inspect({});
  const typed = await askShopAddress(read, flags, context);
  return typed === undefined ? read : inspect({ shopUrl: typed });
}

/** The assumptions that change what is sent of an input. */
const assumptionsOfContent = ['createOrders', 'bulkExtraFields'];

/** Proposes the push and shows its records under the assumptions of the inspection. */
function asPushed<T extends Identified>(
  inspection: Inspection<T>,
  { assume, workbookPasswordFile, profile }: FlagValues<typeof inspectFlags>,
  shard: Shard | undefined,
  findUnsent: FindUnsent | undefined,
): PushInspection<T> {
  const settings = assume.filter((setting) =>
    assumptionsOfContent.some((name) => setting.startsWith(`${name}=`)),
  );
  const commandsWith = (assumed: readonly string[], flag = '') => {
    const added = [
      workbookPasswordFile && `-c ${shellWord(`workbook-password-file=${workbookPasswordFile}`)}`,
      assumeFlags(assumed),
      profile && `--profile ${shellWord(profile)}`,
      shard && `--shard ${shardText(shard)}`,
      flag,
    ];
    return inspection.commands.map((command) => [command, ...added].filter(Boolean).join(' '));
  };
  const commands = commandsWith(settings);
  const { filled } = inspection;
  const unsent = findUnsent?.(filled, readAssumptions(assume));
  if (unsent === undefined) return { ...inspection, commands };
  const sent = filled.filter((path) => !unsent.fields.includes(path));
  const first = inspection.first.map(({ record, ...place }) => ({
    ...place,
    record: selectFields(record as T & JsonObject, sent),
  }));
  if (unsent.choice === undefined) return { ...inspection, commands, first, unsent };
  const { setting, flag } = unsent.choice;
  const choices = [...commandsWith([...assume, setting]), ...commandsWith(settings, flag)];
  return { ...inspection, commands: choices, first, unsent, wouldPush: false };
}

async function write<T>(
  inspection: PushInspection<T>,
  format: 'table' | 'json' | 'ndjson' | 'none' | undefined,
  streams: Streams,
): Promise<void> {
  const chosen = chosenFormat(format, streams);
  if (chosen === 'none') return;
  if (chosen === 'table') {
    await writeOutput(streams, inspectionText(inspection, streams.columns));
    return;
  }
  const json = JSON.stringify(inspection, undefined, chosen === 'json' ? 2 : undefined);
  await writeOutput(streams, `${streams.isOutputTerminal ? terminalJson(json) : json}\n`);
}

/** @throws Failure('input') if the format of the input is still ambiguous; as `saveSettings`. */
async function save<T>(
  { kind, settings, problemCount, commands }: Inspection<T>,
  { context, notices, sources }: Invocation,
): Promise<void> {
  if (problemCount > 0 || commands.length !== 1) {
    const hint = 'choose with the flags listed by inspect, then save';
    throw new Failure('input', 'choices about these files are still open, so nothing was stored', hint);
  }
  const { name } = sources.profile;
  if (settings === undefined) {
    notices.info('nothing to store: the files are read this way without any flag');
    return;
  }
  await saveSettings(findFolders(context.env), name, settings);
  notices.info(`stored in profile ${name} for all ${kind} files: ${Object.keys(settings).join(', ')}`);
}

/** The reasons of open choices: several readings, values to omit, or the name that replaces YOUR-SHOP. */
function openChoices({
  proposals,
  unsent,
}: Pick<PushInspection<never>, 'proposals' | 'unsent'>): readonly HintText[] {
  const open = proposals.filter(
    ({ flag, value, alternatives }) => alternatives.length > 0 || flag === '--set' || isPlaceholder(value),
  );
  const { choice } = unsent ?? {};
  return [...open.map(({ reason }) => reason), ...(choice === undefined ? [] : [choice.reason])];
}

function choicesInWords(open: readonly HintText[], commands: readonly string[]): HintText {
  const reasons = joinHints(open, '\n');
  const lead = open.length === 1 ? 'one choice is open: ' : `${open.length} choices are open:\n`;
  return hint`${lead}${reasons}\npush with: ${commands.join('\nor: ')}`;
}

function refusalOf({ problemCount }: Pick<Inspection<never>, 'problemCount'>): Failure {
  const message = `${counted(problemCount, 'problem')} in the input: a push would refuse it`;
  return new Failure('input', message, 'correct what is listed and inspect again');
}
