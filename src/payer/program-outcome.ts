import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallRecords,
  callRecords,
  callState,
  type RunningProgram,
  readEnd,
  readTail,
  writeEnd,
} from './call-records.ts';
import { type Payment, type RecoveredOutcome, redacted } from './payer.ts';
import { lastOutcomeJson, programAnswer } from './program-answer.ts';
import { killGroup, killWaitMs } from './run-payer-program.ts';

/** The interval at which a program is checked after its signal, in milliseconds. */
const pollMs = 50;

/**
 * Ends a program that outlived its caller and exceeds its time limit: the recorded one, or else `timeoutMs`. Does so
 * only if the kernel proves that the process is this program. Any other process is left alone, however long it runs.
 */
export async function endOverdue(files: CallRecords, timeoutMs: number): Promise<void> {
  const state = callState(files);
  if (state.kind !== 'running' || !isOverdue(state, timeoutMs)) return;
  killGroup(state.pid);
  for (let waitedMs = 0; waitedMs < killWaitMs; waitedMs += pollMs) {
    if (callState(files).kind !== 'running') return writeEnd(files, { kind: 'timed-out' });
    await sleep(pollMs);
  }
}

function isOverdue({ isProven, ageMs, timeoutMs }: RunningProgram, defaultMs: number): boolean {
  return isProven && ageMs !== undefined && ageMs > (timeoutMs ?? defaultMs);
}

/** Describes a program that is running, or may be: its process, its age, and how to end it. */
export function runningInWords({ pid, ageMs, timeoutMs, isProven, doubt }: RunningProgram): string {
  if (doubt !== undefined) return `the payer it called may still be running: ${doubt}`;
  const age = ageMs === undefined ? '' : `, for ${secondsInWords(ageMs)}`;
  const end = `kill -KILL -- -${pid}`;
  const way =
    isProven && timeoutMs !== undefined
      ? `a run ends it ${secondsInWords(timeoutMs)} after its start, or do so now: ${end}`
      : `if it hangs, end it: ${end}`;
  return `the payer it called is still running (process ${pid}${age}); ${way}`;
}

function secondsInWords(ms: number): string {
  return `${Math.floor(ms / 1000)} s`;
}

interface RecoveryOptions {
  /** The folder of call records beside the ledger. */
  readonly callRecordsFolder: string;
  /** The time limit of a program without a recorded one, in milliseconds. */
  readonly timeoutMs: number;
  /** Redacted in all messages. */
  readonly secrets: readonly string[];
}

/**
 * Recovers the outcome left behind by a program, even if another payer is configured now. Ends a program that exceeds
 * its time limit.
 */
export async function outcomeAfterTimeLimit(
  { callRecordsFolder, timeoutMs, secrets }: RecoveryOptions,
  payment: Payment,
): Promise<RecoveredOutcome> {
  await endOverdue(callRecords(callRecordsFolder, payment.key, payment.attempt), timeoutMs);
  const found = programOutcome(callRecordsFolder, payment);
  return 'message' in found ? redacted(found, secrets) : found;
}

/** The outcome in the records of the call for `payment`. A running program is left alone. */
export function programOutcome(folder: string, payment: Payment): RecoveredOutcome {
  const files = callRecords(folder, payment.key, payment.attempt);
  const state = callState(files);
  if (state.kind === 'none') return { kind: 'none' };
  if (state.kind === 'running') return { kind: 'running', message: runningInWords(state) };
  const [end, stdout, stderr] = [readEnd(files), readTail(files.stdout), readTail(files.stderr)];
  const answer = programAnswer({ end, stdout, stderr }, payment);
  if (answer.kind === 'paid' || answer.kind === 'refused') return answer;
  const outcome = lastOutcomeJson(stdout, payment);
  return outcome?.kind === 'foreign'
    ? { kind: 'ambiguous', message: `the payer has ended, and ${outcome.message}` }
    : { kind: 'ended' };
}
