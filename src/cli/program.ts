import { Command, CommanderError } from 'commander';
import { type ExitCode, exitCodes, Failure } from '../base/failure.ts';
import { version } from '../base/version.ts';
import { type Environment, findFolders } from '../config/folders.ts';
import { readProfile } from '../config/profiles.ts';
import {
  environmentName,
  findSetting,
  projectPath,
  readProjectFile,
  type SettingSources,
} from '../config/setting-sources.ts';
import { createNotices, type Notices } from '../output/notices.ts';
import { writeError, writeOutput } from '../output/streams.ts';
import { allSettingFlags, checkProjectNouns } from './all-setting-flags.ts';
import type { CommandDefinition, Invocation } from './command.ts';
import { commands, nouns } from './commands.ts';
import type { Context } from './context.ts';
import { declareFlags, type Flag, type FlagSet, readFlags, spellOut } from './flags.ts';
import { unknownVariables, variableHint } from './setting-names.ts';
import { connectionFlags, noticeFlags } from './shared-flags.ts';

/** Exit codes any command may end with. */
const commonExitCodes: readonly ExitCode[] = [0, 1, 2, 130, 143];

type TypedFlags = Readonly<Record<string, unknown>>;

/** What commander calls back while it reads the command line. */
interface Frame {
  readonly context: Context;
  readonly run: (command: Command, definition: CommandDefinition) => Promise<void>;
  /** Text that was asked for in place of a command: help, or the version. */
  readonly tell: (text: string) => void;
  /** Told, before the reading ends without a command, of the flags read so far. */
  readonly end: (typed: TypedFlags) => void;
}

/**
 * Runs the command that `argv` (without program names) asks for, and says on stderr what stopped it. Only the command that is
 * called is loaded. Never rejects.
 */
export async function runProgram(argv: readonly string[], context: Context): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  let helpText = '';
  let typed: TypedFlags = {};
  const frame: Frame = {
    context,
    run: async (command, definition) => {
      typed = command.opts();
      exitCode = await runCommand(typed, definition, { argv, args: command.args, context });
    },
    tell: (text) => {
      helpText += text;
    },
    end: (flags) => {
      typed = flags;
    },
  };
  try {
    const words = asHelpFlag(argv);
    const called = calledCommand(words);
    const definition = called === undefined ? undefined : await commands[called]?.load();
    const program = buildProgram(called, definition, frame);
    const endedWith = await parse(program, spellOut(words, definition?.flags ?? {}));
    if (helpText !== '') await writeOutput(context.streams, helpText);
    return endedWith ?? exitCode;
  } catch (error) {
    const profile = { name: '', settings: {} };
    return reportError(openNotices(context, { flags: typed, env: context.env, project: {}, profile }), error);
  }
}

/**
 * Reads the command line and runs its command; resolves to an exit code where it shows help or the version instead.
 * @throws Failure('usage') for a command line that makes no sense.
 */
async function parse(program: Command, words: readonly string[]): Promise<ExitCode | undefined> {
  try {
    await program.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    // A noun alone: its help on stderr is the message.
    if (error.code === 'commander.help') return 2;
    throw new Failure('usage', error.message.replace(/^error: /, ''), 'add --help for what it takes');
  }
}

function buildProgram(
  called: string | undefined,
  definition: CommandDefinition | undefined,
  frame: Frame,
): Command {
  const program = configure(new Command('reviewctl'), frame)
    .description('Push catalogs and orders, and read reviews and rewards, through the review admin API.')
    .version(version, '-V, --version', 'print the version')
    .addHelpText('after', overviewHelp());
  const groups = new Map<string, Command>();
  for (const [words, entry] of Object.entries(commands)) {
    const [noun = '', verb] = words.split(' ');
    const command = configure(new Command(verb ?? noun), frame)
      .summary(entry.summary)
      .description(entry.summary);
    if (words === called && definition !== undefined) equip(command, definition, frame);
    if (verb === undefined) {
      program.addCommand(command);
      continue;
    }
    let group = groups.get(noun);
    if (group === undefined) {
      group = configure(new Command(noun), frame).description(nouns[noun] ?? noun);
      groups.set(noun, group);
      program.addCommand(group);
    }
    group.addCommand(command);
  }
  return program;
}

/** `help orders push` and `orders help push` as `orders push --help`. */
function asHelpFlag(argv: readonly string[]): readonly string[] {
  const at = argv.slice(0, 2).indexOf('help');
  const isOfGroup = at === 0 || (at === 1 && Object.hasOwn(nouns, argv[0] ?? ''));
  return isOfGroup ? [...argv.toSpliced(at, 1), '--help'] : argv;
}

/** The words of the command that is called. */
function calledCommand([noun = '', verb = '']: readonly string[]): string | undefined {
  return [`${noun} ${verb}`, noun].find((name) => Object.hasOwn(commands, name));
}

function configure(command: Command, { context: { streams }, tell, end }: Frame): Command {
  return command
    .exitOverride((error) => {
      end(command.opts());
      throw error;
    })
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: tell,
      writeErr: (text) => writeError(streams, text),
      // Its messages repeat what was typed, so they are told like all others (see `parse`).
      outputError: () => undefined,
      getOutHelpWidth: () => streams.columns,
      getErrHelpWidth: () => streams.errorColumns,
    });
}

function equip(command: Command, definition: CommandDefinition, { run }: Frame): void {
  const flags = { ...definition.flags, ...noticeFlags };
  declareFlags(command, flags);
  for (const { term, help } of [definition.argument ?? []].flat()) command.argument(term, help);
  command.addHelpText('after', commandHelp(definition));
  command.action(() => run(command, definition));
}

async function runCommand(
  typed: TypedFlags,
  definition: CommandDefinition,
  call: Pick<Invocation<FlagSet>, 'argv' | 'args' | 'context'>,
): Promise<ExitCode> {
  const { context } = call;
  const { sources, faults } = readSources(typed, call.argv, context, definition);
  const secrets = new Set<string>();
  const notices = openNotices(context, sources, secrets);
  try {
    const known = { ...definition.flags, ...noticeFlags };
    if (!definition.tellsVariables) warnOfVariables(context.env, notices);
    const flags = readFlags(known, sources);
    const program = { run: runProgram, settingFlags: allSettingFlags };
    return await definition.run({ ...call, program, flags, notices, secrets, sources, faults });
  } catch (error) {
    return reportError(notices, error);
  }
}

function warnOfVariables(env: Environment, notices: Notices): void {
  for (const variable of unknownVariables(env)) {
    notices.warning(`no command reads ${variable.name}`, variableHint(variable));
  }
}

/** Reads the layers of settings; what a tolerant command meets that cannot be read is empty, and stands in `faults`. */
function readSources(
  typed: TypedFlags,
  [noun = '']: readonly string[],
  { cwd, env }: Context,
  { isTolerant = false }: CommandDefinition,
): { readonly sources: SettingSources; readonly faults: readonly Failure[] } {
  const faults: Failure[] = [];
  const read = <T>(layer: () => T, empty: T): T => {
    try {
      return layer();
    } catch (error) {
      if (!isTolerant || !(error instanceof Failure)) throw error;
      faults.push(error);
      return empty;
    }
  };
  const project = read(() => {
    const settings = readProjectFile(cwd);
    checkProjectNouns(settings, projectPath(cwd));
    return settings;
  }, {});
  const named = typed['profile'] ?? env[environmentName('profile')];
  const wanted = typeof named === 'string' && named !== '' ? named : undefined;
  const profile = read(() => readProfile(findFolders(env), wanted), { name: 'default', settings: {} });
  return { sources: { noun, flags: typed, env, project, profile }, faults };
}

/** Notices as the settings want them; a setting that is not valid is told of by whoever reads the flags. */
function openNotices({ streams }: Context, sources: SettingSources, secrets: Iterable<string> = []): Notices {
  const read = <T>({ schema }: Flag<T>, name: string) =>
    schema.safeParse(findSetting(sources, name)?.value).data;
  // Whoever typed that records are to be JSON reads errors with a program too.
  const isJsonTyped = /^(?:nd)?json$/i.test(String(sources.flags['output']));
  return createNotices(streams, {
    format: read(noticeFlags.logFormat, 'logFormat') ?? (isJsonTyped ? 'json' : 'text'),
    isDebug: read(connectionFlags.debug, 'debug') ?? false,
    secrets,
  });
}

function reportError(notices: Notices, error: unknown): ExitCode {
  const failure = error instanceof Failure ? error : bugOf(error);
  notices.error(failure);
  return failure.exitCode;
}

/** Anything but a Failure is a mistake of this program. */
function bugOf(error: unknown): Failure {
  const failure = new Failure(
    'bug',
    `unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    `this is a mistake in reviewctl ${version} (Node ${process.version}); please report the lines above`,
    { cause: error },
  );
  return failure;
}

function commandHelp({ examples, exitCodes: own, flags }: CommandDefinition): string {
  const isAllSettable = !Object.values(flags).some(({ isContent }) => isContent);
  const codes = [...new Set<ExitCode>([...commonExitCodes, ...own])].sort((a, b) => a - b);
  const lines = codes.map((code) => `  ${String(code).padEnd(4)} ${exitCodes[code]}`);
  return [
    '',
    'Examples:',
    ...examples.map((example) => `  $ ${example}`),
    '',
    `Every flag${isAllSettable ? '' : ' but those of what is sent'} can also be set in the environment: --batch-size as REVIEWCTL_BATCH_SIZE.`,
    '',
    'Exit codes:',
    ...lines,
  ].join('\n');
}

function overviewHelp(): string {
  return ['', 'New here? reviewctl demo shows the whole tool at work, on a service of its own.'].join('\n');
}
