import { type ExitCode, Failure, strongestExitCode } from '../../../base/failure.ts';
import { streamOf } from '../../../base/lists.ts';
import { serviceUrl } from '../../../client/open-service.ts';
import { isListName, type ListName } from '../../../client/paginate.ts';
import { exchangeOfRecord } from '../../../client/recorded-exchange.ts';
import { findFolders, stateFolderPath } from '../../../config/folders.ts';
import { evidenceIn } from '../../../contract/assumption-checks.ts';
import type { Assumptions } from '../../../contract/assumptions.ts';
import { documentedOperations, type OperationName } from '../../../contract/operations.ts';
import { writeRecords } from '../../../output/formats/records.ts';
import { type LearnedAssumptions, readLearned } from '../../../store/profile/learned-assumptions.ts';
import { connect, readAssumptions, requireBaseUrl, type Session } from '../../runtime/session.ts';
import { type EvidenceWatch, watchEvidence } from '../../runtime/watch-evidence.ts';
import { assumptionRows, assumptionView } from './assumption-table.ts';
import { findArrayStyle } from './find-array-style.ts';
import type { DoctorInvocation } from './finding.ts';
import { readHar } from './read-har.ts';

/**
 * Checks assumptions by reads of the service and prints each with the evidence of this and earlier commands. With
 * --from, reads a recording instead and stores nothing. Exits with 6 where an assumption is refuted that a setting or a
 * person has to correct.
 */
export async function listAssumptions(invocation: DoctorInvocation): Promise<ExitCode> {
  const { context, flags, notices, sources } = invocation;
  const assumptions = readAssumptions(flags.assume);
  if (flags.from !== undefined) {
    const shown = await learnFrom(flags.from, assumptions, context.stopping);
    return printAssumptions(invocation, assumptions, shown);
  }
  const address = serviceUrl(requireBaseUrl(flags.baseUrl));
  const watch = watchEvidence({ clock: context.clock, assumptions, isAsking: true });
  const failure = await askService(invocation, watch);
  const folder = stateFolderPath(findFolders(context.env), sources.profile.name, address);
  const exitCode = await printAssumptions(invocation, assumptions, readLearned(folder));
  if (failure !== undefined) notices.error(failure);
  return strongestExitCode([exitCode, failure?.exitCode ?? 0]);
}

/** @throws as `readHar`. */
async function learnFrom(
  path: string,
  assumptions: Assumptions,
  stopping: AbortSignal,
): Promise<LearnedAssumptions> {
  let nowMs = 0;
  const { onEvidence, learned } = watchEvidence({ clock: { now: () => nowMs }, assumptions });
  for (const { startedAtMs, ...request } of await readHar(path, stopping)) {
    nowMs = startedAtMs;
    const exchange = exchangeOfRecord(request, assumptions);
    if (exchange !== undefined) evidenceIn(exchange, assumptions).forEach(onEvidence);
  }
  return learned;
}

/** Prints every assumption, and what is to be done about those that are refuted. */
async function printAssumptions(
  { context, flags, notices }: DoctorInvocation,
  assumptions: Assumptions,
  learned: LearnedAssumptions,
): Promise<ExitCode> {
  const rows = assumptionRows(assumptions, learned);
  await writeRecords(streamOf([rows]), assumptionView, { ...flags, format: flags.output }, context.streams);
  const mendable = rows.filter(
    ({ assumption, verdict }) => verdict === 'refuted' && learned.get(assumption)?.remedy !== undefined,
  );
  for (const { evidence, change } of mendable) notices.warning(evidence, change);
  return mendable.length > 0 ? 6 : 0;
}

const lists = (Object.keys(documentedOperations) as OperationName[]).filter(isListName);

/** Learns what one page of each list shows, and how array parameters are read; the failure that kept it from that. */
async function askService(invocation: DoctorInvocation, watch: EvidenceWatch): Promise<Failure | undefined> {
  try {
    const service = await connect(invocation, { watch });
    try {
      for (const name of lists) await readPage(service, name);
      const finding = await findArrayStyle(service, invocation.flags.assume);
      if (finding !== undefined) watch.onEvidence({ assumption: 'arrayQuery', ...finding });
    } finally {
      await service.close();
    }
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** A list that this credential may not read, or the service does not have, shows nothing. */
async function readPage({ api }: Session, name: ListName): Promise<void> {
  try {
    await api.call(name, {});
  } catch (error) {
    const { status = 0 } = error instanceof Failure ? error.place : {};
    const isOfThisList = status >= 400 && status < 500 && status !== 401;
    if (!isOfThisList) throw error;
  }
}
