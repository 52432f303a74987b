import type { ExitCode } from '../../base/failure.ts';
import type { FlagType } from '../flags/flag-choices.ts';
import type { ArgumentText } from '../runtime/command.ts';

/** The interface of a flag; properties that it does not have are omitted. */
export interface FlagSurface {
  /** Its name as typed, without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** The type of its value, as typed; a switch has no value, or true or false in settings. */
  readonly type: FlagType;
  /** The placeholder of its value; absent for a switch. */
  readonly value?: string;
  /** The value of a flag typed without one, if that is allowed. */
  readonly bare?: string;
  readonly isRepeatable?: true;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** The variable that sets it. */
  readonly variable?: string;
  /** Its heading in the help. */
  readonly section: string;
  readonly help: string;
}

/** A term and its meaning. */
export type HelpRow = readonly [term: string, meaning: string];

/**
 * The interface of a command, of a noun, or of the whole program, as data. Help, completion and the snapshot of the
 * interface derive from it. The build stores each surface in a file, so that help and completion load no command.
 */
export interface Surface {
  /** `orders push`, `orders`, or '' for the whole program. */
  readonly words: string;
  readonly summary: string;
  /** The words that may follow; empty for a command. */
  readonly commands: readonly HelpRow[];
  readonly arguments: readonly ArgumentText[];
  readonly flags: readonly FlagSurface[];
  /** The names of the settings that it reads. */
  readonly settings: readonly string[];
  readonly examples: readonly string[];
  /** Variables other than those of flags. */
  readonly variables: readonly HelpRow[];
  readonly exitCodes: readonly ExitCode[];
}
