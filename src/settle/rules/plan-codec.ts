import * as z from 'zod';
import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { jsonMoney, type Money, parseMoney } from '../../base/money.ts';
import type { PlanFile } from '../../store/plans/open-plan-file.ts';

/** The kind of payment plans in a plan file. */
export const paymentPlanKind = 'rewards';

const amount = z.union([z.number(), z.string()]).transform((written, context): Money => {
  const money = parseMoney(String(written));
  if (money !== undefined && money > 0n) return money;
  context.addIssue({ code: 'custom', message: 'expected an amount above zero' });
  return z.NEVER;
});

const paymentSchema = z.strictObject({
  rewardId: z.string(),
  amount,
  memberOriginId: z.string(),
  /** The ids of the order, if the service sent them. */
  order: z.custom<JsonObject>(isJsonObject),
  /** The key for the call to the payer. */
  key: z.string(),
  /** The number of calls begun before the plan was made. */
  attempt: z.int().min(0),
});

/** One planned payment. */
export type PlannedPayment = Readonly<z.infer<typeof paymentSchema>>;

const subjectSchema = z.strictObject({
  /** The address of the service. */
  origin: z.string(),
  shop: z.string(),
  /** The fingerprint of the credential. */
  account: z.string(),
  payer: z.string(),
  /** The ledger, and its last event when the plan was made. */
  ledger: z.strictObject({
    id: z.string(),
    acceptance: z.string().nullable(),
    seq: z.int().min(0),
    seal: z.string(),
  }),
});

/** The context of a plan. It is valid in no other. */
export type PlanSubject = Readonly<z.infer<typeof subjectSchema>>;

/** A plan read from a file. */
export interface PaymentPlan {
  /** Its file, for messages. */
  readonly path: string;
  readonly id: string;
  readonly sha256: string;
  readonly createdAtMs: number;
  readonly subject: PlanSubject;
  readonly payments: ReadonlyMap<string, PlannedPayment>;
  readonly total: Money;
}

/** The line of a planned payment in the file. Its only personal data are the member's id and the ids of the order. */
export function paymentRecord({ amount: owed, ...payment }: PlannedPayment): JsonObject {
  const { rewardId, ...rest } = payment;
  return { rewardId, amount: jsonMoney(owed), ...rest };
}

/** The totals in the last line of a plan. */
export function planTotals(payments: readonly PlannedPayment[]): JsonObject {
  return { amount: jsonMoney(sumOf(payments)) };
}

/**
 * Reads all payments of a plan into memory.
 * @throws Failure('input') for a line that is not a payment, a reward that is planned twice, or a total that differs
 *   from the sum of the payments.
 */
export async function readPaymentPlan(file: PlanFile): Promise<PaymentPlan> {
  const { path, heading, end } = file;
  const subject = subjectSchema.safeParse(heading.about);
  if (!subject.success) throw unfit(path, `its heading: ${z.prettifyError(subject.error)}`);
  const payments = new Map<string, PlannedPayment>();
  for await (const texts of file.records()) {
    for (const text of texts) {
      const payment = readPayment(path, text, payments.size + 1);
      if (payments.has(payment.rewardId)) throw unfit(path, `it names reward ${payment.rewardId} twice`);
      payments.set(payment.rewardId, payment);
    }
  }
  const total = sumOf([...payments.values()]);
  if (end.totals['amount'] !== jsonMoney(total))
    throw unfit(path, 'its total is not the sum of its payments');
  const { id, createdAtMs } = heading;
  return { path, id, sha256: end.sha256, createdAtMs, subject: subject.data, payments, total };
}

function readPayment(path: string, text: string, record: number): PlannedPayment {
  const read = paymentSchema.safeParse(parsed(text));
  if (!read.success) throw unfit(path, `payment ${record}: ${z.prettifyError(read.error)}`);
  return read.data;
}

/** Undefined for text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sumOf(payments: readonly PlannedPayment[]): Money {
  return payments.reduce((sum, { amount: owed }) => sum + owed, 0n);
}

function unfit(path: string, why: string): Failure {
  return new Failure(
    'input',
    `the plan ${path} was edited or damaged: ${why}`,
    hint`nothing was paid; make a new one: ${reviewctl`rewards settle --plan-out FILE`}`,
  );
}
