import { JsonBody } from '../../client/caller.ts';
import type { ServiceFailure } from '../../client/service-failure.ts';
import type { Job } from '../../contract/resources.ts';
import { bulkEntryOf } from '../../contract/validation-error.ts';
import type { JobEnd, JournalEntry, RequestEnd } from '../../store/journal/push-journal.ts';
import { type SendableRecord, textOf } from '../compile/sendable-record.ts';
import { type BulkEntry, type BulkName, type BulkRequest, recordsOf } from '../plan/request.ts';
import { outcomeOf, type PushOutcome, queuedOutcome } from '../steps/outcome.ts';
import type { Report } from '../steps/run-steps.ts';
import { jobEnd, outcomeOfEnd } from '../track/job-end.ts';
import { endRequest, type SendContext, type Sent, sendJournaled } from './send-journaled.ts';

/**
 * Sends entries as one bulk request, journaled before and after. After a refusal that names entries, the others are
 * sent again. A refusal that names none is narrowed down by halves until each culprit is refused alone, unless it
 * concerns every record: then the records that were not refused alone have failed. A request whose answer was lost is
 * never repeated: its records are reported as unknown, unless it ended with a status of 500 and more and a look at the
 * service then shows them. `answered` is called when the request is answered and no other follows.
 * @throws ServiceFailure as `sendJournaled`.
 */
export async function sendBulk(
  context: SendContext,
  { operation, entries }: BulkRequest,
  report: Report,
  answered: () => void = () => undefined,
): Promise<void> {
  if (entries.length === 0) return;
  const body = new JsonBody(`[${entries.map(textOf).join(',')}]`);
  let lost: Loss | undefined;
  const onUnknown = (error: string, failure?: ServiceFailure) => {
    lost = { error, canLook: (failure?.place.status ?? 0) >= 500 };
  };
  const send = () => context.api.call<BulkName>(operation, { body });
  let sent: Sent<Awaited<ReturnType<typeof send>>>;
  try {
    sent = await context.firstBulkAlone(() => {
      context.breaker.check();
      return sendJournaled(context, entries.flatMap(journalEntriesOf), onUnknown, send);
    }, shownBy);
  } finally {
    if (lost !== undefined) await reportLost(context, entries, lost, report);
  }
  if (sent.kind === 'unknown') return;
  if (sent.kind === 'refused') {
    for (const part of withoutCulprits(context, entries, sent.refusal, report))
      await sendBulk(context, { operation, entries: part }, report);
    return;
  }
  answered();
  const jobs = matchJobs(entries, sent.value.value);
  const unmatched = entries.filter((_, index) => jobs[index] === undefined);
  await endRequest(context, sent.request, endOf(entries, jobs, unmatched), (error) =>
    forEachRecord(entries, jobs, (record, job) =>
      report(outcomeOf(record, 'unknown', { jobId: job?.jobId, error })),
    ),
  );
  await reportJobs(context, entries, jobs, report);
  reportAll(unmatched, 'unknown', 'the answer names no job for this record', report);
}

/** Why the answer of a request was lost. */
interface Loss {
  readonly error: string;
  /** Whether a proxy or the service gave up: then it can be asked, which a broken connection leaves open. */
  readonly canLook: boolean;
}

/** Looks for records whose answer was lost, if the service can be asked, and reports them. */
async function reportLost(
  { findLost }: SendContext,
  entries: readonly BulkEntry[],
  { error, canLook }: Loss,
  report: Report,
): Promise<void> {
  const records = entries.flatMap(recordsOf);
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

/** What an answer shows of how the service takes bulk requests. */
function shownBy({ kind }: Sent<unknown>) {
  return kind === 'answered' ? 'proof' : kind === 'refused' ? 'nothing' : 'doubt';
}

/** The job of each entry, if the answer names one. */
type MatchedJobs = readonly (Job | undefined)[];

function forEachRecord(
  entries: readonly BulkEntry[],
  jobs: MatchedJobs,
  visit: (record: SendableRecord, job: Job | undefined) => void,
): void {
  for (const [index, entry] of entries.entries())
    for (const record of recordsOf(entry)) visit(record, jobs[index]);
}

function endOf(
  entries: readonly BulkEntry[],
  jobs: MatchedJobs,
  unmatched: readonly BulkEntry[],
): RequestEnd {
  const isPlain = unmatched.length === 0 && !entries.some((entry) => 'records' in entry);
  if (isPlain) return { jobIds: jobs.map((job) => job?.jobId ?? '') };
  const accepted = entries.flatMap((entry, index) => {
    const jobId = jobs[index]?.jobId;
    return jobId === undefined ? [] : journalEntriesOf(entry).map((sent) => ({ entry: sent, jobId }));
  });
  return { accepted, unknown: unmatched.flatMap(journalEntriesOf) };
}

/** Reports the records as queued, or with their outcome where the answer shows that their job has ended. */
async function reportJobs(
  { api, journal, kind }: SendContext,
  entries: readonly BulkEntry[],
  jobs: MatchedJobs,
  report: Report,
): Promise<void> {
  const outcomes: PushOutcome[] = [];
  const ends: JobEnd[] = [];
  forEachRecord(entries, jobs, (record, job) => {
    if (job === undefined) return;
    const end = jobEnd(record.originId, job, api.assumptions);
    if (end !== undefined) ends.push(end);
    outcomes.push(end === undefined ? queuedOutcome(record, job.jobId) : outcomeOfEnd(record, end));
  });
  const orderEnds = entries.flatMap((entry, index) => {
    const [owner, job] = [ownerOf(entry), jobs[index]];
    return (owner && job && jobEnd(owner.originId, job, api.assumptions)) ?? [];
  });
  try {
    if (ends.length > 0) await journal.endJobs(kind, ends);
    if (orderEnds.length > 0) await journal.endJobs('order', orderEnds);
  } catch (error) {
    // The journal has them as accepted.
    forEachRecord(entries, jobs, (record, job) => job && report(queuedOutcome(record, job.jobId)));
    throw error;
  }
  for (const outcome of outcomes) report(outcome);
}

/** The order of a bulk entry that makes one. */
function ownerOf(entry: BulkEntry): JournalEntry | undefined {
  return 'records' in entry ? entry.owner : undefined;
}

/** The journal entries of a bulk entry. */
function journalEntriesOf(entry: BulkEntry): readonly JournalEntry[] {
  const owner = ownerOf(entry);
  return owner === undefined ? recordsOf(entry) : [...recordsOf(entry), owner];
}

/**
 * The job of each entry: by position, as the document promises (API 4.8, 4.14), unless the answer contradicts that;
 * else by the originId that the job names.
 */
function matchJobs(entries: readonly BulkEntry[], jobs: readonly Job[]): MatchedJobs {
  const isInOrder =
    jobs.length === entries.length &&
    jobs.every(({ entryOriginId }, index) => !entryOriginId || entryOriginId === entries[index]?.originId);
  if (isInOrder) return jobs;
  const byOriginId = new Map(jobs.map((job) => [job.entryOriginId, job]));
  return entries.map(({ originId }) => byOriginId.get(originId));
}

/** Reports the entries that a refusal names, and returns the others in the groups to send next. */
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
  for (const record of entries.flatMap(recordsOf)) report(outcomeOf(record, outcome, { error }));
}
