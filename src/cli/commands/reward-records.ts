import * as z from 'zod';
import { differenceKindNames } from '../../settle/manual/reconcile.ts';
import { paymentStates, reportStates } from '../../store/ledger/ledger-states.ts';
import { count, money, position, time } from './printed-fields.ts';

const payment = z.enum(paymentStates);
const report = z.enum(reportStates);
const sum = z.looseObject({ count, amount: money });

/** The printed records of rewards, payers and ledgers, by name, with their fields in table order. */
export const rewardRecords = {
  /** Of every settlement of rewards. */
  'reward-outcome': z.looseObject({
    rewardId: z.string(),
    amount: money.nullable(),
    memberOriginId: z.string().nullable(),
    outcome: z.enum(['paid', 'refused', 'held', 'unknown', 'waiting']),
    report,
    key: z.string().nullable(),
    ref: z.string().optional(),
    reason: z.string().optional(),
  }),
  /** Of `ledger list` and `ledger show`. */
  'ledger-entry': z.looseObject({
    rewardId: z.string(),
    payment,
    report,
    amount: money.nullable(),
    memberOriginId: z.string().nullable(),
    key: z.string().nullable(),
    attempt: count,
    keyGeneration: count,
    payer: z.string().nullable(),
    firstCallAt: time.nullable(),
    lastCallAt: time.nullable(),
    isInDoubt: z.boolean(),
    owner: z.string().nullable(),
    isOwnerAlive: z.boolean().nullable(),
    payerPid: count.nullable(),
    payerSeconds: count.nullable(),
    seenStatus: z.string(),
    seenAt: time,
    ref: z.string().nullable(),
    reason: z.string().nullable(),
  }),
  /** Of `ledger show`, the events of one reward. */
  'ledger-event': z.looseObject({
    seq: position,
    at: time,
    kind: z.string(),
    payment,
    report,
    attempt: count,
    by: z.string(),
    detail: z.record(z.string(), z.unknown()),
  }),
  /** Of `ledger resolve`. */
  'ledger-resolution': z.looseObject({
    rewardId: z.string(),
    resolution: z.string(),
    payment,
    report,
    key: z.string().nullable(),
    next: z.string(),
  }),
  /** Of `ledger status`. */
  'ledger-status': z.looseObject({
    ledger: z.string(),
    shop: z.string(),
    origin: z.string(),
    createdAt: time,
    frozen: z.string().nullable(),
    restoration: z
      .looseObject({
        at: time,
        acceptedAt: time.nullable(),
        comparedAt: time.nullable(),
        lostEvents: count.nullable(),
      })
      .nullable(),
    standing: z.enum(['current', 'copy', 'older', 'other', 'other-machine', 'other-file', 'unmarked']),
    states: z.array(z.looseObject({ payment, report, count, amount: money })),
    reversed: sum,
    oldestUnknown: z
      .looseObject({
        rewardId: z.string(),
        since: time,
        ageSeconds: count.nullable(),
        lastCallAt: time.nullable(),
      })
      .nullable(),
    unpaidNotQueued: sum.extend({ rewardIds: z.array(z.string()) }),
    batches: z.array(sum.extend({ batch: z.string() })),
    today: z.looseObject({ day: z.string(), spent: sum, reserved: sum, cap: money.nullable() }),
    runs: z.array(z.looseObject({ run: z.string(), command: z.string(), at: time })),
    events: count,
    bytes: count,
  }),
  /** Of `ledger init`. */
  'new-ledger': z.looseObject({
    ledger: z.string(),
    shop: z.string(),
    origin: z.string(),
    queued: sum,
    imported: z.looseObject({ count, queued: sum }),
  }),
  /** Of `ledger reconcile`. */
  'ledger-difference': z.looseObject({
    kind: z.enum(differenceKindNames),
    rewardId: z.string().nullable(),
    payment: payment.nullable(),
    report: report.nullable(),
    status: z.string().nullable(),
    ledgerAmount: money.nullable(),
    otherAmount: money.nullable(),
    key: z.string().nullable(),
    line: position.nullable(),
    message: z.string(),
    next: z.string(),
  }),
  /** Of `ledger verify`. */
  'ledger-problem': z.looseObject({ problem: z.string() }),
  /** Of `payer check`. */
  'payer-call': z.looseObject({
    step: z.string(),
    key: z.string(),
    answer: z.string(),
    ref: z.string().nullish(),
    message: z.string().nullish(),
    sent: z.looseObject({}),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
