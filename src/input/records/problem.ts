/**
 * Something in the input that stops a record, or a file, from being sent. `reason` says what is wrong in words,
 * `remedy` what to do about it; `value` is the cell as it stands in the file, shortened but not made safe to display.
 */
export interface Problem {
  readonly file: string;
  readonly line?: number;
  readonly column?: string;
  readonly value?: string;
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
  /** Flags of which each would mend it; where there are several one has to be chosen. */
  readonly choices?: readonly string[];
}

/** Something worth knowing that stops nothing, told once for all files. */
export interface Notice {
  /** Whether it only says what was done; otherwise it is a warning. */
  readonly isInfo?: boolean;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}
