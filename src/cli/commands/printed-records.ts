import * as z from 'zod';
import { retryAdvice } from '../../base/failure.ts';
import { writtenForm } from '../../contract/reply-forms.ts';
import { resources } from '../../contract/resources.ts';
import { outcomeWords } from '../../push/steps/outcome.ts';
import { count, position, record, rewardRecords, text, time } from './reward-records.ts';

/** The position of a record in the input, and its id there. */
const place = { file: text, line: position, originId: text };
/** The same as recorded; a job that fails after its run has no position, because the journal knows only ids. */
const placeOnRecord = { ...place, file: text.nullable(), line: position.nullable() };
const changes = z.record(text, record({ from: z.unknown(), to: z.unknown() })).optional();
const outcomes = z.partialRecord(z.enum(outcomeWords), count);

/** The records that commands print in formats of their own, by name; their fields are in the order of the tables. */
export const printedRecords = {
  /** Printed by pushes and by `runs rejects`; a job that failed later has no position. */
  outcome: record({
    ...placeOnRecord,
    outcome: z.enum(outcomeWords),
    id: text.optional(),
    jobId: text.optional(),
    changes,
    comparedWith: z.literal('journal').optional(),
    error: text.optional(),
  }),
  /** Printed by `runs rejects --open`. */
  'open-reject': record({
    ...placeOnRecord,
    outcome: z.enum(['rejected', 'failed']),
    run: text,
    kind: text,
    error: text.optional(),
  }),
  /** Printed by `plan show` for a push. */
  'planned-record': record({
    ...place,
    outcome: z.enum(outcomeWords),
    id: text.optional(),
    changes,
    sends: z.record(text, z.unknown()).optional(),
    error: text.optional(),
  }),
  /** Printed by `plan show` for a settlement. */
  'planned-payment': record({
    rewardId: text,
    amount: z.union([z.number(), text]),
    memberOriginId: text,
    order: record({}),
    key: text,
    attempt: z.int(),
  }),
  /** Printed by `reviews publish` and `reviews hide`. */
  'review-outcome': record({
    id: text,
    outcome: z.enum(['updated', 'unchanged', 'rejected', 'failed']),
    error: text.optional(),
    hint: text.optional(),
  }),
  /** Printed by `reviews stats`. */
  'review-statistic': record({
    group: z.enum(['all', 'rating', 'media', 'product', 'month']),
    key: text.nullable(),
    name: text,
    count,
    share: z.number().min(0).max(1),
    ratingAverage: z.number().nullable(),
  }),
  /** Printed by a single write with `--dry-run`. */
  request: record({
    method: z.enum(['GET', 'POST', 'PATCH', 'PUT']),
    path: text,
    body: z.unknown().optional(),
  }),
  /** Printed by `runs list` and `runs show`. */
  run: record({
    run: text,
    kind: text,
    state: z.enum(['running', 'ended', 'killed']),
    exitCode: z.int().nullable(),
    startedAt: time,
    endedAt: time.nullable(),
    undoableUntil: z.iso.date().nullable(),
    records: count,
    outcomes,
    files: z.array(text),
    plan: text.optional(),
    shard: text.optional(),
    command: z.array(text),
    folder: text,
    /** The import that a shard belongs to, over all its runs; only in `runs show`. */
    import: z
      .object({
        records: count,
        outcomes,
        withoutOutcome: count,
        repeated: count,
        missingShards: z.array(text),
      })
      .optional(),
  }),
  /** Printed by `runs prune`. */
  'pruned-run': record({
    run: text,
    kind: text,
    startedAt: time,
    action: z.enum(['remove', 'keep']),
    reason: text.nullable(),
  }),
  /** Printed by `runs resolve`. */
  'record-resolution': record({
    originId: text,
    resolution: z.enum(['sent', 'not-sent', 'dropped', 'unchanged']),
  }),
  /** Printed by `jobs list` and `jobs wait`. */
  'stored-job': record({
    jobId: text,
    state: z.enum(['pending', 'succeeded', 'failed', 'unknown']),
    kind: text,
    originId: text,
    objectId: text.nullable(),
    failureReason: text.nullable(),
    run: text.nullable(),
  }),
  ...rewardRecords,
  /** Printed by `profile list`. */
  profile: record({
    name: text,
    isCurrent: z.boolean(),
    isProduction: z.boolean(),
    credential: text.nullable(),
    baseUrl: text.nullable(),
  }),
  /** Printed by `config list` and `profile show`. */
  setting: record({
    name: text,
    value: z.unknown(),
    origin: text.optional(),
    place: text.nullish(),
  }),
  /** Printed by `sandbox hints`. */
  hint: record({
    id: text,
    time,
    rewardId: text,
    status: z.int().nullable(),
    isPaid: z.boolean(),
    message: text.nullable(),
  }),
  /** Printed by `sandbox write-review`. */
  'written-review': record({
    review: writtenForm(resources.Review),
    reward: writtenForm(resources.Reward),
  }),
  /** Printed by `status`. */
  'status-line': record({
    about: text,
    status: z.enum(['ok', 'info', 'late', 'person']),
    message: text,
    last: time.nullable(),
    ageSeconds: count.nullable(),
    next: text.optional(),
  }),
  /** Printed by `doctor`. */
  check: record({
    check: text,
    status: z.enum(['ok', 'warning', 'problem', 'skipped']),
    message: text,
    hint: text.optional(),
  }),
  /** One line of stderr with `-c log-format=json`, or with an explicit `-o json` or `-o ndjson`. */
  error: record({
    error: record({
      code: text,
      message: text,
      hint: text.optional(),
      command: text.optional(),
      exitCode: z.int(),
      retry: z.enum(retryAdvice),
      status: z.int().optional(),
      operation: text.optional(),
      file: text.optional(),
      line: position.optional(),
      column: text.optional(),
      value: text.optional(),
    }),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
