import * as z from 'zod';
import { differenceKindNames } from '../../settle/manual/reconcile.ts';
import { paymentStates, reportStates } from '../../store/ledger/ledger-states.ts';

/** A printed record; later versions may add fields. */
export const record = z.looseObject;

/** Values that printed records have in common. */
export const text = z.string();
export const count = z.int().nonnegative();
export const position = z.int().positive();
export const time = z.iso.datetime();
const money = z
  .union([z.number(), z.string()])
  .describe(
    'an amount, as a number; a sum whose digits no 64-bit floating-point number holds is the same decimal as text',
  );

const payment = z.enum(paymentStates);
const report = z.enum(reportStates);
const sum = record({ count, amount: money });

/** The printed records of rewards, payers and ledgers, by name, with their fields in table order. */
export const rewardRecords = {
  /** Printed by every settlement of rewards. */
  'reward-outcome': record({
    rewardId: text,
    amount: money.nullable(),
    memberOriginId: text.nullable(),
    outcome: z.enum(['paid', 'refused', 'held', 'unknown', 'waiting']),
    report,
    key: text.nullable(),
    ref: text.optional(),
    reason: text.optional(),
  }),
  /** Printed by `ledger list` and `ledger show`. */
  'ledger-entry': record({
    rewardId: text,
    payment,
    report,
    amount: money.nullable(),
    memberOriginId: text.nullable(),
    key: text.nullable(),
    attempt: count,
    keyGeneration: count,
    payer: text.nullable(),
    firstCallAt: time.nullable(),
    lastCallAt: time.nullable(),
    isInDoubt: z.boolean(),
    owner: text.nullable(),
    isOwnerAlive: z.boolean().nullable(),
    payerPid: count.nullable(),
    payerSeconds: count.nullable(),
    seenStatus: text,
    seenAt: time,
    ref: text.nullable(),
    reason: text.nullable(),
  }),
  /** The events of one reward, printed by `ledger show`. */
  'ledger-event': record({
    seq: position,
    at: time,
    kind: text,
    payment,
    report,
    attempt: count,
    by: text,
    detail: z.record(text, z.unknown()),
  }),
  /** Printed by `ledger resolve`. */
  'ledger-resolution': record({
    rewardId: text,
    resolution: text,
    payment,
    report,
    key: text.nullable(),
    next: text,
  }),
  /** Printed by `ledger status`. */
  'ledger-status': record({
    ledger: text,
    shop: text,
    origin: text,
    createdAt: time,
    frozen: text.nullable(),
    restoration: z
      .looseObject({
        at: time,
        acceptedAt: time.nullable(),
        comparedAt: time.nullable(),
        lostEvents: count.nullable(),
      })
      .nullable(),
    standing: z.enum(['current', 'copy', 'older', 'other', 'elsewhere', 'moving', 'unmarked']),
    states: z.array(record({ payment, report, count, amount: money })),
    reversed: sum,
    oldestUnknown: z
      .looseObject({
        rewardId: text,
        since: time,
        ageSeconds: count.nullable(),
        lastCallAt: time.nullable(),
      })
      .nullable(),
    unpaidNotQueued: sum.extend({ rewardIds: z.array(text) }),
    batches: z.array(sum.extend({ batch: text })),
    today: record({ day: text, spent: sum, reserved: sum, cap: money.nullable() }),
    events: count,
  }),
  /** Printed by `ledger init`. */
  'new-ledger': record({
    ledger: text,
    shop: text,
    origin: text,
    queued: sum,
    imported: record({ count }),
  }),
  /** Printed by `ledger reconcile`. */
  'ledger-difference': record({
    kind: z.enum(differenceKindNames),
    rewardId: text.nullable(),
    payment: payment.nullable(),
    report: report.nullable(),
    status: text.nullable(),
    ledgerAmount: money.nullable(),
    otherAmount: money.nullable(),
    key: text.nullable(),
    line: position.nullable(),
    message: text,
    next: text,
  }),
  /** Printed by `ledger verify`. */
  'ledger-problem': record({ problem: text }),
  /** Printed by `payer check`. */
  'payer-call': record({
    step: text,
    key: text,
    answer: text,
    ref: text.nullish(),
    message: text.nullish(),
    sent: record({}),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
