import { nowFrom } from '../../base/clock.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import type { PayerAnswer } from '../../payer/payer.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import { mayCall } from '../rules/transitions.ts';
import { paymentOf, type Settlement } from './settlement.ts';

interface PayerCall {
  readonly answer: PayerAnswer;
  /** An instant before which nothing of it left this process. */
  readonly beganAtMs: number;
  /** Whether nothing left this process, since the claim was too old by then, or another owner's. */
  readonly isTooLate: boolean;
}

/**
 * Calls the payer for a claimed reward. The ledger is read once more just before, and the age of the claim is checked
 * in the last instant before the payment leaves this process, which may have been suspended at any point until then.
 */
export async function callPayer(settlement: Settlement, claimed: LedgerEntry): Promise<PayerCall> {
  const { ledger, payer, run, clock } = settlement;
  // From before the question: its answer may have been waiting for this process.
  const now = nowFrom(clock);
  const beganAtMs = now();
  const entry = await ledger.find(claimed.rewardId);
  const look = { attempt: claimed.attempt, owner: run, timeoutMs: payer.timeoutMs };
  let isInTime = true;
  const mayLeave = () => {
    isInTime = mayCall(entry, { ...look, nowMs: now() });
    return isInTime;
  };
  const answer = mayLeave() ? await answerOf(settlement, claimed, mayLeave) : tooLate;
  const isTooLate = !isInTime && answer.kind === 'retry';
  return { answer: isTooLate ? tooLate : answer, beganAtMs, isTooLate };
}

const tooLate: PayerAnswer = {
  kind: 'retry',
  message: 'the payer was not called: this process was suspended, or too slow, after its claim',
};

async function answerOf(
  { payer }: Settlement,
  claimed: LedgerEntry,
  mayLeave: () => boolean,
): Promise<PayerAnswer> {
  try {
    return await payer.pay(paymentOf(claimed), mayLeave);
  } catch (error) {
    // The claim must not remain for the lifetime of this process.
    const isUncalled = error instanceof Failure && error.kind === 'config';
    return { kind: isUncalled ? 'misconfigured' : 'ambiguous', message: messageOf(error) };
  }
}
