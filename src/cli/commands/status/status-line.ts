import { Failure } from '../../../base/failure.ts';
import { type HintText, reviewctl } from '../../../base/hint.ts';

/**
 * One line of the status: `ok` and `info` need nobody, `late` is a job without a recent success, `person` waits for
 * somebody. `next` is the command to run.
 */
export interface StatusLine {
  readonly about: string;
  readonly status: 'ok' | 'info' | 'late' | 'person';
  readonly message: string;
  /** Time of the last success of a job, in milliseconds since the epoch. */
  readonly lastMs?: number | undefined;
  readonly next?: HintText | undefined;
}

/** The line for something that cannot be read. @throws `error` unless it is a Failure. */
export function faultLine(about: string, error: unknown): StatusLine {
  if (!(error instanceof Failure)) throw error;
  return { about, status: 'person', message: error.message, next: error.nextStep };
}

/** The name of settlements in the setting `expect-jobs`. */
export const settleJob = 'settle';

/** A job that has to succeed, from the setting `expect-jobs`. */
export interface ExpectedJob {
  readonly name: string;
  readonly withinMs: number;
  /** The age as typed. */
  readonly within: string;
}

/** The status of each expected job; late are those without a success, and those whose last success is too old. */
export function lateJobs(
  expected: readonly ExpectedJob[],
  successes: ReadonlyMap<string, number>,
  nowMs: number,
): readonly StatusLine[] {
  return expected.map(({ name, withinMs, within }) => {
    const lastMs = successes.get(name);
    const about = `job ${name}`;
    if (lastMs === undefined)
      return { about, status: 'late', message: `no recorded success; expected within ${within}` };
    const isLate = nowMs - lastMs > withinMs;
    const message = isLate ? `no success within ${within}` : `succeeded within ${within}`;
    const next = isLate
      ? name === settleJob
        ? reviewctl`rewards settle --dry-run`
        : reviewctl`runs list`
      : undefined;
    return { about, status: isLate ? 'late' : 'ok', message, lastMs, next };
  });
}
