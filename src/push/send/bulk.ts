import { JsonBody } from '../../client/caller.ts';
import type { ServiceFailure } from '../../client/service-failure.ts';
import type { Job } from '../../contract/resources.ts';
import { jobState } from '../../contract/states.ts';
import { bulkEntryOf, type ValidationIssue } from '../../contract/validation-error.ts';
import type { Acceptance, JobEnd, JournalEntry, RequestEnd } from '../../store/journal/push-journal.ts';
import type { JournaledRecord, SendableRecord } from '../compile/sendable-record.ts';
import { outcomeOf, type PushOutcome, queuedOutcome } from '../steps/outcome.ts';
import type { Refusals } from '../steps/refusals.ts';
import type { Report } from '../steps/run-steps.ts';
import { jobEnd, outcomeOfEnd } from '../track/job-end.ts';
import { endRequest, reportUnknown, type SendContext, sendJournaled } from './send-journaled.ts';

/** The operations that take an array and answer one job an entry, in request order (API 4.8, 4.14). */
export type BulkName = 'bulkCreateCategories' | 'bulkCreateOrderItems' | 'createOrders';

/** One entry of a bulk request: a record, or what carries several of them. */
export type BulkUnit = SendableRecord | CarryingUnit;

/** All items of a whole order, and their order, which is made together with them and journaled beside them. */
export interface CarryingUnit {
  /** The key of the entry, which its job names as `entryOriginId`. */
  readonly originId: string;
  /** The entry as JSON. */
  readonly text: string;
  readonly records: readonly JournaledRecord[];
  readonly owner?: JournalEntry;
}

/** The input records that a unit carries. */
export function recordsOf(unit: BulkUnit): readonly JournaledRecord[] {
  return 'records' in unit ? unit.records : [unit];
}

/** Who is told of a bulk request. */
interface Told {
  readonly report: Report;
  /** Called when it is answered and no other follows. */
  readonly answered?: () => void;
}

/**
 * Sends units as one bulk request, journaled before and after. A refusal that names entries takes those out and sends
 * the rest; one that names none is narrowed down by halves until the culprits stand alone, unless it is about all records: then
 * those not refused alone have failed. A request whose answer was lost is never repeated: its records are reported unknown.
 * @throws ServiceFailure as `sendJournaled`.
 */
export async function sendUnits(
  context: SendContext,
  operation: BulkName,
  units: readonly BulkUnit[],
  { report, answered = () => undefined }: Told,
): Promise<void> {
  if (units.length === 0) return;
  const { api } = context;
  const body = new JsonBody(`[${units.map(({ text }) => text).join(',')}]`);
  const sending = { records: recordsOfAll(units), entries: entriesOfAll(units) };
  const sent = await sendJournaled(context, sending, report, () => api.call<BulkName>(operation, { body }));
  if (sent.kind === 'lost') return;
  if (sent.kind === 'refused') {
    for (const part of withoutCulprits(context.refusals, units, sent.refusal, report))
      await sendUnits(context, operation, part, { report });
    return;
  }
  answered();
  const jobs = matchJobs(units, sent.value.value);
  const unmatched = jobs.includes(undefined) ? units.filter((_, index) => jobs[index] === undefined) : [];
  await endRequest(context, sent.request, endOf(units, jobs, unmatched), (error) => {
    for (const [index, unit] of units.entries()) {
      const jobId = jobs[index]?.jobId;
      const details = jobId === undefined ? { error } : { jobId, error };
      for (const record of recordsOf(unit)) report(outcomeOf(record, 'unknown', details));
    }
  });
  await reportJobs(context, units, jobs, report);
  reportUnknown(recordsOfAll(unmatched), 'the answer names no job for this record', report);
}

/** The job of each unit, where the answer names one. */
type MatchedJobs = readonly (Job | undefined)[];

function endOf(units: readonly BulkUnit[], jobs: MatchedJobs, unmatched: readonly BulkUnit[]): RequestEnd {
  const matched = jobs.filter((job) => job !== undefined);
  if (areRecords(units) && unmatched.length === 0) return { jobIds: matched.map(({ jobId }) => jobId) };
  const accepted: Acceptance[] = [];
  for (const [index, unit] of units.entries()) {
    const jobId = jobs[index]?.jobId;
    if (jobId !== undefined) for (const entry of entriesOf(unit)) accepted.push({ entry, jobId });
  }
  return { accepted, unknown: entriesOfAll(unmatched) };
}

/** Tells what was queued, and what an answer that came with jobs already ended says of them. */
async function reportJobs(
  { api, journal, kind }: SendContext,
  units: readonly BulkUnit[],
  jobs: MatchedJobs,
  report: Report,
): Promise<void> {
  const stateOf = (job: Job) => jobState(job, api.assumptions);
  if (areRecords(units) && jobs.every((job) => job !== undefined && stateOf(job) === 'pending')) {
    for (const [index, record] of units.entries()) report(queuedOutcome(record, jobs[index]?.jobId ?? ''));
    return;
  }
  const outcomes: PushOutcome[] = [];
  const ends: JobEnd[] = [];
  const orderEnds: JobEnd[] = [];
  for (const [index, unit] of units.entries()) {
    const job = jobs[index];
    if (job === undefined) continue;
    const { jobId } = job;
    const isPending = stateOf(job) === 'pending';
    for (const record of recordsOf(unit)) {
      const end = isPending ? undefined : jobEnd(record.originId, job, api.assumptions);
      if (end !== undefined) ends.push(end);
      outcomes.push(end === undefined ? queuedOutcome(record, jobId) : outcomeOfEnd(record, end));
    }
    const owner = 'records' in unit ? unit.owner : undefined;
    const end = owner && jobEnd(owner.originId, job, api.assumptions);
    if (end !== undefined) orderEnds.push(end);
  }
  try {
    if (ends.length > 0) await journal.endJobs(kind, ends);
    if (orderEnds.length > 0) await journal.endJobs('order', orderEnds);
  } catch (error) {
    // What is on record of them is that they were taken.
    for (const [index, unit] of units.entries()) {
      const jobId = jobs[index]?.jobId;
      if (jobId !== undefined) for (const record of recordsOf(unit)) report(queuedOutcome(record, jobId));
    }
    throw error;
  }
  for (const outcome of outcomes) report(outcome);
}

/** Whether each unit is a record of its own; the units of one request are all of one form. */
function areRecords(units: readonly BulkUnit[]): units is readonly SendableRecord[] {
  const [first] = units;
  return first !== undefined && !('records' in first);
}

function recordsOfAll(units: readonly BulkUnit[]): readonly JournaledRecord[] {
  return areRecords(units) ? units : units.flatMap(recordsOf);
}

/** What is journaled of a unit. */
function entriesOf(unit: BulkUnit): readonly JournalEntry[] {
  const owner = 'records' in unit ? unit.owner : undefined;
  return owner === undefined ? recordsOf(unit) : [...recordsOf(unit), owner];
}

function entriesOfAll(units: readonly BulkUnit[]): readonly JournalEntry[] {
  return areRecords(units) ? units : units.flatMap(entriesOf);
}

/**
 * The job of each unit: by position, as the document promises (API 4.8, 4.14), as long as nothing in the answer contradicts
 * it; else by the originId the job names.
 */
function matchJobs(units: readonly BulkUnit[], jobs: readonly Job[]): MatchedJobs {
  const isInOrder =
    jobs.length === units.length &&
    jobs.every(({ entryOriginId }, index) => !entryOriginId || entryOriginId === units[index]?.originId);
  if (isInOrder) return jobs;
  const byOriginId = new Map(jobs.map((job) => [job.entryOriginId, job]));
  return units.map(({ originId }) => byOriginId.get(originId));
}

/** Reports the units a refusal names, and returns what is left in the groups to send next. */
function withoutCulprits(
  refusals: Refusals,
  units: readonly BulkUnit[],
  refusal: ServiceFailure,
  report: Report,
): BulkUnit[][] {
  const issuesByEntry = new Map<number, ValidationIssue[]>();
  for (const issue of refusal.issues) {
    const index = bulkEntryOf(issue.loc);
    if (index === undefined || index >= units.length) continue;
    issuesByEntry.set(index, [...(issuesByEntry.get(index) ?? []), issue]);
  }
  if (issuesByEntry.size === 0) return halvesOf(refusals, units, refusal.reason, report);
  for (const [index, issues] of issuesByEntry) {
    const unit = units[index];
    const error = issues.map(({ loc, msg }) => [...loc.slice(2), msg].join(' ')).join('; ');
    if (unit !== undefined) tell([unit], 'rejected', error, report);
  }
  return [units.filter((_, index) => !issuesByEntry.has(index))];
}

/** What to send next of units that were refused without a name. */
function halvesOf(
  refusals: Refusals,
  units: readonly BulkUnit[],
  reason: string,
  report: Report,
): BulkUnit[][] {
  if (units.length === 1) {
    refusals.refusedAlone(reason);
    tell(units, 'rejected', reason, report);
    return [];
  }
  if (refusals.isGeneral(reason)) {
    tell(units, 'failed', `${reason} (every record tried alone was refused for this)`, report);
    return [];
  }
  const middle = Math.ceil(units.length / 2);
  return [units.slice(0, middle), units.slice(middle)];
}

function tell(
  units: readonly BulkUnit[],
  outcome: 'rejected' | 'failed',
  error: string,
  report: Report,
): void {
  for (const record of recordsOfAll(units)) report(outcomeOf(record, outcome, { error }));
}
