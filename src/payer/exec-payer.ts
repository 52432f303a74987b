import { Failure, messageOf, systemCodeOf } from '../base/failure.ts';
import { shellWord } from '../base/shell-word.ts';
import {
  type CallRecords,
  callRecords,
  makeKeyFolder,
  readEnd,
  readTail,
  removeCallRecords,
  removeOldCallRecords,
  writeEnd,
  writeProcess,
} from './call-records.ts';
import {
  type Payer,
  type PayerAnswer,
  type PayerCapabilities,
  type Payment,
  paymentDocument,
  redacted,
} from './payer.ts';
import type { PayerProgram } from './payer-program.ts';
import { programAnswer } from './program-answer.ts';
import { outcomeAfterTimeLimit } from './program-outcome.ts';
import { killWaitMs, type ProgramEnd, runPayerProgram } from './run-payer-program.ts';

export interface ExecPayerOptions {
  readonly program: PayerProgram;
  /** A folder beside the ledger, created by the first call. */
  readonly callRecordsFolder: string;
  /** The time limit of a call, after which it is killed, in milliseconds. */
  readonly timeoutMs: number;
  readonly promises: Omit<PayerCapabilities, 'name'>;
  readonly lookUp: Payer['lookUp'];
  /** Our own credentials, redacted in all messages. The program knows its own. */
  readonly secrets: Iterable<string>;
  readonly nowMs: number;
  /** False for a payer that will not be called, as for a decision by a person: its call records are then left alone. */
  readonly isToBeCalled?: boolean;
}

/**
 * Opens a program that moves the money. It reads the payment document as one line on stdin, has the key in
 * REVIEWCTL_PAYMENT_KEY too, and answers by exit code and last line. Its output goes to files that outlive this
 * process. Its process is recorded before it receives the payment, so a call without a record never paid.
 * @throws Failure('config') if the folder of call records cannot be used.
 */
export async function openExecPayer(options: ExecPayerOptions): Promise<Payer> {
  const { program, callRecordsFolder, timeoutMs, promises, lookUp, isToBeCalled = true } = options;
  if (isToBeCalled) await tidyFolder(callRecordsFolder, options.nowMs);
  // More secrets may become known while the payer is open.
  const secrets = () => [...program.secrets, ...options.secrets];
  return {
    capabilities: { name: `exec ${[program.path, ...program.args].map(shellWord).join(' ')}`, ...promises },
    timeoutMs: timeoutMs + killWaitMs,
    pay: async (payment, mayLeave) => redacted(await call(payment, options, mayLeave), secrets()),
    recoveredOutcome: (payment) =>
      outcomeAfterTimeLimit({ callRecordsFolder, timeoutMs, secrets: secrets() }, payment),
    forget: (key) => removeCallRecords(callRecordsFolder, key),
    lookUp,
    close: async () => undefined,
  };
}

/** Removes old call records. The first call creates the folder. */
async function tidyFolder(folder: string, nowMs: number): Promise<void> {
  try {
    await removeOldCallRecords(folder, nowMs);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return;
    throw new Failure(
      'config',
      `the folder ${folder}, for call records, cannot be used: ${messageOf(error)}`,
      'it is beside the ledger: give this user write access to it',
      { cause: error },
    );
  }
}

async function call(
  payment: Payment,
  { program, callRecordsFolder, timeoutMs }: ExecPayerOptions,
  mayLeave: () => boolean = () => true,
): Promise<PayerAnswer> {
  const files = callRecords(callRecordsFolder, payment.key, payment.attempt);
  let end: ProgramEnd;
  try {
    makeKeyFolder(callRecordsFolder, payment.key);
    end = await runPayerProgram({
      program,
      env: { REVIEWCTL_PAYMENT_KEY: payment.key },
      stdoutPath: files.stdout,
      stderrPath: files.stderr,
      input: `${paymentDocument(payment)}\n`,
      timeoutMs,
      onSpawned: (pid) => {
        writeProcess(files, pid, timeoutMs);
        if (!mayLeave()) throw new Error('it was started too late, and ended before it received the payment');
      },
    });
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return answerOnRecord(files, payment);
    const message = `the payer was not called, since its answer cannot be recorded: ${messageOf(error)}`;
    return { kind: 'retry', message };
  }
  writeEnd(files, end);
  return answerOf(files, end, payment);
}

function answerOf({ stdout, stderr }: CallRecords, end: ProgramEnd, payment: Payment): PayerAnswer {
  return programAnswer({ end, stdout: readTail(stdout), stderr: readTail(stderr) }, payment);
}

/**
 * The answer for a call whose number already has records, although this ledger does not have that call. The program is
 * not run again. A later call may follow only if the records show that the earlier one did not pay.
 */
function answerOnRecord(files: CallRecords, payment: Payment): PayerAnswer {
  const end = readEnd(files);
  const answer = end && answerOf(files, end, payment);
  if (answer?.kind === 'retry' || answer?.kind === 'misconfigured')
    return { kind: 'retry', message: `an earlier call of this number did not pay: ${answer.message}` };
  return {
    kind: 'ambiguous',
    message: 'an earlier call of this number has records: the ledger is older than that call, or is a copy',
  };
}
