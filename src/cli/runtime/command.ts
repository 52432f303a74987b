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

/** The program around a command, for those that call others or speak of all. */
export interface Program {
  /** Runs the command that `argv` asks for, as the program does. Never rejects. */
  run(argv: readonly string[], context: Context): Promise<ExitCode>;
  /** Every flag of every command that can be set elsewhere. */
  readonly settingFlags: () => Promise<SettingFlags>;
  /** The default of each setting. Loads no command. */
  readonly settingDefaults: () => Promise<SettingDefaults>;
  /** The commands of these words, or all, as `schema commands` prints them. Loads none of them in the built program. */
  readonly commandList: (words: readonly string[]) => Promise<object>;
  /** The names of all settings, as files write them. Loads no command in the built program. */
  readonly settingNames: () => Promise<readonly string[]>;
}

/** One call of a command: what was asked, and where to say what comes of it. */
export interface Invocation<F extends FlagSet = FlagSet> {
  readonly context: Context;
  readonly program: Program;
  /** The words after the program's name, as typed. */
  readonly argv: readonly string[];
  readonly args: readonly string[];
  readonly flags: FlagValues<F>;
  readonly notices: Notices;
  /** Takes what the summary of this run is made of. */
  readonly summary: RunNotes;
  /** Takes what an interrupted command completes. */
  readonly underWay: WorkUnderWay;
  /** Has `close` called when the command has ended, whatever happens; what was opened last is closed first. */
  readonly defer: (close: () => Promise<void>) => void;
  /** Grows as secrets become known, so that no notice ever shows one. */
  readonly secrets: Set<string>;
  readonly sources: SettingSources;
  /** What is wrong with the settings; always empty unless the command is tolerant. */
  readonly faults: readonly Failure[];
}

/** A positional argument as the help shows it: `<file...>`. */
export interface ArgumentText {
  readonly term: string;
  readonly help: string;
  /** The words it takes, where they are few and known. */
  readonly choices?: readonly string[];
}

/** A command: what it takes, how it is explained, and what it does. */
export interface CommandDefinition<F extends FlagSet = FlagSet> {
  /** The positional arguments; none when left out. */
  readonly argument?: ArgumentText | readonly ArgumentText[];
  readonly flags: F;
  readonly examples: readonly string[];
  /** Whether it runs although the project file or profile is unreadable, because it reports or repairs that. */
  readonly acceptsInvalidSettings?: boolean;
  /** Whether it reports variables that no command reads itself. */
  readonly reportsVariables?: boolean;
  /**
   * Whether monitors may watch its runs: then it takes the flags for it. `with` names the flag without which settings
   * name no monitor for a run, since only its runs with that flag are jobs; typed flags always do.
   */
  readonly isMonitored?: boolean | { readonly with: string };
  /** Set if the command itself announces what it finishes after a signal. */
  readonly announcesStop?: boolean;
  /** The exit codes it may end with besides 0, 1, 2 and those of signals. */
  readonly exitCodes?: readonly ExitCode[];
  /** Resolves to the exit code; to nothing for 0. */
  run(invocation: Invocation<F>): Promise<ExitCode> | Promise<void>;
}

/**
 * Checks that `run` fits the flags, and drops their types for the table of all commands. The cast is safe: a command is
 * only run with values that `readFlags` read by its own flags, which the types of the table cannot express.
 */
export function defineCommand<const F extends FlagSet>(definition: CommandDefinition<F>): CommandDefinition {
  const { flags, isMonitored } = definition;
  const all = isMonitored === undefined ? flags : { ...flags, ...monitoringFlags };
  return { ...definition, flags: all } as unknown as CommandDefinition;
}

/** What a command may touch of the world outside; tests bring their own. */
export interface Context {
  readonly streams: Streams;
  readonly stdin: NodeJS.ReadableStream;
  readonly env: Environment;
  /** The working folder. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted by the first Ctrl-C: take no new work, finish what is under way. */
  readonly stopping: AbortSignal;
  /** Aborted by the second one, in the last instant of the process; without it, nothing is said then. */
  readonly leaving?: AbortSignal;
}
