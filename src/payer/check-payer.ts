import { formatMoney, type Money } from '../base/money.ts';
import type { Random } from '../base/random.ts';
import type { LookupAnswer, Payer, PayerAnswer, Payment } from './payer.ts';

/** The calls of a check, in this order. */
export type CheckStep = 'impossible' | 'first' | 'repeated' | 'found' | 'not-found';

/** One call of a check, and its result. */
export interface CheckCall {
  readonly step: CheckStep;
  readonly payment: Payment;
  readonly answer: PayerAnswer | LookupAnswer;
}

interface CheckedPayment {
  readonly memberOriginId: string;
  readonly amount: Money;
  readonly nowMs: number;
  readonly random: Random;
  /** Aborted when no new call may begin; its reason is then thrown. */
  readonly stopping: AbortSignal;
}

/**
 * Calls a payer as a settlement would: a payment of nothing to nobody, a small one to a member, the same one again
 * under the same key, and a lookup if one is set up. Ends with the first answer after which nothing more can be
 * learned. Each check uses its own keys and can be repeated. It may move `amount` once, or twice if keys are not
 * honoured.
 */
export async function* checkPayer(payer: Payer, checked: CheckedPayment): AsyncGenerator<CheckCall> {
  const nothing = testPayment({ ...checked, memberOriginId: '', amount: 0n });
  const impossible = await payer.pay(nothing);
  yield { step: 'impossible', payment: nothing, answer: impossible };
  await payer.forget(nothing.key);
  checked.stopping.throwIfAborted();
  if (impossible.kind !== 'refused' && impossible.kind !== 'ambiguous') return;

  const payment = testPayment(checked);
  const first = await payer.pay(payment);
  yield { step: 'first', payment, answer: first };
  checked.stopping.throwIfAborted();
  if (first.kind === 'paid') {
    const again = { ...payment, attempt: 2 };
    yield { step: 'repeated', payment: again, answer: await payer.pay(again) };
    if (payer.lookUp !== undefined) {
      yield { step: 'found', payment, answer: await payer.lookUp(payment) };
      const unpaid = testPayment(checked);
      yield { step: 'not-found', payment: unpaid, answer: await payer.lookUp(unpaid) };
    }
  }
  await payer.forget(payment.key);
}

const mark = 'reviewctl-payer-check';
const digits = 'abcdefghijklmnopqrstuvwxyz234567';
const randomDigits = 24;

/** A payment in which every field shows that it is a test. */
function testPayment({ memberOriginId, amount, nowMs, random }: Omit<CheckedPayment, 'stopping'>): Payment {
  const word = Array.from({ length: randomDigits }, () =>
    digits.charAt(Math.floor(random() * digits.length)),
  ).join('');
  const createdAt = new Date(nowMs).toISOString();
  const rewardId = `${mark}-${word}`;
  return {
    rewardId,
    key: `rv1-check-${word}`,
    amount,
    memberOriginId,
    attempt: 1,
    reward: {
      id: rewardId,
      amount: Number(formatMoney(amount)),
      reviewCategory: 'TEXT',
      status: 'QUEUED',
      review: { id: mark, createdAt, updatedAt: createdAt },
      order: { id: mark, originId: mark, memberOriginId },
      orderItem: { id: mark, originId: mark },
      createdAt,
    },
  };
}

/** The result of a check. */
export type CheckVerdict =
  /** This call ended the check before it proved anything. */
  | { readonly kind: 'stopped'; readonly call: CheckCall }
  /** It answered paid to an impossible payment. */
  | { readonly kind: 'pays-impossible' }
  /** Both calls with one key returned this receipt. */
  | { readonly kind: 'honours-keys'; readonly ref: string }
  /** Both calls with one key were paid, but no receipt shows if that was one payment. */
  | { readonly kind: 'no-receipt' }
  /** It pays twice: one key has two receipts. */
  | { readonly kind: 'pays-twice'; readonly refs: readonly [string, string] }
  /** The second call with a paid key was answered differently. */
  | { readonly kind: 'inconsistent'; readonly answer: PayerAnswer | LookupAnswer };

/** The verdict on all calls of a check. */
export function checkVerdict(calls: readonly CheckCall[]): CheckVerdict {
  if (answerOf(calls, 'impossible')?.kind === 'paid') return { kind: 'pays-impossible' };
  const [first, repeated] = [answerOf(calls, 'first'), answerOf(calls, 'repeated')];
  if (first?.kind !== 'paid' || repeated === undefined) {
    const call = calls.findLast(({ step }) => step === 'impossible' || step === 'first');
    if (call === undefined) throw new Error('a check without a call');
    return { kind: 'stopped', call };
  }
  if (repeated.kind !== 'paid') return { kind: 'inconsistent', answer: repeated };
  const { key } = calls.find(({ step }) => step === 'first')?.payment ?? { key: '' };
  // A receipt that only repeats the key is the same for one payment and for two.
  if (!first.ref || !repeated.ref || first.ref.includes(key)) return { kind: 'no-receipt' };
  return first.ref === repeated.ref
    ? { kind: 'honours-keys', ref: first.ref }
    : { kind: 'pays-twice', refs: [first.ref, repeated.ref] };
}

function answerOf(calls: readonly CheckCall[], step: CheckStep): CheckCall['answer'] | undefined {
  return calls.find((call) => call.step === step)?.answer;
}

/**
 * The fault of a lookup, as text; undefined if it found exactly the payment that was made, or if there is no lookup.
 */
export function lookupFault(calls: readonly CheckCall[]): string | undefined {
  const first = answerOf(calls, 'first');
  const found = answerOf(calls, 'found');
  const other = answerOf(calls, 'not-found');
  if (found === undefined || other === undefined) return undefined;
  if (other.kind !== 'not-found')
    return `the lookup does not answer not-found for a key that was never paid: ${wordsOf(other)}`;
  if (found.kind !== 'paid')
    return `the lookup does not find the payment (payer-lookup-delay must cover any delay): ${wordsOf(found)}`;
  const refs = [first?.kind === 'paid' ? first.ref : undefined, found.ref];
  return refs[0] !== undefined && refs[1] !== undefined && refs[0] !== refs[1]
    ? `the lookup names the receipt ${refs[1]}, the payer ${refs[0]}`
    : undefined;
}

function wordsOf(answer: PayerAnswer | LookupAnswer): string {
  return ('message' in answer ? answer.message : undefined) ?? answer.kind;
}
