import {
  type OutcomeJson,
  type OutcomeWord,
  outcomesNamedIn,
  outcomeWords,
  readOutcomeJson,
  shortened,
} from './outcome-json.ts';
import type { PayerAnswer, Payment } from './payer.ts';
import { outputBytesMaximum, type ProgramEnd } from './run-payer-program.ts';

/** The meanings of a paying program's exit codes; all others are ambiguous. */
const exitMeanings: ReadonlyMap<number, 'paid' | 'refused' | 'retry'> = new Map([
  [0, 'paid'],
  [10, 'refused'],
  [75, 'retry'],
]);

/** Errors that a second call of the same program would not fix. */
const setupErrors: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'ENOEXEC',
  'ELOOP',
  'E2BIG',
  'EINVAL',
]);

/** The output of a program, and its end; undefined if its caller was gone by then. */
interface ProgramResult {
  readonly end: ProgramEnd | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The answer of a program called for `payment`. An outcome in its last line decides if the exit code is 0 or the one
 * for that outcome. Without an outcome, the exit code decides, unless an earlier line contradicts it. A killed program
 * is in doubt, whatever it wrote. The line alone decides only if nobody saw the end, because the caller was gone.
 */
export function programAnswer({ end, stdout, stderr }: ProgramResult, payment: Payment): PayerAnswer {
  const outcome = lastOutcomeJson(stdout, payment);
  const reason = complaintIn(stderr);
  if (end?.kind === 'not-started') {
    const kind = setupErrors.has(end.code ?? '') ? 'misconfigured' : 'retry';
    const missing =
      end.code === 'ENOENT' ? '; the program, or the interpreter in its first line (#!), does not exist' : '';
    return { kind, message: `the payer ${endInWords(end)}${missing}` };
  }
  if (end?.kind === 'exited') return exitAnswer(end, outcome, { stdout, reason });
  const isAsserted = outcome?.kind === 'paid' || outcome?.kind === 'refused';
  if (end === undefined && isAsserted) return outcome;
  const how = end === undefined ? 'ended unobserved and reported nothing' : endInWords(end);
  return { kind: 'ambiguous', message: `the payer ${how}${afterWord(wordOf(outcome))}${reason}` };
}

type Exited = Extract<ProgramEnd, { readonly kind: 'exited' }>;

function exitAnswer(
  end: Exited,
  outcome: OutcomeJson | undefined,
  { stdout, reason }: { readonly stdout: string; readonly reason: string },
): PayerAnswer {
  const { code } = end;
  const meaning = exitMeanings.get(code);
  const ended = `the payer ${endInWords(end)}`;
  if (outcome?.kind === 'unrecognized' || outcome?.kind === 'foreign')
    return { kind: 'ambiguous', message: `${ended}, and ${outcome.message}` };
  const word = wordOf(outcome);
  if (meaning === undefined) return { kind: 'ambiguous', message: `${ended}${afterWord(word)}${reason}` };
  const kind = word ?? meaning;
  const other =
    word === undefined ? [...outcomesNamedIn(stdout)].find((named) => named !== meaning) : undefined;
  if (kind === 'not-found' || (kind !== meaning && code !== 0) || other !== undefined) {
    const line = other === undefined ? 'its last line' : 'an earlier line';
    return {
      kind: 'ambiguous',
      message: `the payer contradicts itself: exit code ${code} is '${meaning}', ${line} says '${other ?? kind}'`,
    };
  }
  if (kind === 'paid') return outcome?.kind === 'paid' ? outcome : { kind };
  const message = outcome !== undefined && 'message' in outcome ? outcome.message : undefined;
  const after = kind === meaning ? '' : afterWord(word);
  return { kind, message: message ?? `${ended}${after}${reason}` };
}

function wordOf(outcome: OutcomeJson | undefined): OutcomeWord | undefined {
  return outcomeWords.find((word) => word === outcome?.kind);
}

function afterWord(word: OutcomeWord | undefined): string {
  return word === undefined ? '' : ` after it said '${word}'`;
}

/** Describes the end of a program. */
export function endInWords(end: ProgramEnd): string {
  switch (end.kind) {
    case 'exited':
      return `ended with exit code ${end.code}`;
    case 'killed':
      return `was killed by ${end.signal}`;
    case 'timed-out':
      return 'did not end in time and was killed';
    case 'overflowed':
      return 'wrote more than 1 MiB';
    case 'unstoppable':
      return 'did not end in time and cannot be killed';
    case 'not-started':
      return `could not be started: ${end.message}`;
  }
}

/**
 * The outcome in the last line, or in the whole output if that is one value over several lines. A line that seems to
 * name an outcome but is unreadable does not count as none: its exit code may mean the opposite.
 */
export function lastOutcomeJson(stdout: string, payment: Payment): OutcomeJson | undefined {
  const line = lastLine(stdout);
  const read = readOutcomeJson(line, payment) ?? readOutcomeJson(stdout, payment);
  if (read !== undefined) return read;
  const isCut = Buffer.byteLength(line) >= outputBytesMaximum;
  const isTorn = namesOutcome(line) || (/^[[{]/.test(stdout.trimStart()) && namesOutcome(stdout));
  return isCut || isTorn
    ? { kind: 'unrecognized', message: 'its last line names an outcome, but is not a JSON object' }
    : undefined;
}

/** Recognizes text that is nearly JSON. In UTF-16 text, every second byte reads as NUL. */
function namesOutcome(text: string): boolean {
  return /["']outcome["']/i.test(text.replaceAll('\0', ''));
}

/** The last line of its errors, after a colon; empty if there is none. */
export function complaintIn(stderr: string): string {
  const complaint = shortened(lastLine(stderr));
  return complaint === '' ? '' : `: ${complaint}`;
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
