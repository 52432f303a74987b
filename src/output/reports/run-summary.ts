import { type ExitCode, exitCodes, type FailureKind } from '../../base/failure.ts';
import { isoIn } from '../../base/korean-time.ts';

/** Facts that a command notes about its own run while it works. */
export interface RunFacts {
  /** The id of the run, if it is recorded. */
  readonly run?: string | undefined;
  /** Numbers of records by outcome, in the words of the totals on stderr. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Exact amounts of money by outcome, in the shop's own unit: `{ paid: '12000.5' }`. */
  readonly amounts?: Readonly<Record<string, string>> | undefined;
  /** The next commands named in its messages, the most important first. */
  readonly next?: readonly string[] | undefined;
  /**
   * The kind of the failure that stopped it, as in JSON messages. The message is omitted because it may quote the
   * input.
   */
  readonly error?: FailureKind | undefined;
}

/**
 * One run of a long command in numbers, for monitors. It holds no personal data: no text of the input, and no message
 * that could quote one.
 */
export interface RunSummary<Code extends ExitCode | null = ExitCode> extends RunFacts {
  /** The words of the command: `rewards settle`. */
  readonly command: string;
  readonly profile: string;
  /** Korean time: `2026-11-22T03:15:00+09:00`. */
  readonly started: string;
  readonly seconds: number;
  /** Null until the run has ended; stays null in the file of a killed run. */
  readonly exitCode: Code;
  /** The exit code in words. */
  readonly meaning: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** The part of a summary that the program adds for every run. */
export interface RunFrame<Code extends ExitCode | null>
  extends Pick<RunSummary<Code>, 'command' | 'profile' | 'exitCode'> {
  /** Start and duration in milliseconds. */
  readonly startedMs: number;
  readonly tookMs: number;
}

const koreanTime = '+09:00';
const secondsLength = 'YYYY-MM-DDTHH:MM:SS'.length;

export function runSummary<Code extends ExitCode | null>(
  { command, profile, exitCode, startedMs, tookMs }: RunFrame<Code>,
  { run, counts = {}, amounts, next, error }: RunFacts,
): RunSummary<Code> {
  return {
    command,
    run,
    profile,
    started: isoIn(startedMs, koreanTime).slice(0, secondsLength) + koreanTime,
    seconds: Math.round(tookMs) / 1000,
    exitCode,
    meaning: exitCode === null ? 'not ended: it is running, or was killed' : exitCodes[exitCode],
    counts,
    amounts,
    next: next?.length === 0 ? undefined : next,
    error,
  };
}

/** The largest text that monitors keep for one call, in bytes. */
const summaryBytesMaximum = 10_000;

/** A summary as indented JSON of at most `summaryBytesMaximum` bytes. */
export function summaryText(summary: RunSummary<ExitCode | null>): string {
  const text = `${JSON.stringify(summary, undefined, 2)}\n`;
  if (Buffer.byteLength(text) <= summaryBytesMaximum) return text;
  const { next: _tooLong, ...rest } = summary;
  return `${JSON.stringify(rest, undefined, 2)}\n`;
}
