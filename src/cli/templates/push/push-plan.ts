import { resolve } from 'node:path';
import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { type SendableRecord, textOf } from '../../../push/compile/sendable-record.ts';
import type { Placed, PlanLine } from '../../../push/plan/plan-line.ts';
import { outcomeWords, type PushOutcome, type Tally } from '../../../push/steps/outcome.ts';
import { thisHost } from '../../../store/ledger/this-place.ts';
import type { PlanFile } from '../../../store/plans/open-plan-file.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { findState } from '../../runtime/find-state.ts';

/** The heading of a plan: the push it was made for. It holds no credential. */
const subjectSchema = z.strictObject({
  /** `products push`. */
  command: z.string(),
  profile: z.string(),
  service: z.string(),
  /** The account of the credential. */
  account: z.string(),
  /** The journal it was decided with: the folder (or database), and this machine for a folder. */
  state: z.strictObject({ folder: z.string(), host: z.string().nullable() }),
  files: z.array(z.string()),
  /** The settings it was decided with: assumptions about the service, and flags of the kind. */
  assume: z.array(z.string()),
  settings: z.custom<JsonObject>(isJsonObject),
  hasCountedIds: z.boolean(),
  productKey: z.string().nullable(),
  /** The fields with personal data in its records. */
  persons: z.array(z.string()),
});
export type PushSubject = z.output<typeof subjectSchema>;

/** The location of the journal of this push; without a host for a database. @throws as `findState`. */
export async function stateOf(invocation: Invocation<SendingFlags>): Promise<PushSubject['state']> {
  const state = await findState(invocation);
  if (state.kind === 'postgres') return { folder: state.path, host: null };
  return { folder: resolve(invocation.context.cwd, state.folder), host: thisHost() };
}

/** Numbers of records by outcome. */
const totalsSchema = z.record(z.enum(outcomeWords), z.int().min(0));

const outcomeSchema = z.looseObject({
  file: z.string(),
  line: z.int(),
  originId: z.string(),
  outcome: z.enum(outcomeWords),
  changes: z.record(z.string(), z.looseObject({ from: z.json(), to: z.json() })).optional(),
});

const lineSchema = z.strictObject({
  outcome: outcomeSchema,
  write: z.custom<JsonObject>(isJsonObject).optional(),
  record: z.looseObject({ file: z.string(), line: z.int() }),
});

/** A plan opened to be sent. */
export interface OpenedPlan {
  readonly file: PlanFile;
  readonly subject: PushSubject;
}

/** The subject of a push plan. @throws Failure('input') for an invalid heading. */
export function readPushSubject({ path, heading }: PlanFile): PushSubject {
  return fitting(path, subjectSchema, heading.about, 'its heading: ');
}

/** The numbers of records of a plan by outcome. @throws Failure('input') for anything else. */
export function readPushTotals({ path, end }: PlanFile): Tally {
  return fitting(path, totalsSchema, end.totals, 'its end: ');
}

/** The settings of the kind in a plan. @throws Failure('input') for anything else. */
export function readPlanSettings(
  { file, subject }: OpenedPlan,
  schema: z.ZodType<JsonObject> = z.strictObject({}),
): JsonObject {
  return fitting(file.path, schema, subject.settings, 'its settings: ');
}

/** A record of a plan as a line of its file. */
export function planLineText({ outcome, write, record }: PlanLine<object>): string {
  return JSON.stringify({ outcome, write, record });
}

/**
 * The records of a plan, in batches.
 * @throws Failure('input') for an invalid line; as `PlanFile.records`.
 */
export async function* readPlanLines<S extends Placed>({
  path,
  records,
}: Pick<PlanFile, 'path' | 'records'>): AsyncGenerator<readonly PlanLine<S>[]> {
  for await (const texts of records()) yield texts.map((text): PlanLine<S> => readLine(path, text));
}

/**
 * A planned line as printed. A creation has changes from null; an update has its changes, or the fields it sends if the
 * present values are unknown.
 */
export function plannedRecord({ outcome, write, record }: PlanLine<object>): JsonObject {
  const { error, changes, ...place } = outcome;
  const planned = {
    ...place,
    ...(changes === undefined ? plannedContent(outcome, write, record) : { changes }),
  };
  return error === undefined ? planned : { ...planned, error: String(error) };
}

function plannedContent({ outcome }: PushOutcome, write: object | undefined, record: object): JsonObject {
  if (write === undefined) return {};
  const { originId: _, ...sends } = sentFields(write, record);
  if (outcome === 'updated') return { sends };
  const changes = Object.entries(sends).map(([field, to]) => [field, { from: null, to }] as const);
  return { changes: Object.fromEntries(changes) };
}

/** The fields that are sent: those of the write, else those of the record, which may be compiled. */
function sentFields(write: object, record: object): JsonObject {
  if ('body' in write && isJsonObject(write.body)) return write.body;
  if ('contentHash' in record) return JSON.parse(textOf(record as SendableRecord));
  return 'record' in record && isJsonObject(record.record) ? record.record : {};
}

function readLine<S>(path: string, text: string): PlanLine<S> {
  const line: PlanLine<S> = JSON.parse(text);
  fitting(path, lineSchema, line);
  return line;
}

/** Validates a part of the plan at `path`. @throws Failure('input') if it does not match; `part` starts the reason. */
function fitting<T>(path: string, schema: z.ZodType<T>, value: unknown, part = ''): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new Failure(
    'input',
    `the plan ${path} is not a push plan that this version can carry out: ${part}${z.prettifyError(read.error)}`,
    'nothing was sent; make a new one with --plan-out FILE',
  );
}
