import { callRecords, callState, readEnd, readTail } from './call-records.ts';
import { endOverdue, runningInWords } from './overdue-program.ts';
import type { RecoveredOutcome } from './payer.ts';
import { programAnswer } from './program-answer.ts';
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
  key: string,
  attempt: number,
): Promise<RecoveredOutcome> {
  await endOverdue(callRecords(callRecordsFolder, key, attempt), timeoutMs);
  const found = programOutcome(callRecordsFolder, key, attempt);
  return found.kind === 'paid' || found.kind === 'refused' ? redacted(found, secrets) : found;
}

/** The outcome in the records of a call; a program that is still running is left alone. */
export function programOutcome(folder: string, key: string, attempt: number): RecoveredOutcome {
  const files = callRecords(folder, key, attempt);
  const state = callState(files);
  if (state.kind === 'none') return { kind: 'none' };
  if (state.kind === 'running') return { kind: 'running', message: runningInWords(state) };
  const answer = programAnswer({
    end: readEnd(files),
    stdout: readTail(files.stdout),
    stderr: readTail(files.stderr),
  });
  return answer.kind === 'paid' || answer.kind === 'refused' ? answer : { kind: 'ended' };
}
