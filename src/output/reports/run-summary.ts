import { type ExitCode, exitCodes, type FailureKind } from '../../base/failure.ts';
import { isoIn } from '../../base/korean-time.ts';

/** What a command knows of its own run, noted while it works. */
export interface RunFacts {
  /** The id of the run, where it is on record. */
  readonly run?: string | undefined;
  /** How many records had each outcome, by the words of the totals on stderr. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Amounts of money by outcome, exact, in the shop's own unit: `{ paid: '12000.5' }`. */
  readonly amounts?: Readonly<Record<string, string>> | undefined;
  /** The next commands that its messages name, the most important first. */
  readonly next?: readonly string[] | undefined;
  /** The kind of the failure that stopped it, as in JSON messages; its text may quote the input and is left out. */
  readonly error?: FailureKind | undefined;
}

/**
 * One run of a long command in numbers, for monitors. It holds no personal data: no text of the input and no message
 * that could quote one.
 */
export interface RunSummary<Code extends ExitCode | null = ExitCode> extends RunFacts {
  /** The words that call it: `rewards settle`. */
  readonly command: string;
  readonly profile: string;
  /** Korean time: `2026-11-22T03:15:00+09:00`. */
  readonly started: string;
  readonly seconds: number;
  /** Null until the run has ended, and for ever in the file of one that was killed. */
  readonly exitCode: Code;
  /** The exit code in words. */
  readonly meaning: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** The frame of a summary: what the program knows of every run. */
export interface RunFrame<Code extends ExitCode | null>
  extends Pick<RunSummary<Code>, 'command' | 'profile' | 'exitCode'> {
  /** When it began and how long it took, in milliseconds. */
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

/** The largest text that a monitor keeps of one call, in bytes. */
const summaryBytesMaximum = 10_000;

/** A summary as indented JSON of at most `summaryBytesMaximum` bytes. */
export function summaryText(summary: RunSummary<ExitCode | null>): string {
  const text = `${JSON.stringify(summary, undefined, 2)}\n`;
  if (Buffer.byteLength(text) <= summaryBytesMaximum) return text;
  const { next: _tooLong, ...rest } = summary;
  return `${JSON.stringify(rest, undefined, 2)}\n`;
}
