import type { CallInput } from '../client/caller.ts';
import type { ServiceFailure } from '../client/service-failure.ts';
import type { Operations } from '../contract/operations.ts';
import type { Job } from '../contract/resources.ts';
import { bulkEntryOf, type ValidationIssue } from '../contract/validation-error.ts';
import type { JobEnd, JournalEntry } from '../store/push-journal.ts';
import { jobEnd, outcomeOfEnd } from './job-end.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Refusals } from './refusals.ts';
import type { Report } from './run-steps.ts';
import {
  endRequest,
  type JournaledRecord,
  reportUnknown,
  type SendContext,
  sendJournaled,
} from './send-journaled.ts';

/** The operations that take an array and answer one job an entry, in request order (API 4.8, 4.14). */
export type BulkName = 'bulkCreateCategories' | 'bulkCreateOrderItems' | 'createOrders';

/** One entry of a bulk request and the input records it carries: one, or all items of a whole order. */
export interface BulkUnit {
  /** The key of the entry, which its job names as `entryOriginId`. */
  readonly originId: string;
  readonly body: object;
  readonly records: readonly JournaledRecord[];
  /** What is made together with the records and journaled beside them: their order. */
  readonly owner?: JournalEntry;
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
  report: Report,
): Promise<void> {
  if (units.length === 0) return;
  const { api } = context;
  const input = { body: units.map((unit) => unit.body) } as CallInput<Operations[BulkName]>;
  const sending = { records: recordsOf(units), entries: units.flatMap(entriesOf) };
  const sent = await sendJournaled(context, sending, report, () => api.call<BulkName>(operation, input));
  if (sent.kind === 'lost') return;
  if (sent.kind === 'refused') {
    for (const part of withoutCulprits(context.refusals, units, sent.refusal, report))
      await sendUnits(context, operation, part, report);
    return;
  }
  const { matched, unmatched } = matchJobs(units, sent.value.value);
  const end = {
    accepted: matched.flatMap(({ unit, job: { jobId } }) =>
      entriesOf(unit).map((entry) => ({ entry, jobId })),
    ),
    unknown: unmatched.flatMap(entriesOf),
  };
  await endRequest(context, sent.request, end, (error) => {
    for (const { unit, job } of matched) {
      for (const record of unit.records) report(outcomeOf(record, 'unknown', { jobId: job.jobId, error }));
    }
    reportUnknown(recordsOf(unmatched), error, report);
  });
  await reportJobs(context, matched, report);
  reportUnknown(recordsOf(unmatched), 'the answer names no job for this record', report);
}

interface MatchedUnit {
  readonly unit: BulkUnit;
  readonly job: Job;
}

/** Tells what was queued, and what an answer that came with jobs already ended says of them. */
async function reportJobs(
  { api, journal, kind }: SendContext,
  matched: readonly MatchedUnit[],
  report: Report,
): Promise<void> {
  const outcomes: Outcome[] = [];
  const ends: JobEnd[] = [];
  const orderEnds: JobEnd[] = [];
  for (const { unit, job } of matched) {
    for (const record of unit.records) {
      const end = jobEnd(record.originId, job, api.assumptions);
      if (end !== undefined) ends.push(end);
      outcomes.push(
        end === undefined ? outcomeOf(record, 'queued', { jobId: job.jobId }) : outcomeOfEnd(record, end),
      );
    }
    const end = unit.owner && jobEnd(unit.owner.originId, job, api.assumptions);
    if (end !== undefined) orderEnds.push(end);
  }
  try {
    if (ends.length > 0) await journal.endJobs(kind, ends);
    if (orderEnds.length > 0) await journal.endJobs('order', orderEnds);
  } catch (error) {
    // What is on record of them is that they were taken.
    for (const { unit, job } of matched) {
      for (const record of unit.records) report(outcomeOf(record, 'queued', { jobId: job.jobId }));
    }
    throw error;
  }
  for (const outcome of outcomes) report(outcome);
}

function recordsOf(units: readonly BulkUnit[]): JournaledRecord[] {
  return units.flatMap((unit) => unit.records);
}

/** What is journaled of a unit. */
function entriesOf({ records, owner }: BulkUnit): readonly JournalEntry[] {
  return owner === undefined ? records : [...records, owner];
}

/**
 * The job of each unit: by position, as the document promises (API 4.8, 4.14), as long as nothing in the answer contradicts
 * it; else by the originId the job names.
 */
function matchJobs(units: readonly BulkUnit[], jobs: readonly Job[]) {
  const isInOrder =
    jobs.length === units.length &&
    jobs.every(({ entryOriginId }, index) => !entryOriginId || entryOriginId === units[index]?.originId);
  const byOriginId = isInOrder ? undefined : new Map(jobs.map((job) => [job.entryOriginId, job]));
  const matched: MatchedUnit[] = [];
  const unmatched: BulkUnit[] = [];
  for (const [index, unit] of units.entries()) {
    const job = byOriginId === undefined ? jobs[index] : byOriginId.get(unit.originId);
    if (job === undefined) unmatched.push(unit);
    else matched.push({ unit, job });
  }
  return { matched, unmatched };
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
  for (const record of recordsOf(units)) report(outcomeOf(record, outcome, { error }));
}
