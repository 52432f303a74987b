import { callRecords, callState, readEnd, readTail } from './call-records.ts';
import { endOverdue, runningInWords } from './overdue-program.ts';
import type { Payment, RecoveredOutcome } from './payer.ts';
import { lastOutcomeJson, programAnswer } from './program-answer.ts';
import { redacted } from './redacted-answer.ts';

interface RecoveryOptions {
  /** Beside the ledger. */
  readonly callRecordsFolder: string;
  /** The time limit of a program without a recorded one, in milliseconds. */
  readonly timeoutMs: number;
  /** Redacted in all messages. */
  readonly secrets: readonly string[];
}

/**
 * The outcome that a program left behind, even if another payer is configured now. A program that exceeds its
 * time limit is ended.
 */
export async function outcomeAfterTimeLimit(
  { callRecordsFolder, timeoutMs, secrets }: RecoveryOptions,
  payment: Payment,
): Promise<RecoveredOutcome> {
  await endOverdue(callRecords(callRecordsFolder, payment.key, payment.attempt), timeoutMs);
  const found = programOutcome(callRecordsFolder, payment);
  return 'message' in found ? redacted(found, secrets) : found;
}

/** The outcome in the records of the call for `payment`; a program that is still running is left alone. */
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
