import { JsonBody } from '../../client/caller.ts';
import type { ServiceFailure } from '../../client/service-failure.ts';
import type { Job } from '../../contract/resources.ts';
import { bulkEntryOf, type ValidationIssue } from '../../contract/validation-error.ts';
import type { Acceptance, JobEnd, JournalEntry, RequestEnd } from '../../store/journal/push-journal.ts';
import type { SendableRecord } from '../compile/sendable-record.ts';
import { outcomeOf, type PushOutcome, queuedOutcome } from '../steps/outcome.ts';
import type { Refusals } from '../steps/refusals.ts';
import type { Report } from '../steps/run-steps.ts';
import { jobEnd, outcomeOfEnd } from '../track/job-end.ts';
import { endRequest, reportUnknown, type SendContext, type Sent, sendJournaled } from './send-journaled.ts';

/** The operations that take an array and answer one job an entry, in request order (API 4.8, 4.14). */
export type BulkName = 'bulkCreateCategories' | 'bulkCreateOrderItems' | 'createOrders';

/** One entry of a bulk request: a record, or an order with its items. */
export type BulkEntry = SendableRecord | OrderEntry;

/** All items of a whole order, and their order, which is created with them and journaled beside them. */
interface OrderEntry {
  /** The key of the entry, which its job names as `entryOriginId`. */
  readonly originId: string;
  /** The entry as JSON. */
  readonly text: string;
  readonly records: readonly SendableRecord[];
  readonly owner?: JournalEntry;
}

/** The input records in an entry. */
export function recordsOf(entry: BulkEntry): readonly SendableRecord[] {
  return 'records' in entry ? entry.records : [entry];
}

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
  operation: BulkName,
  entries: readonly BulkEntry[],
  report: Report,
  answered: () => void = () => undefined,
): Promise<void> {
  if (entries.length === 0) return;
  const { api } = context;
  const body = new JsonBody(`[${entries.map(({ text }) => text).join(',')}]`);
  let lost: Loss | undefined;
  const onUnknown = (error: string, failure?: ServiceFailure) => {
    lost = { error, canLook: (failure?.place.status ?? 0) >= 500 };
  };
  const send = () => api.call<BulkName>(operation, { body });
  let sent: Sent<Awaited<ReturnType<typeof send>>>;
  try {
    sent = await context.firstBulkAlone(() => {
      context.breaker.check();
      return sendJournaled(context, allJournalEntries(entries), onUnknown, send);
    }, shownBy);
  } finally {
    if (lost !== undefined) await reportLost(context, allRecords(entries), lost, report);
  }
  if (sent.kind === 'unknown') return;
  if (sent.kind === 'refused') {
    for (const part of withoutCulprits(context.refusals, entries, sent.refusal, report))
      await sendBulk(context, operation, part, report);
    return;
  }
  answered();
  const jobs = matchJobs(entries, sent.value.value);
  const unmatched = entries.filter((_, index) => jobs[index] === undefined);
  await endRequest(context, sent.request, endOf(entries, jobs, unmatched), (error) => {
    for (const [index, entry] of entries.entries()) {
      const jobId = jobs[index]?.jobId;
      for (const record of recordsOf(entry)) report(outcomeOf(record, 'unknown', { jobId, error }));
    }
  });
  await reportJobs(context, entries, jobs, report);
  reportUnknown(allRecords(unmatched), 'the answer names no job for this record', report);
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
  records: readonly SendableRecord[],
  { error, canLook }: Loss,
  report: Report,
): Promise<void> {
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

/** The job of each entry, where the answer names one. */
type MatchedJobs = readonly (Job | undefined)[];

function endOf(
  entries: readonly BulkEntry[],
  jobs: MatchedJobs,
  unmatched: readonly BulkEntry[],
): RequestEnd {
  const matched = jobs.filter((job) => job !== undefined);
  if (areRecords(entries) && unmatched.length === 0) return { jobIds: matched.map(({ jobId }) => jobId) };
  const accepted: Acceptance[] = [];
  for (const [index, entry] of entries.entries()) {
    const jobId = jobs[index]?.jobId;
    if (jobId !== undefined)
      for (const sent of journalEntriesOf(entry)) accepted.push({ entry: sent, jobId });
  }
  return { accepted, unknown: allJournalEntries(unmatched) };
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
  const orderEnds: JobEnd[] = [];
  for (const [index, entry] of entries.entries()) {
    const job = jobs[index];
    if (job === undefined) continue;
    const { jobId } = job;
    for (const record of recordsOf(entry)) {
      const end = jobEnd(record.originId, job, api.assumptions);
      if (end !== undefined) ends.push(end);
      outcomes.push(end === undefined ? queuedOutcome(record, jobId) : outcomeOfEnd(record, end));
    }
    const owner = ownerOf(entry);
    const end = owner && jobEnd(owner.originId, job, api.assumptions);
    if (end !== undefined) orderEnds.push(end);
  }
  try {
    if (ends.length > 0) await journal.endJobs(kind, ends);
    if (orderEnds.length > 0) await journal.endJobs('order', orderEnds);
  } catch (error) {
    // The journal has them as accepted.
    for (const [index, entry] of entries.entries()) {
      const jobId = jobs[index]?.jobId;
      if (jobId !== undefined) for (const record of recordsOf(entry)) report(queuedOutcome(record, jobId));
    }
    throw error;
  }
  for (const outcome of outcomes) report(outcome);
}

/** Whether each entry is a record of its own; the entries of one request all have one form. */
function areRecords(entries: readonly BulkEntry[]): entries is readonly SendableRecord[] {
  const [first] = entries;
  return first !== undefined && !('records' in first);
}

function allRecords(entries: readonly BulkEntry[]): readonly SendableRecord[] {
  return entries.flatMap(recordsOf);
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

function allJournalEntries(entries: readonly BulkEntry[]): readonly JournalEntry[] {
  return entries.flatMap(journalEntriesOf);
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
  refusals: Refusals,
  entries: readonly BulkEntry[],
  refusal: ServiceFailure,
  report: Report,
): BulkEntry[][] {
  const issuesByEntry = new Map<number, ValidationIssue[]>();
  for (const issue of refusal.issues) {
    const index = bulkEntryOf(issue.loc);
    if (index === undefined || index >= entries.length) continue;
    issuesByEntry.set(index, [...(issuesByEntry.get(index) ?? []), issue]);
  }
  if (issuesByEntry.size === 0) return halvesOf(refusals, entries, refusal.reason, report);
  for (const [index, issues] of issuesByEntry) {
    const entry = entries[index];
    const error = issues.map(({ loc, msg }) => [...loc.slice(2), msg].join(' ')).join('; ');
    if (entry !== undefined) reportAll([entry], 'rejected', error, report);
  }
  return [entries.filter((_, index) => !issuesByEntry.has(index))];
}

/** The groups to send next after a refusal that names no entry. */
function halvesOf(
  refusals: Refusals,
  entries: readonly BulkEntry[],
  reason: string,
  report: Report,
): BulkEntry[][] {
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
  outcome: 'rejected' | 'failed',
  error: string,
  report: Report,
): void {
  for (const record of allRecords(entries)) report(outcomeOf(record, outcome, { error }));
}
