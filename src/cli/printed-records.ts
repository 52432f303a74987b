import * as z from 'zod';
import { outcomeWords } from '../push/outcome.ts';

const count = z.int().nonnegative();
const position = z.int().positive();
const time = z.iso.datetime();
const money = z
  .union([z.number(), z.string()])
  .describe(
    'an amount, as a number; a sum whose digits no 64-bit floating-point number holds is the same decimal as text',
  );
const pay = z.enum(['intended', 'paying', 'paid', 'refused', 'unknown']);
const told = z.enum(['open', 'told', 'confirmed', 'conflict']);
const sum = z.looseObject({ count, amount: money });

/** The records that commands print of their own, by name, with their fields in the order of their tables. */
export const printedRecords = {
  /** Of every push, and of `runs rejects`. */
  outcome: z.looseObject({
    file: z.string(),
    line: position,
    originId: z.string(),
    outcome: z.enum(outcomeWords),
    id: z.string().optional(),
    jobId: z.string().optional(),
    changes: z.record(z.string(), z.looseObject({ from: z.unknown(), to: z.unknown() })).optional(),
    comparedWith: z.literal('journal').optional(),
    error: z.string().optional(),
  }),
  /** Of `reviews show` and `reviews hide`. */
  'review-outcome': z.looseObject({
    id: z.string(),
    outcome: z.enum(['updated', 'rejected', 'failed']),
    error: z.string().optional(),
    hint: z.string().optional(),
  }),
  /** Of `reviews stats`. */
  'review-statistic': z.looseObject({
    group: z.enum(['all', 'rating', 'media', 'product', 'month']),
    key: z.string().nullable(),
    name: z.string(),
    count,
    share: z.number().min(0).max(1),
    ratingAverage: z.number().nullable(),
  }),
  /** Of `--dry-run` of a single write. */
  request: z.looseObject({
    method: z.enum(['GET', 'POST', 'PATCH', 'PUT']),
    path: z.string(),
    body: z.unknown().optional(),
  }),
  /** Of `runs list` and `runs show`. */
  run: z.looseObject({
    run: z.string(),
    kind: z.string(),
    state: z.enum(['running', 'ended', 'killed']),
    exitCode: z.int().nullable(),
    startedAt: time,
    endedAt: time.nullable(),
    outcomes: z.partialRecord(z.enum(outcomeWords), count),
    files: z.array(z.string()),
    command: z.array(z.string()),
    folder: z.string(),
  }),
  /** Of `jobs list` and `jobs wait`. */
  'stored-job': z.looseObject({
    jobId: z.string(),
    state: z.enum(['pending', 'succeeded', 'failed']),
    kind: z.string(),
    originId: z.string(),
    objectId: z.string().nullable(),
    failureReason: z.string().nullable(),
    run: z.string().nullable(),
  }),
  /** Of every settlement of rewards. */
  'reward-outcome': z.looseObject({
    rewardId: z.string(),
    amount: money.nullable(),
    memberOriginId: z.string().nullable(),
    outcome: z.enum(['paid', 'refused', 'held', 'unknown', 'open']),
    told,
    key: z.string().nullable(),
    ref: z.string().optional(),
    reason: z.string().optional(),
  }),
  /** Of `ledger list` and `ledger show`. */
  'ledger-entry': z.looseObject({
    rewardId: z.string(),
    pay,
    told,
    amount: money.nullable(),
    memberOriginId: z.string().nullable(),
    key: z.string().nullable(),
    attempt: count,
    gen: count,
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
    pay,
    told,
    attempt: count,
    by: z.string(),
    detail: z.record(z.string(), z.unknown()),
  }),
  /** Of `ledger resolve`. */
  'ledger-resolution': z.looseObject({
    rewardId: z.string(),
    resolution: z.string(),
    pay,
    told,
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
      .looseObject({ at: time, acceptedAt: time.nullable(), comparedAt: time.nullable() })
      .nullable(),
    standing: z.enum(['current', 'copy', 'older', 'other', 'other-machine', 'other-file', 'unmarked']),
    states: z.array(z.looseObject({ pay, told, count, amount: money })),
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
  /** Of `doctor`. */
  check: z.looseObject({
    check: z.string(),
    status: z.enum(['ok', 'warning', 'problem', 'skipped']),
    message: z.string(),
    hint: z.string().optional(),
  }),
  /** One line of stderr with `--log-format json`, or with an explicit `-o json` or `-o ndjson`. */
  error: z.looseObject({
    error: z.looseObject({
      code: z.string(),
      message: z.string(),
      hint: z.string().optional(),
      status: z.int().optional(),
      operation: z.string().optional(),
      file: z.string().optional(),
      line: position.optional(),
      column: z.string().optional(),
      value: z.string().optional(),
    }),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
