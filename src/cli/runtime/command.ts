import type { Clock } from '../../base/clock.ts';
import type { ExitCode, Failure } from '../../base/failure.ts';
import type { Random } from '../../base/random.ts';
import type { Environment } from '../../config/folders.ts';
import type { SettingSources } from '../../config/setting-sources.ts';
import type { Notices } from '../../output/terminal/notices.ts';
import type { Streams } from '../../output/terminal/streams.ts';
import type { FlagSet, FlagValues } from '../flags/flags.ts';
import { monitoringFlags } from '../flags/shared-flags.ts';
import type { SettingDefaults, SettingFlags } from '../settings/setting-names.ts';
import type { RunNotes } from './run-notes.ts';
import type { WorkUnderWay } from './work-under-way.ts';

/** The program around a command, for commands that call others or list all. */
export interface Program {
  /** Runs the command line `argv` as the program does. Never rejects. */
  run(argv: readonly string[], context: Context): Promise<ExitCode>;
  /** Every flag of every command that can be set as a setting. */
  readonly settingFlags: () => Promise<SettingFlags>;
  /** The default of each setting. Loads no command. */
  readonly settingDefaults: () => Promise<SettingDefaults>;
  /** The commands of these words, or all, as `schema commands` prints them. Loads none of them in the built program. */
  readonly commandList: (words: readonly string[]) => Promise<object>;
  /** The names of all settings, as in files. Loads no command in the built program. */
  readonly settingNames: () => Promise<readonly string[]>;
}

/** One call of a command: its input, and the receivers of its results. */
export interface Invocation<F extends FlagSet = FlagSet> {
  readonly context: Context;
  readonly program: Program;
  /** The words after the program's name, as typed. */
  readonly argv: readonly string[];
  readonly args: readonly string[];
  readonly flags: FlagValues<F>;
  readonly notices: Notices;
  /** Collects the facts for the summary of this run. */
  readonly summary: RunNotes;
  /** Tracks the work that an interrupted command completes. */
  readonly underWay: WorkUnderWay;
  /** Registers `close` to run when the command has ended or failed; the last one registered runs first. */
  readonly defer: (close: () => Promise<void>) => void;
  /** Grows as secrets become known, so that notices never show one. */
  readonly secrets: Set<string>;
  readonly sources: SettingSources;
  /** Failures of reading the settings; always empty unless the command accepts invalid ones. */
  readonly faults: readonly Failure[];
}

/** A positional argument as the help shows it: `<file...>`. */
export interface ArgumentText {
  readonly term: string;
  readonly help: string;
  /** The accepted words, if they are few and known. */
  readonly choices?: readonly string[];
}

/** A command: its arguments and flags, its help, and its function. */
export interface CommandDefinition<F extends FlagSet = FlagSet> {
  /** The positional arguments; by default none. */
  readonly argument?: ArgumentText | readonly ArgumentText[];
  readonly flags: F;
  readonly examples: readonly string[];
  /** True if it runs although the project file or profile is unreadable, because it reports or repairs that. */
  readonly acceptsInvalidSettings?: boolean;
  /** True if it reports unknown variables itself. */
  readonly reportsVariables?: boolean;
  /**
   * True if monitors may watch its runs; then it has the flags for them. `with` names a flag: settings name monitors
   * only for runs with that flag, because only those runs are jobs. Typed flags always do.
   */
  readonly isMonitored?: boolean | { readonly with: string };
  /** True if the command itself announces the work that it finishes after a signal. */
  readonly announcesStop?: boolean;
  /** The exit codes it may end with besides 0, 1, 2 and those of signals. */
  readonly exitCodes?: readonly ExitCode[];
  /** Resolves to the exit code; undefined means 0. */
  run(invocation: Invocation<F>): Promise<ExitCode> | Promise<void>;
}

/**
 * Checks that `run` fits the flags, and drops their types for the table of all commands. The cast is safe: a command
 * only runs with values that `readFlags` read by its own flags, which the types of the table cannot express.
 */
export function defineCommand<const F extends FlagSet>(definition: CommandDefinition<F>): CommandDefinition {
  const { flags, isMonitored } = definition;
  const all = isMonitored === undefined ? flags : { ...flags, ...monitoringFlags };
  return { ...definition, flags: all } as unknown as CommandDefinition;
}

/** The outside world of a command; tests replace it. */
export interface Context {
  readonly streams: Streams;
  readonly stdin: NodeJS.ReadableStream;
  readonly env: Environment;
  /** The working folder. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted by the first Ctrl-C: start no new work, finish the work under way. */
  readonly stopping: AbortSignal;
  /** Aborted by the second one, immediately before the process exits; without it, nothing is reported then. */
  readonly leaving?: AbortSignal;
}
