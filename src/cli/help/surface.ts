import type { ExitCode } from '../../base/failure.ts';
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
  /** The heading under which the help shows it. */
  readonly section: string;
  readonly help: string;
}

/** A word and what it means. */
export type HelpRow = readonly [term: string, meaning: string];

/**
 * The interface of the program at one place, as data: of a command, of a noun, or of the whole program. Help,
 * completion and the snapshot of the interface derive from it. The build stores each surface in a file, so that help
 * and completion load no command.
 */
export interface Surface {
  /** `orders push`, `orders`, or '' for the whole program. */
  readonly words: string;
  readonly summary: string;
  /** The words that may follow; none of a command. */
  readonly commands: readonly HelpRow[];
  readonly arguments: readonly ArgumentText[];
  readonly flags: readonly FlagSurface[];
  /** The names of the settings it reads. */
  readonly settings: readonly string[];
  readonly examples: readonly string[];
  /** Variables that are no flags. */
  readonly variables: readonly HelpRow[];
  readonly exitCodes: readonly ExitCode[];
}
