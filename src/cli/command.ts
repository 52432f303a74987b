import type { ExitCode } from '../base/failure.ts';
import type { SettingSources } from '../config/setting-sources.ts';
import type { Notices } from '../output/notices.ts';
import type { Context } from './context.ts';
import type { FlagSet, FlagValues } from './flags.ts';

/** One call of a command: what was asked, and where to say what comes of it. */
export interface Invocation<F extends FlagSet> {
  readonly context: Context;
  readonly args: readonly string[];
  readonly flags: FlagValues<F>;
  readonly notices: Notices;
  /** Grows as secrets become known, so that no notice ever shows one. */
  readonly secrets: Set<string>;
  readonly sources: SettingSources;
}

/** A command: what it takes, how it is explained, and what it does. */
export interface CommandDefinition<F extends FlagSet = FlagSet> {
  /** Positional arguments as the help shows them: `<file...>`; none when left out. */
  readonly argument?: { readonly term: string; readonly help: string };
  readonly flags: F;
  readonly examples: readonly string[];
  /** The exit codes it may end with besides 0, 1, 2 and those of signals. */
  readonly exitCodes: readonly ExitCode[];
  run(invocation: Invocation<F>): Promise<ExitCode>;
}

/** Ties the types of flags and `run` together, and forgets them for the table of commands. */
export function defineCommand<const F extends FlagSet>(definition: CommandDefinition<F>): CommandDefinition {
  return definition as unknown as CommandDefinition;
}
