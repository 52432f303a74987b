import type { HintText } from '../../base/hint.ts';
import type { ProblemCode } from './problem-codes.ts';

/**
 * Something in the input that keeps a record or a file from being sent. `reason` says what is wrong, `remedy` how to
 * correct it; `value` is the cell of the file, shortened but not made safe for display.
 */
export interface Problem {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: string;
  readonly value?: string;
  readonly code: ProblemCode;
  readonly reason: string;
  readonly remedy: HintText;
  /** Flags that would resolve it; one of several has to be chosen. */
  readonly choices?: readonly string[];
}

/** A remark on the input that does not stop a push, given once for all files. */
export interface Notice {
  /** Whether it only reports what was done; otherwise it is a warning. */
  readonly isInfo?: boolean;
  readonly code: string;
  readonly message: string;
  readonly hint?: HintText;
}
