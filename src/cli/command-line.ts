import { Command, CommanderError } from 'commander';
import {
  type ExitCode,
  Failure,
  type FailureKind,
  isInterruption,
  strongestExitCode,
} from '../base/failure.ts';
import { koreanZone } from '../base/korean-time.ts';
import { version } from '../base/version.ts';
import { findFolders } from '../config/folders.ts';
import { readProfile } from '../config/profiles.ts';
import {
  environmentName,
  projectPath,
  readProjectFile,
  type SettingSources,
} from '../config/setting-sources.ts';
import { createNotices, type Notices } from '../output/terminal/notices.ts';
import { writeError, writeOutput } from '../output/terminal/streams.ts';
import { commands } from './commands/commands.ts';
import { declareFlags, type FlagSet, type FlagValues, readFlag, readFlags, spellOut } from './flags/flags.ts';
import { commonFlags } from './flags/shared-flags.ts';
import {
  allSettingFlags,
  checkNouns,
  findSettingDefaults,
  findSettingNames,
  findSettings,
  unreadSettings,
} from './help/all-setting-flags.ts';
import { asHelpFlag, commandPath, helpSubject, isTopic, withFirstName } from './help/command-path.ts';
import { addHintFlags } from './help/hint-flags.ts';
import { checkHelpWords, faultOf, forgottenValue, usageError } from './help/usage-error.ts';
import type { CommandDefinition, Context, Invocation } from './runtime/command.ts';
import { openMonitor } from './runtime/monitor.ts';
import { RunNotes } from './runtime/run-notes.ts';
import { announceStop, WorkUnderWay } from './runtime/work-under-way.ts';
import { readOverrides, readValidOverrides } from './settings/overrides.ts';
import { unknownVariables, variableHint } from './settings/setting-names.ts';

type TypedFlags = Readonly<Record<string, unknown>>;
type RunProgram = (argv: readonly string[], context: Context) => Promise<ExitCode>;

/**
 * Reads the command line, runs its command, and writes the reason of a failure to stderr. Commands use `runProgram` to
 * run other commands. Never rejects.
 */
export async function runCommandLine(
  typedWords: readonly string[],
  context: Context,
  runProgram: RunProgram,
): Promise<ExitCode> {
  const argv = withFirstName(typedWords);
  let definition: CommandDefinition | undefined;
  let called: Command | undefined;
  try {
    const words = asHelpFlag(argv);
    const path = commandPath(words);
    definition = path === undefined ? undefined : (await commands[path]?.load())?.command;
    const program = buildProgram(path);
    if (path !== undefined && definition !== undefined) called = equip(program, path, definition);
    const requested = parse(program, called, spellOut(words, definition?.flags ?? {}), definition);
    if (requested !== undefined || called === undefined || definition === undefined)
      return await answer(requested ?? 'nothing', words, context);
    const call = { argv, args: called.args, context };
    return await runCommand(called.opts(), definition, call, runProgram);
  } catch (error) {
    return refuse(error, called?.opts() ?? {}, definition, { argv, context });
  }
}

/**
 * Reports why a command line was not run, with the settings as far as they can be read; its monitors are notified as
 * well.
 */
async function refuse(
  error: unknown,
  typed: TypedFlags,
  definition: CommandDefinition | undefined,
  { argv, context }: Pick<Invocation, 'argv' | 'context'>,
): Promise<ExitCode> {
  const { sources } = await readSources(typed, argv, context, true);
  const { monitor, notices } = await watchRun(definition, sources, { argv, context });
  const exitCode = await reportError(notices, error);
  await monitor.end(exitCode);
  return exitCode;
}

/** The notices of a run, and the monitors that watch it. */
async function watchRun(
  definition: CommandDefinition | undefined,
  sources: SettingSources,
  { argv, context }: Pick<Invocation, 'argv' | 'context'>,
) {
  const secrets = new Set<string>();
  const summary = new RunNotes();
  const notices = summary.watch(await openNotices(context, sources, secrets));
  const command = commandPath(argv) ?? '';
  const monitor = await openMonitor({
    command,
    definition,
    context,
    sources,
    notices,
    notes: summary,
    secrets,
  });
  return { command, secrets, summary, notices, monitor };
}

/** A request other than a command; `nothing` is a noun alone. */
type Requested = 'help' | 'version' | 'nothing';

/**
 * Reads the words; returns the request if it is not a command.
 * @throws Failure('usage') for an invalid command line.
 */
function parse(
  program: Command,
  called: Command | undefined,
  words: readonly string[],
  definition: CommandDefinition | undefined,
): Requested | undefined {
  const forgotten = called && forgottenValue(words, called);
  if (forgotten !== undefined) throw usageError(forgotten, words, definition);
  try {
    program.parse(words, { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version') return 'version';
    if (error.code === 'commander.helpDisplayed') return 'help';
    if (error.code === 'commander.help') return 'nothing';
    const command = called ?? findCommand(program, program.args[0] ?? '') ?? program;
    throw usageError(faultOf(error, command), words, definition);
  }
}

async function answer(
  requested: Requested,
  words: readonly string[],
  { streams }: Context,
): Promise<ExitCode> {
  if (requested === 'version') {
    await writeOutput(streams, `${version}\n`);
    return 0;
  }
  const [{ findSurface }, { helpText }] = await Promise.all([
    import('./help/find-surface.ts'),
    import('./help/help-text.ts'),
  ]);
  if (requested === 'help' && isTopic(words[0])) {
    const { topicText } = await import('./help/help-topics.ts');
    await writeOutput(streams, await topicText(words[0], streams.columns));
    return 0;
  }
  if (requested === 'help') checkHelpWords(words);
  const columns = requested === 'help' ? streams.columns : streams.errorColumns;
  const text = helpText(await findSurface(helpSubject(words)), columns);
  if (requested === 'help') {
    await writeOutput(streams, text);
    return 0;
  }
  // The help is the message: the verb is missing.
  writeError(streams, text);
  return 2;
}

/**
 * The program with the command of this path, or with all: the others are needed by name only, to suggest one for a
 * misspelled name.
 */
function buildProgram(path: string | undefined): Command {
  const nothing = () => undefined;
  const program = new Command('reviewctl')
    .version(version, '-V, --version')
    .exitOverride()
    // `faultOf` suggests the nearest name.
    .showSuggestionAfterError(false)
    // Help is rendered by `helpText`.
    .configureOutput({ writeOut: nothing, writeErr: nothing, outputError: nothing })
    .configureHelp({ formatHelp: () => '' });
  const add = (parent: Command, name: string) => findCommand(parent, name) ?? parent.command(name);
  for (const words of path === undefined ? Object.keys(commands) : [path])
    words.split(' ').reduce(add, program);
  return program;
}

function findCommand(command: Command, name: string): Command | undefined {
  return command.commands.find((one) => one.name() === name);
}

/** Declares the arguments and flags of the command of this path. */
function equip(program: Command, path: string, { argument = [], flags }: CommandDefinition): Command {
  const command = path.split(' ').reduce((parent, name) => findCommand(parent, name) ?? parent, program);
  declareFlags(command, { ...flags, ...commonFlags });
  for (const { term, help } of [argument].flat()) command.argument(term, help);
  return command.action(() => undefined);
}

async function runCommand(
  typed: TypedFlags,
  definition: CommandDefinition,
  call: Pick<Invocation, 'argv' | 'args' | 'context'>,
  runProgram: RunProgram,
): Promise<ExitCode> {
  const { context } = call;
  // A mistyped -c is refused even if invalid files are accepted.
  checkNouns(await readOverrides(typed['config'], findSettings), '-c');
  const { sources, faults } = await readSources(typed, call.argv, context, definition.acceptsInvalidSettings);
  const { command, monitor, notices, ...watched } = await watchRun(definition, sources, call);
  const underWay = new WorkUnderWay();
  const closings: (() => Promise<void>)[] = [];
  const defer = (close: () => Promise<void>) => void closings.unshift(close);
  const endOfStop = announceStop({
    context,
    notices,
    underWay: definition.announcesStop ? new WorkUnderWay() : underWay,
    nextStep: () => stepAfterLeaving(command, watched.summary.run),
  });
  let exitCode: ExitCode = 0;
  try {
    const { timeZone: zone, ...common } = commonFlags;
    // An invalid zone must not stop the command that would correct it.
    const isLenient = definition.acceptsInvalidSettings === true;
    const known: FlagSet = { ...definition.flags, ...common, ...(isLenient ? {} : { timeZone: zone }) };
    const unknown = definition.reportsVariables
      ? []
      : await unknownVariables(context.env, findSettingNames, known);
    for (const variable of unknown)
      notices.warning(`no command reads ${variable.name}`, variableHint(variable));
    for (const { key, hint } of await unreadSettings(sources.profile, known)) {
      // `config unset KEY` removes it.
      if (call.args.includes(key)) continue;
      notices.warning(`no command reads '${key}' of profile ${sources.profile.name}`, hint);
    }
    const flags = quietened(readFlags(known, sources));
    const program = {
      run: runProgram,
      settingFlags: allSettingFlags,
      settingDefaults: findSettingDefaults,
      settingNames: findSettingNames,
      commandList: async (words: readonly string[]) =>
        (await import('./help/command-list.ts')).commandList(words),
    };
    await monitor.start();
    context.streams.timeZone = readFlag(commonFlags, 'timeZone', sources) ?? koreanZone;
    const run = { ...call, ...watched, notices, underWay, defer, program, flags, sources, faults };
    try {
      exitCode = (await definition.run(run)) ?? 0;
    } finally {
      await closeAll(closings);
    }
  } catch (error) {
    // A failure to close must not hide the failure of the command itself.
    const reported = await reportError(notices, withNextStep(causeOf(error, context), call.argv));
    exitCode = strongestExitCode([exitCode, reported]);
  } finally {
    endOfStop();
  }
  exitCode = withSignal(exitCode, context);
  await monitor.end(exitCode);
  return exitCode;
}

/** Runs all closings, the rest even if one fails. */
async function closeAll(closings: readonly (() => Promise<void>)[]): Promise<void> {
  const [first, ...rest] = closings;
  if (first === undefined) return;
  try {
    await first();
  } finally {
    await closeAll(rest);
  }
}

/** Failures of requests that a run retries until it is stopped. */
const retriedKinds: ReadonlySet<FailureKind> = new Set(['unreachable', 'overloaded', 'unreadable-reply']);

/** The interruption, if a failure is only due to it. */
function causeOf(error: unknown, { stopping }: Context): unknown {
  const isDueToIt = stopping.aborted && error instanceof Failure && retriedKinds.has(error.kind);
  return isDueToIt ? stopping.reason : error;
}

/** The exit code of the process. An interruption counts even if a command that ends early returns 0. */
function withSignal(exitCode: ExitCode, { stopping: { reason } }: Context): ExitCode {
  return reason instanceof Failure ? strongestExitCode([exitCode, reason.exitCode]) : exitCode;
}

/** An interruption with its next step for the command: one that only reads has nothing to continue. */
function withNextStep(error: unknown, argv: readonly string[]): unknown {
  if (!isInterruption(error) || error.nextStep !== undefined) return error;
  const { kind, message, place } = error;
  const hint = isReading(commandPath(argv))
    ? incomplete
    : 'run the same command again; completed writes are not repeated';
  return new Failure(kind, message, hint, { ...place, cause: error });
}

const incomplete = 'the output is incomplete; run the same command again';

function isReading(command: string | undefined): boolean {
  return commands[command ?? '']?.writes === 'nothing';
}

/** The next step after a second signal. `run` is the id of the recorded run, if there is one. */
function stepAfterLeaving(command: string, run: string | undefined): string {
  if (isReading(command)) return incomplete;
  return run === undefined
    ? 'check whether it was carried out before you run the same command again'
    : 'run the same command again: it continues, and repeats nothing that may have arrived';
}

/** Turns off progress with --quiet. */
function quietened(flags: FlagValues<FlagSet>): FlagValues<FlagSet> {
  return flags['quiet'] === true && Object.hasOwn(flags, 'progress') ? { ...flags, progress: 'none' } : flags;
}

/**
 * Reads the layers of settings. If invalid ones are accepted, an unreadable layer is empty and its failure is in
 * `faults`.
 */
async function readSources(
  typed: TypedFlags,
  [noun = '']: readonly string[],
  context: Context,
  acceptsInvalidSettings = false,
): Promise<{ readonly sources: SettingSources; readonly faults: readonly Failure[] }> {
  const faults: Failure[] = [];
  const read = async <T>(layer: () => T | Promise<T>, empty: T): Promise<T> => {
    try {
      return await layer();
    } catch (error) {
      if (!acceptsInvalidSettings || !(error instanceof Failure)) throw error;
      faults.push(error);
      return empty;
    }
  };
  const project = await read(async () => {
    const settings = await readProjectFile(context.cwd, findSettingNames);
    checkNouns(settings, projectPath(context.cwd));
    return settings;
  }, {});
  const { env } = context;
  const named = typed['profile'] ?? env[environmentName('profile')];
  const wanted = typeof named === 'string' && named !== '' ? named : undefined;
  const profile = await read(async () => readProfile(findFolders(env), wanted), {
    name: 'default',
    settings: {},
  });
  const valid = acceptsInvalidSettings ? await readValidOverrides(typed['config'], findSettings) : {};
  const overrides = await read(() => readOverrides(typed['config'], findSettings), valid);
  return { sources: { noun, flags: typed, overrides, env, project, profile }, faults };
}

/** Notices as configured by the settings; an invalid setting is reported later, when the flags are read. */
async function openNotices(
  { streams }: Context,
  sources: SettingSources,
  secrets: Iterable<string>,
): Promise<Notices> {
  // A person who chose JSON records also reads errors with a program.
  const isJsonTyped = /^(?:nd)?json$/i.test(String(sources.flags['output']));
  streams.errorFormat = readFlag(commonFlags, 'logFormat', sources) ?? (isJsonTyped ? 'json' : 'text');
  return createNotices(streams, {
    format: streams.errorFormat,
    debugStack: readFlag(commonFlags, 'debug', sources) ? await loadSourceStack() : undefined,
    isQuiet: readFlag(commonFlags, 'quiet', sources) ?? false,
    secrets,
    completeCommand: (command) => addHintFlags(command, sources),
  });
}

/** Loaded only if a stack is shown. */
async function loadSourceStack(): Promise<(stack: string) => string> {
  return (await import('./runtime/source-stack.ts')).sourceStack;
}

async function reportError(notices: Notices, error: unknown): Promise<ExitCode> {
  const failure = error instanceof Failure ? error : bugOf(error, await loadSourceStack());
  notices.error(failure);
  return failure.exitCode;
}

/** Anything but a Failure is a bug of this program. */
function bugOf(error: unknown, sourceStack: (stack: string) => string): Failure {
  const failure = new Failure(
    'bug',
    `unexpected: ${error instanceof Error ? sourceStack(error.stack ?? error.message) : String(error)}`,
    `this is a bug in reviewctl ${version} (Node ${process.version}); please report the lines above`,
    { cause: error },
  );
  // The message contains the stack of the error, which alone says where the bug is.
  failure.stack = '';
  return failure;
}
