import type { HintText } from './hint.ts';

/** The meaning of every exit code. The only table: help texts, the README and `main` read it. */
export const exitCodes = {
  0: 'success, including an empty list or a file without records',
  1: 'a bug or an unexpected failure',
  2: 'usage or configuration; unreadable path',
  3: 'input refused: nothing was sent',
  4: 'not authenticated or not allowed',
  5: 'service unreachable or overloaded after all retries; run the same command again',
  6: 'partial success: some records were refused or failed; each is listed',
  7: 'stopped by a guard: error budget, spending cap, expectation',
  8: 'jobs still pending when --wait ran out',
  9: 'another run holds the lock',
  11: 'an outcome is unknown and needs a person; the hint names the command',
  12: 'the ledger was refused (missing, foreign, out of date, damaged)',
  130: 'interrupted; the hint names the next step',
  143: 'terminated; the hint names the next step',
} as const;

export type ExitCode = keyof typeof exitCodes;

export function isExitCode(code: number): code is ExitCode {
  return Object.hasOwn(exitCodes, code);
}

const exitCodeOfKind = {
  bug: 1,
  'unwritable-output': 1,
  usage: 2,
  config: 2,
  'unreadable-path': 2,
  'unwritable-path': 2,
  input: 3,
  'not-authenticated': 4,
  'not-allowed': 4,
  unreachable: 5,
  overloaded: 5,
  'unreachable-state': 5,
  'unreadable-reply': 5,
  'not-found': 6,
  refused: 6,
  'inconsistent-list': 6,
  'contradictory-reply': 6,
  guard: 7,
  pending: 8,
  locked: 9,
  'unknown-outcome': 11,
  ledger: 12,
  interrupted: 130,
  terminated: 143,
} as const satisfies Record<string, Exclude<ExitCode, 0>>;

/** The closed set of reasons that stop a run; also the stable `code` of error output. */
export type FailureKind = keyof typeof exitCodeOfKind;

/** The exit code of each reason. */
export const exitCodeOf: Readonly<Record<FailureKind, Exclude<ExitCode, 0>>> = exitCodeOfKind;

/**
 * When the same command may succeed later: `same` as it is, `after-change` of what the hint names, `never`, or after a
 * `person` has looked.
 */
export const retryAdvice = ['same', 'after-change', 'never', 'person'] as const;
export type RetryAdvice = (typeof retryAdvice)[number];

const retryOfExitCode: Readonly<Record<Exclude<ExitCode, 0>, RetryAdvice>> = {
  1: 'person',
  2: 'after-change',
  3: 'after-change',
  4: 'after-change',
  5: 'same',
  6: 'person',
  7: 'person',
  8: 'same',
  9: 'same',
  11: 'person',
  12: 'person',
  130: 'same',
  143: 'same',
};

/** The advice for a kind of failure. A record that does not exist will not exist on a retry. */
export function retryOf(kind: FailureKind): RetryAdvice {
  return kind === 'not-found' ? 'never' : retryOfExitCode[exitCodeOf[kind]];
}

/** The place of a failure, as far as it is known. */
export interface FailurePlace {
  readonly status?: number;
  readonly operation?: string;
  readonly file?: string;
  readonly line?: number;
}

/**
 * The only error that stops a run. `message` says what happened and where, `hint` names the next step. Expected
 * outcomes (a refused record, a pending job) are values and never thrown.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  /** The next step; the commands in it are data. */
  readonly nextStep: HintText | undefined;
  readonly place: FailurePlace;

  constructor(
    kind: FailureKind,
    message: string,
    hint?: HintText,
    place: FailurePlace & { readonly cause?: unknown } = {},
  ) {
    const { cause, ...rest } = place;
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.nextStep = hint;
    this.place = rest;
  }

  /** The next step as text. Its commands lack the flags of this call. */
  get hint(): string | undefined {
    return this.nextStep?.toString();
  }

  get exitCode(): ExitCode {
    return exitCodeOf[this.kind];
  }
}

/** True if a signal ended the run. A request that failed with this error was not sent. */
export function isInterruption(error: unknown): error is Failure {
  return error instanceof Failure && (error.kind === 'interrupted' || error.kind === 'terminated');
}

/** Exit codes by precedence, strongest first. */
const precedence: readonly ExitCode[] = [12, 11, 143, 130, 1, 3, 4, 2, 7, 5, 8, 6, 9];

/** The exit code of a run to which all of `codes` apply; 0 for none. */
export function strongestExitCode(codes: Iterable<ExitCode>): ExitCode {
  const applied = new Set(codes);
  return precedence.find((code) => applied.has(code)) ?? 0;
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a Node.js system error (`ENOENT`, `EPIPE`), or undefined. */
export function systemCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
