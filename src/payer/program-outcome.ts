import { callRecords, callState, readEnd, readTail } from './call-records.ts';
import { endOverdue, runningInWords } from './overdue-program.ts';
import type { RecoveredOutcome } from './payer.ts';
import { programAnswer } from './program-answer.ts';
import { redacted } from './redacted-answer.ts';

export interface RecoveryOptions {
  /** Beside the ledger. */
  readonly callRecordsFolder: string;
  /** How long a program may take of which it is not on record, in milliseconds. */
  readonly timeoutMs: number;
  /** Shown in no message. */
  readonly secrets: readonly string[];
}

/**
 * What a program left behind, whichever it was: it need not be the payer any more. One that runs on for longer than it may is ended.
 */
export async function outcomeOnceOver(
  { callRecordsFolder, timeoutMs, secrets }: RecoveryOptions,
  key: string,
  attempt: number,
): Promise<RecoveredOutcome> {
  await endOverdue(callRecords(callRecordsFolder, key, attempt), timeoutMs);
  const found = programOutcome(callRecordsFolder, key, attempt);
  return found.kind === 'paid' || found.kind === 'refused' ? redacted(found, secrets) : found;
}

/** What a program that was called left behind in the evidence folder; nothing is done to one that runs on. */
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
  return answer.kind === 'paid' || answer.kind === 'refused' ? answer : { kind: 'none' };
}
