import { exitCodeOf, type Failure, retryOf } from '../../base/failure.ts';
import { Hint, type HintText, type NamedCommand } from '../../base/hint.ts';
import type { Json } from '../../base/json.ts';
import { redactSecrets } from '../../base/redact.ts';
import type { Problem } from '../../input/records/problem.ts';
import { noBreakSpace, wrapText } from './display-width.ts';
import { ProblemReport } from './problem-report.ts';
import { type Streams, writeError } from './streams.ts';
import { terminalJson, terminalText } from './terminal-text.ts';
import { counted } from './totals.ts';

/** Writes all messages for people to stderr. Secrets are redacted and control characters are escaped. */
export interface Notices {
  info(message: HintText): void;
  warning(message: HintText, hint?: HintText): void;
  /** The failure that stopped the run. */
  error(failure: Failure): void;
  /** The last line of a command: its results in numbers. */
  summary(message: string): void;
  /** One input record that cannot be sent. In text format, `endProblems` prints similar problems together. */
  problem(problem: Problem): void;
  endProblems(): void;
  /** The text of `hint` with the flags that its commands need, for use outside of notices. */
  readonly complete: (hint: HintText) => string;
}

export interface NoticeOptions {
  /** `json` writes one JSON object per line. */
  readonly format: 'text' | 'json';
  /** The secrets known so far; may grow while the command runs. */
  readonly secrets?: Iterable<string>;
  /** Formats the stack that is added to errors. */
  readonly debugStack?: ((stack: string) => string) | undefined;
  /** Omits information and summaries, except with --debug. */
  readonly isQuiet?: boolean;
  /** Adds the flags that a command needs to use the same data as this one. */
  readonly completeCommand?: (command: NamedCommand) => NamedCommand;
}

const asItIs = (command: NamedCommand) => command;

const completer = (completeCommand: typeof asItIs) => (text: HintText) =>
  text instanceof Hint ? text.text(completeCommand) : text;

/** Labels at the start of a line, and their colors. */
const labelColors = { error: 31, warning: 33, hint: 36 } as const;
type Label = keyof typeof labelColors;

export function createNotices(streams: Streams, options: NoticeOptions): Notices {
  const notices = options.format === 'json' ? jsonNotices(streams, options) : textNotices(streams, options);
  const isQuiet = options.isQuiet && options.debugStack === undefined;
  return isQuiet ? { ...notices, info: () => undefined, summary: () => undefined } : notices;
}

function textNotices(
  streams: Streams,
  { secrets = [], debugStack, completeCommand = asItIs }: NoticeOptions,
): Notices {
  const complete = completer(completeCommand);
  const space = streams.isErrorTerminal ? noBreakSpace : ' ';
  const write = (said: HintText, label?: Label) => {
    const text = said instanceof Hint ? said.text(completeCommand, space) : said;
    const safe = textLines(redactSecrets(label ? `${label}: ${text}` : text, secrets), streams);
    const painted = label ? `${paint(label, streams)}${safe.slice(label.length)}` : safe;
    writeError(streams, `${painted}\n`);
  };
  const hint = (text: HintText | undefined) => {
    if (text) write(text, 'hint');
  };
  let report = new ProblemReport();
  return {
    complete,
    info: (message) => write(message),
    summary: (message) => write(message),
    warning: (message, remedy) => {
      write(message, 'warning');
      hint(remedy);
    },
    error: (failure) => {
      write(failure.message, 'error');
      hint(failure.nextStep);
      if (debugStack !== undefined && failure.stack) write(debugStack(failure.stack));
    },
    problem: (problem) => report.add(problem),
    endProblems: () => {
      for (const { lines, remedy } of report.groups()) {
        for (const line of lines) write(line);
        hint(remedy);
      }
      report = new ProblemReport();
    },
  };
}

function jsonNotices(
  streams: Streams,
  { secrets = [], debugStack, completeCommand = asItIs }: NoticeOptions,
): Notices {
  const complete = completer(completeCommand);
  const write = (word: string, entry: Readonly<Record<string, Json | undefined>>) => {
    const redacted = (_name: string, value: unknown) =>
      typeof value === 'string' ? redactSecrets(value, secrets) : value;
    writeError(streams, `${terminalJson(JSON.stringify({ [word]: entry }, redacted))}\n`);
  };
  return {
    complete,
    info: (message) => write('info', { message: complete(message) }),
    summary: (message) => write('summary', { message }),
    warning: (message, hint) =>
      write('warning', { message: complete(message), hint: hint && complete(hint) }),
    error: ({ kind, message, nextStep, place, stack }) =>
      write('error', {
        code: kind,
        message,
        hint: nextStep && complete(nextStep),
        command: firstCommand(nextStep, completeCommand),
        exitCode: exitCodeOf[kind],
        retry: retryOf(kind),
        ...place,
        stack: stack ? debugStack?.(stack) : undefined,
      }),
    problem: ({ code, reason, remedy, file, line, column, value }) =>
      write('error', {
        ...{ code, message: reason, hint: complete(remedy) },
        command: firstCommand(remedy, completeCommand),
        exitCode: exitCodeOf.input,
        retry: retryOf('input'),
        ...{ file, line, column, value },
      }),
    endProblems: () => undefined,
  };
}

/** The first command in a hint, with the flags that it needs. */
function firstCommand(
  hint: HintText | undefined,
  completeCommand: (command: NamedCommand) => NamedCommand,
): string | undefined {
  const [command] = hint instanceof Hint ? hint.commands : [];
  return command && ['reviewctl', ...completeCommand(command).words].join(' ');
}

/** Says that a table on a terminal did not list every record, and which format does. */
export function noteUnlisted(count: number, noun: string, notices: Pick<Notices, 'info'>): void {
  if (count > 0) notices.info(`${counted(count, noun)} not listed here; -o csv lists all`);
}

/**
 * Indents all lines after the first, so that quoted text cannot pose as a notice. Lines are wrapped on a terminal; a
 * log keeps each whole, to be searched.
 */
function textLines(text: string, { isErrorTerminal, errorColumns }: Streams): string {
  const lines = text.split('\n').map(terminalText);
  const indent = '  ';
  const width = errorColumns - indent.length;
  return (isErrorTerminal ? lines.flatMap((line) => wrapText(line, width)) : lines).join(`\n${indent}`);
}

function paint(label: Label, { hasErrorColor }: Streams): string {
  return hasErrorColor ? `\u001b[${labelColors[label]}m${label}\u001b[39m` : label;
}
