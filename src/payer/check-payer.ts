import { formatMoney, type Money } from '../base/money.ts';
import type { Random } from '../base/random.ts';
import type { LookupAnswer, Payer, PayerAnswer, Payment } from './payer.ts';

/** What a check asks of a payer, in this order. */
export type CheckStep = 'impossible' | 'first' | 'repeated' | 'found' | 'not-found';

/** One thing asked, and what came of it. */
export interface CheckCall {
  readonly step: CheckStep;
  readonly payment: Payment;
  readonly answer: PayerAnswer | LookupAnswer;
}

export interface CheckedPayment {
  readonly memberOriginId: string;
  readonly amount: Money;
  readonly nowMs: number;
  readonly random: Random;
  /** Aborted when no new call is to be made; its reason is thrown then. */
  readonly stopping: AbortSignal;
}

/**
 * Calls a payer as a settlement would, to see what it does: a payment of nothing to nobody, a small one to a member, the same one again under
 * the same key, and its books where they can be looked into. Ends with the first answer after which nothing more can be learned. The payments
 * of one check have keys of their own, so a check can be made any number of times; each may move `amount` once, or twice where keys are not
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

/** A payment that shows itself to be a test in every field a payer may keep. */
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

/** What a check shows of a payer. */
export type CheckVerdict =
  /** Nothing can be told, because of what this call came to. */
  | { readonly kind: 'stopped'; readonly call: CheckCall }
  /** It says paid to what nobody can pay. */
  | { readonly kind: 'says-paid-to-anything' }
  /** Both calls of one key gave this receipt. */
  | { readonly kind: 'honours-keys'; readonly ref: string }
  /** Both calls of one key were paid, without a receipt of the payer's own to tell whether it was once. */
  | { readonly kind: 'no-receipt' }
  /** Two receipts for one key: it pays twice. */
  | { readonly kind: 'pays-twice'; readonly refs: readonly [string, string] }
  /** The second call of a paid key was answered with something else than paid. */
  | { readonly kind: 'answers-otherwise'; readonly answer: PayerAnswer | LookupAnswer };

/** What the calls of a check show together. */
export function checkVerdict(calls: readonly CheckCall[]): CheckVerdict {
  const answerOf = (step: CheckStep) => calls.find((call) => call.step === step)?.answer;
  if (answerOf('impossible')?.kind === 'paid') return { kind: 'says-paid-to-anything' };
  const [first, repeated] = [answerOf('first'), answerOf('repeated')];
  if (first?.kind !== 'paid' || repeated === undefined) {
    const call = calls.findLast(({ step }) => step === 'impossible' || step === 'first');
    if (call === undefined) throw new Error('a check without a call');
    return { kind: 'stopped', call };
  }
  if (repeated.kind !== 'paid') return { kind: 'answers-otherwise', answer: repeated };
  const { key } = calls.find(({ step }) => step === 'first')?.payment ?? { key: '' };
  // What is only the key handed back is the same whether it was paid once or twice.
  if (!first.ref || !repeated.ref || first.ref.includes(key)) return { kind: 'no-receipt' };
  return first.ref === repeated.ref
    ? { kind: 'honours-keys', ref: first.ref }
    : { kind: 'pays-twice', refs: [first.ref, repeated.ref] };
}

/** What is wrong with a lookup, in words; undefined where it found what was paid and nothing else, or there is none. */
export function lookupFault(calls: readonly CheckCall[]): string | undefined {
  const first = calls.find(({ step }) => step === 'first')?.answer;
  const found = calls.find(({ step }) => step === 'found')?.answer;
  const other = calls.find(({ step }) => step === 'not-found')?.answer;
  if (found === undefined || other === undefined) return undefined;
  if (other.kind === 'paid') return 'the lookup says paid of a key that was never paid';
  if (other.kind !== 'not-found')
    return `the lookup does not say not-found of a key that was never paid: ${wordsOf(other)}`;
  if (found.kind === 'not-found')
    return 'the lookup does not find the payment yet: --payer-lookup-delay must cover that delay';
  if (found.kind !== 'paid') return `the lookup does not find the payment: ${wordsOf(found)}`;
  const refs = [first?.kind === 'paid' ? first.ref : undefined, found.ref];
  return refs[0] !== undefined && refs[1] !== undefined && refs[0] !== refs[1]
    ? `the lookup names the receipt ${refs[1]}, the payer ${refs[0]}`
    : undefined;
}

function wordsOf(answer: PayerAnswer | LookupAnswer): string {
  return ('message' in answer ? answer.message : undefined) ?? answer.kind;
}
