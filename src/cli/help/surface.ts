import type { ExitCode } from '../../base/failure.ts';
import type { CommandEntry } from '../commands/commands.ts';
import type { FlagType } from '../flags/flag-choices.ts';
import type { ArgumentText } from '../runtime/command.ts';

/** What a flag shows of itself; what it does not have is left out. */
export interface FlagSurface {
  /** As it is typed, without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** What its value is, as typed; a switch takes none, or true or false in settings. */
  readonly type: FlagType;
  /** The placeholder of its value; a switch has none. */
  readonly value?: string;
  /** Its meaning without a value, where that is optional. */
  readonly bare?: string;
  readonly isRepeatable?: true;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** The variable that sets it. */
  readonly variable?: string;
  readonly group?: string;
  readonly help: string;
}

/** A word and what it means. */
export type HelpRow = readonly [term: string, meaning: string];

/** What a command shows of itself. */
export interface CommandSurface {
  readonly kind: 'command';
  /** `orders push` */
  readonly words: string;
  readonly summary: string;
  readonly writes: CommandEntry['writes'];
  readonly arguments: readonly ArgumentText[];
  readonly flags: readonly FlagSurface[];
  /** The names of the settings it reads. */
  readonly settings: readonly string[];
  readonly examples: readonly string[];
  /** Variables that are no flags. */
  readonly variables: readonly HelpRow[];
  readonly exitCodes: readonly ExitCode[];
}

/** The words that may follow a noun, or the name of the program if the words are ''. */
export interface GroupSurface {
  readonly kind: 'group';
  readonly words: string;
  readonly summary: string;
  readonly commands: readonly HelpRow[];
  readonly options: readonly HelpRow[];
  readonly examples: readonly string[];
  readonly variables: readonly HelpRow[];
  readonly exitCodes: readonly ExitCode[];
}

/**
 * The interface of the program at one place, as data. Help, completion and the snapshot of the interface derive from
 * it. The build stores each surface in a file, so that help and completion load no command.
 */
export type Surface = CommandSurface | GroupSurface;
