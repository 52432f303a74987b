import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../base/failure.ts';
import { readTail } from './call-records.ts';
import { type LookupAnswer, type Payment, paymentDocument, redacted } from './payer.ts';
import type { PayerProgram } from './payer-program.ts';
import { complaintIn, endInWords, lastOutcomeJson } from './program-answer.ts';
import { type ProgramEnd, runPayerProgram } from './run-payer-program.ts';

interface LookupProgramOptions {
  readonly program: PayerProgram;
  readonly timeoutMs: number;
  readonly secrets: Iterable<string>;
}

/**
 * Creates a lookup by a program that reads the payer's books. It receives the same input as a paying program. With exit
 * code 0, its last line is `paid` with the receipt, or `not-found`; anything else is inconclusive. It may be called any
 * number of times.
 */
export function lookupProgram({ program, timeoutMs, secrets }: LookupProgramOptions) {
  return async (payment: Payment): Promise<LookupAnswer> => {
    let place: string | undefined;
    try {
      place = mkdtempSync(join(tmpdir(), 'reviewctl-lookup-'));
      const [stdoutPath, stderrPath] = [join(place, 'out'), join(place, 'err')];
      const end = await runPayerProgram({
        program,
        env: { REVIEWCTL_PAYMENT_KEY: payment.key },
        stdoutPath,
        stderrPath,
        input: `${paymentDocument(payment)}\n`,
        timeoutMs,
      });
      const answer = lookupAnswer(end, {
        stdout: readTail(stdoutPath),
        stderr: readTail(stderrPath),
        payment,
      });
      return answer.kind === 'not-found' ? answer : redacted(answer, [...program.secrets, ...secrets]);
    } catch (error) {
      return { kind: 'undecided', message: `the lookup could not be made: ${messageOf(error)}` };
    } finally {
      if (place !== undefined) await rm(place, { recursive: true, force: true });
    }
  };
}

function lookupAnswer(
  end: ProgramEnd,
  {
    stdout,
    stderr,
    payment,
  }: { readonly stdout: string; readonly stderr: string; readonly payment: Payment },
): LookupAnswer {
  if (end.kind !== 'exited' || end.code !== 0) {
    return { kind: 'undecided', message: `the lookup ${endInWords(end)}${complaintIn(stderr)}` };
  }
  const outcome = lastOutcomeJson(stdout, payment);
  switch (outcome?.kind) {
    case 'paid':
      return outcome;
    case 'not-found':
      return { kind: outcome.kind };
    case 'foreign':
      return { kind: 'undecided', message: `the lookup ended, but ${outcome.message}` };
    default:
      return { kind: 'undecided', message: "the lookup's last line says neither paid nor not-found" };
  }
}
