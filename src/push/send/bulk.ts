import { JsonBody } from '../../client/caller.ts';
import type { ServiceFailure } from '../../client/service-failure.ts';
import type { Job } from '../../contract/resources.ts';
import { bulkEntryOf } from '../../contract/validation-error.ts';
import type { JobEnd, JournalEntry, RequestEnd, RequestId } from '../../store/journal/push-journal.ts';
import { type SendableRecord, textOf } from '../compile/sendable-record.ts';
import { type BulkEntry, type BulkName, type BulkRequest, recordsOf } from '../plan/request.ts';
import { outcomeOf, queuedOutcome } from '../steps/outcome.ts';
import type { Report } from '../steps/run-steps.ts';
import { jobEnd, outcomeOfEnd } from '../track/job-end.ts';
import { endRequest, type SendContext, type Sent, sendJournaled } from './send-journaled.ts';

/**
 * Sends entries as one bulk request, journaled before and after. After a refusal that names entries, the others are
 * sent again. A refusal that names none is narrowed down by halves until each culprit is refused alone. If it concerns
 * every record, the records not refused alone have failed. A request whose answer was lost is never repeated: its
 * records are reported as unknown, unless it ended with a status of at least 500 and the service then shows them.
 * `answered` is called once the request is answered and no other follows.
 * @throws ServiceFailure as `sendJournaled`; the error that stopped the push, after the outcomes.
 */
export async function sendBulk(
  context: SendContext,
  { operation, entries }: BulkRequest,
  report: Report,
  answered: () => void = () => undefined,
): Promise<void> {
  if (entries.length === 0) return;
  const { api, breaker } = context;
  const body = new JsonBody(`[${entries.map(textOf).join(',')}]`);
  const sent = await context.bulkCanary(() => {
    breaker.check();
    return sendJournaled(context, journalEntriesOf(entries), () => api.call<BulkName>(operation, { body }));
  }, shownBy);
  if (sent.kind === 'refused') {
    for (const part of withoutCulprits(context, entries, sent.refusal, report))
      await sendBulk(context, { operation, entries: part }, report);
    return;
  }
  if (sent.kind === 'unknown') await reportLost(context, recordsOf(entries), sent, report);
  else {
    answered();
    await reportTaken(context, entries, sent.request, sent.value.value, report);
  }
  breaker.check();
}

/** Reports the records of a lost answer. If a proxy or the service gave up, looks for them at the service first. */
async function reportLost(
  { findLost }: SendContext,
  records: readonly SendableRecord[],
  { error, failure }: Extract<Sent<unknown>, { readonly kind: 'unknown' }>,
  report: Report,
): Promise<void> {
  const canLook = (failure?.place.status ?? 0) >= 500;
  let found: ReadonlyMap<string, string> | undefined;
  try {
    if (canLook) found = await findLost?.(records.map(({ originId }) => originId));
  } finally {
    for (const record of records) {
      const id = found?.get(record.originId);
      const details = id === undefined ? { error } : { id };
      report(outcomeOf(record, id === undefined ? 'unknown' : 'created', details));
    }
  }
}

/** The evidence of an answer about bulk requests in general. */
function shownBy({ kind }: Sent<unknown>) {
  return kind === 'answered' ? 'proof' : kind === 'refused' ? 'nothing' : 'doubt';
}

/**
 * Records the jobs of an answered request, and reports its records: as queued, or with their outcome if the answer
 * already shows the end of their job.
 */
async function reportTaken(
  context: SendContext,
  entries: readonly BulkEntry[],
  request: RequestId,
  answer: readonly Job[],
  report: Report,
): Promise<void> {
  const { api, journal, kind } = context;
  const records = recordsOf(entries);
  const jobs = matchJobs(entries, answer);
  const jobOf = eachRecord(entries, jobs);
  const unrecorded = await endRequest(context, request, endOf(entries, jobs));
  const ends: JobEnd[] = [];
  const outcomes = records.map((record, index) => {
    const job = jobOf[index];
    if (unrecorded !== undefined || job === undefined)
      return outcomeOf(record, 'unknown', { jobId: job?.jobId, error: unrecorded ?? noJob });
    const end = jobEnd(record.originId, job, api.assumptions);
    if (end === undefined) return queuedOutcome(record, job.jobId);
    ends.push(end);
    return outcomeOfEnd(record, end);
  });
  try {
    if (ends.length > 0) {
      const orderEnds = entries.flatMap((entry, index) => {
        const job = 'records' in entry ? jobs[index] : undefined;
        return (job && jobEnd(entry.originId, job, api.assumptions)) ?? [];
      });
      await journal.endJobs(kind, ends, orderEnds);
    }
  } catch (error) {
    // The journal has them as accepted.
    for (const outcome of outcomes)
      report(outcome.jobId === undefined ? outcome : queuedOutcome(outcome, outcome.jobId));
    throw error;
  }
  for (const outcome of outcomes) report(outcome);
}

const noJob = 'the answer names no job for this record';

/** The job of each entry, if the answer names one. */
type MatchedJobs = readonly (Job | undefined)[];

/** The job of each record. */
function eachRecord(entries: readonly BulkEntry[], jobs: MatchedJobs): MatchedJobs {
  if (recordsOf(entries) === entries) return jobs;
  return entries.flatMap((entry, index) =>
    'records' in entry ? entry.records.map(() => jobs[index]) : jobs[index],
  );
}

function endOf(entries: readonly BulkEntry[], jobs: MatchedJobs): RequestEnd {
  if (recordsOf(entries) === entries && !jobs.includes(undefined))
    return { jobIds: jobs.map((job) => job?.jobId ?? '') };
  const accepted = entries.flatMap((entry, index) => {
    const jobId = jobs[index]?.jobId;
    return jobId === undefined ? [] : journaledIn(entry).map((sent) => ({ entry: sent, jobId }));
  });
  const unknown = entries.filter((_, index) => jobs[index] === undefined);
  return { accepted, unknown: journalEntriesOf(unknown) };
}

/** The journal entries of bulk entries: each order in addition to its items. */
function journalEntriesOf(entries: readonly BulkEntry[]): readonly JournalEntry[] {
  const records = recordsOf(entries);
  if (records === entries) return records;
  return entries.flatMap(journaledIn);
}

function journaledIn(entry: BulkEntry): readonly JournalEntry[] {
  return 'records' in entry ? [...entry.records, entry.owner] : [entry];
}

/**
 * Matches jobs to entries by position, as the document promises (API 4.8, 4.14). If the answer contradicts that,
 * matches them by originId.
 */
function matchJobs(entries: readonly BulkEntry[], jobs: readonly Job[]): MatchedJobs {
  const isInOrder =
    jobs.length === entries.length &&
    jobs.every(({ entryOriginId }, index) => !entryOriginId || entryOriginId === entries[index]?.originId);
  if (isInOrder) return jobs;
  const byOriginId = new Map(jobs.map((job) => [job.entryOriginId, job]));
  return entries.map(({ originId }) => byOriginId.get(originId));
}

/** Reports the entries that a refusal names, and returns the others in groups to send next. */
function withoutCulprits(
  context: SendContext,
  entries: readonly BulkEntry[],
  refusal: ServiceFailure,
  report: Report,
): readonly (readonly BulkEntry[])[] {
  const errors = new Map<BulkEntry, string[]>();
  for (const { loc, msg } of refusal.issues) {
    const entry = entries[bulkEntryOf(loc) ?? -1];
    if (entry === undefined) continue;
    errors.set(entry, [...(errors.get(entry) ?? []), [...loc.slice(2), msg].join(' ')]);
  }
  if (errors.size === 0) return halvesOf(context, entries, refusal.reason, report);
  for (const [entry, messages] of errors) reportAll([entry], 'rejected', messages.join('; '), report);
  return [entries.filter((entry) => !errors.has(entry))];
}

/** The groups to send next after a refusal that names no entry. */
function halvesOf(
  { refusals }: SendContext,
  entries: readonly BulkEntry[],
  reason: string,
  report: Report,
): readonly (readonly BulkEntry[])[] {
  if (entries.length === 1) {
    refusals.refusedAlone(reason);
    reportAll(entries, 'rejected', reason, report);
    return [];
  }
  if (refusals.isGeneral(reason)) {
    reportAll(entries, 'failed', `${reason} (every record tried alone was refused for this)`, report);
    return [];
  }
  const middle = Math.ceil(entries.length / 2);
  return [entries.slice(0, middle), entries.slice(middle)];
}

function reportAll(
  entries: readonly BulkEntry[],
  outcome: 'rejected' | 'failed' | 'unknown',
  error: string,
  report: Report,
): void {
  for (const record of recordsOf(entries)) report(outcomeOf(record, outcome, { error }));
}
