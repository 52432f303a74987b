import { type ExitCode, Failure } from '../../../base/failure.ts';
import type { HintText } from '../../../base/hint.ts';
import { connectionFlags, outputFlags, stateFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';

export const doctorFlags = {
  ...stateFlags,
  ...outputFlags,
  ...connectionFlags,
};
export type DoctorInvocation = Invocation<typeof doctorFlags>;

/** The result of one check and its exit code; `hint` is the next step. */
export type CheckFinding = {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly message: string;
  readonly hint?: HintText | undefined;
  readonly exitCode?: ExitCode;
};

interface Found<T> {
  readonly message: string;
  readonly value: T;
}

/** Yields the finding of a check, or its failure; returns its value. */
export async function* checked<T>(
  check: string,
  work: () => Found<T> | Promise<Found<T>>,
): AsyncGenerator<CheckFinding, T | undefined> {
  try {
    const { message, value } = await work();
    yield { check, status: 'ok', message };
    return value;
  } catch (error) {
    yield problemOf(check, error);
    return undefined;
  }
}

/** @throws anything that is not a Failure. */
export function problemOf(check: string, error: unknown): CheckFinding {
  if (!(error instanceof Failure)) throw error;
  const { message, nextStep: hint, exitCode } = error;
  return { check, status: 'problem', message, hint, exitCode };
}
