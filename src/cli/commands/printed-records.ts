import * as z from 'zod';
import { retryAdvice } from '../../base/failure.ts';
import { writtenForm } from '../../contract/reply-forms.ts';
import { resources } from '../../contract/resources.ts';
import { outcomeWords } from '../../push/steps/outcome.ts';
import { count, position, time } from './printed-fields.ts';
import { rewardRecords } from './reward-records.ts';

/** A flag, or a setting. */
const flagRecord = z.looseObject({
  name: z.string(),
  short: z.string().optional(),
  type: z.enum(['boolean', 'integer', 'text']),
  value: z.string().optional(),
  bare: z.string().optional(),
  isRepeatable: z.literal(true).optional(),
  choices: z.array(z.string()).optional(),
  default: z.string().optional(),
  variable: z.string().optional(),
  section: z.string(),
  help: z.string(),
});

const named = z.looseObject({ name: z.string(), meaning: z.string() });

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
  /** Printed by `runs rejects --open`. */
  'open-reject': z.looseObject({
    file: z.string(),
    line: position,
    originId: z.string(),
    outcome: z.enum(['rejected', 'failed']),
    run: z.string(),
    kind: z.string(),
    error: z.string().optional(),
  }),
  /** Of `plan show`, for a push. */
  'planned-record': z.looseObject({
    file: z.string(),
    line: position,
    originId: z.string(),
    outcome: z.enum(outcomeWords),
    id: z.string().optional(),
    changes: z.record(z.string(), z.looseObject({ from: z.unknown(), to: z.unknown() })).optional(),
    sends: z.record(z.string(), z.unknown()).optional(),
    error: z.string().optional(),
  }),
  /** Of `plan show`, for a settlement. */
  'planned-payment': z.looseObject({
    rewardId: z.string(),
    amount: z.union([z.number(), z.string()]),
    memberOriginId: z.string(),
    order: z.looseObject({}),
    key: z.string(),
    attempt: z.int(),
  }),
  /** Printed by `reviews publish` and `reviews hide`. */
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
    undoableUntil: z.iso.date().nullable(),
    records: count,
    outcomes: z.partialRecord(z.enum(outcomeWords), count),
    files: z.array(z.string()),
    plan: z.string().optional(),
    shard: z.string().optional(),
    command: z.array(z.string()),
    folder: z.string(),
    /** The import that a shard belongs to, over all its runs; only in `runs show`. */
    import: z
      .object({
        records: count,
        outcomes: z.partialRecord(z.enum(outcomeWords), count),
        withoutOutcome: count,
        repeated: count,
        missingShards: z.array(z.string()),
      })
      .optional(),
  }),
  /** Of `runs prune`. */
  'pruned-run': z.looseObject({
    run: z.string(),
    kind: z.string(),
    startedAt: time,
    action: z.enum(['remove', 'keep']),
    reason: z.string().nullable(),
  }),
  /** Of `runs resolve`. */
  'record-resolution': z.looseObject({
    originId: z.string(),
    resolution: z.enum(['sent', 'not-sent', 'dropped', 'unchanged']),
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
  ...rewardRecords,
  /** Of `profile list`. */
  profile: z.looseObject({
    name: z.string(),
    isCurrent: z.boolean(),
    isProduction: z.boolean(),
    credential: z.string().nullable(),
    baseUrl: z.string().nullable(),
  }),
  /** Of `config list` and `profile show`. */
  setting: z.looseObject({
    name: z.string(),
    value: z.unknown(),
    origin: z.string().optional(),
    place: z.string().nullish(),
  }),
  /** Of `sandbox hints`. */
  hint: z.looseObject({
    id: z.string(),
    time,
    rewardId: z.string(),
    status: z.int().nullable(),
    isPaid: z.boolean(),
    message: z.string().nullable(),
  }),
  /** Of `sandbox write-review`. */
  'written-review': z.looseObject({
    review: writtenForm(resources.Review),
    reward: writtenForm(resources.Reward),
  }),
  /** Printed by `status`. */
  'status-line': z.looseObject({
    about: z.string(),
    status: z.enum(['ok', 'info', 'late', 'person']),
    message: z.string(),
    last: time.nullable(),
    ageSeconds: count.nullable(),
    next: z.string().optional(),
  }),
  /** Of `doctor`. */
  check: z.looseObject({
    check: z.string(),
    status: z.enum(['ok', 'warning', 'problem', 'skipped']),
    message: z.string(),
    hint: z.string().optional(),
  }),
  /** Of `schema commands`. */
  'command-list': z.looseObject({
    version: z.string(),
    commands: z.array(
      z.looseObject({
        words: z.string(),
        summary: z.string(),
        writes: z.enum(['service', 'machine', 'nothing']),
        prints: z.string().optional(),
        arguments: z.array(
          z.looseObject({
            name: z.string(),
            isRequired: z.boolean(),
            isRepeatable: z.boolean(),
            choices: z.array(z.string()).optional(),
            help: z.string(),
          }),
        ),
        flags: z.array(flagRecord),
        settings: z.array(z.string()),
        examples: z.array(z.string()),
        variables: z.array(named),
        exitCodes: z.array(z.int()),
      }),
    ),
    settings: z.array(flagRecord),
    variables: z.array(named),
    exitCodes: z.array(z.looseObject({ code: z.int(), meaning: z.string() })),
  }),
  /** One line of stderr with `-c log-format=json`, or with an explicit `-o json` or `-o ndjson`. */
  error: z.looseObject({
    error: z.looseObject({
      code: z.string(),
      message: z.string(),
      hint: z.string().optional(),
      command: z.string().optional(),
      exitCode: z.int(),
      retry: z.enum(retryAdvice),
      status: z.int().optional(),
      operation: z.string().optional(),
      file: z.string().optional(),
      line: position.optional(),
      column: z.string().optional(),
      value: z.string().optional(),
    }),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
