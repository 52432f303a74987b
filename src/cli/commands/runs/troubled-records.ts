import type { JsonObject } from '../../../base/json.ts';
import { shardText } from '../../../base/shard.ts';
import { IdNumbers } from '../../../input/ids/id-numbers.ts';
import type { RunRecord } from '../../../store/runs/run-log.ts';
import { type ImportProof, recordKey } from './import-proof.ts';
import type { ImportRun } from './import-runs.ts';

/** Runs that may have records in common, with what they prove together. */
interface MergedRuns {
  readonly runs: readonly ImportRun[];
  readonly proof: ImportProof;
}

/**
 * The records of an import that need attention, each once: first those without an outcome, whose number is added to
 * `left` by the last run that was to send them, and those that were sent more than once; then those that were rejected
 * or failed, or whose outcome is unknown, with the reason.
 */
export async function* troubledRecords(
  { runs, proof }: MergedRuns,
  left: Map<ImportRun, number>,
): AsyncGenerator<readonly JsonObject[]> {
  const newestFirst = runs.toReversed();
  const named = new IdNumbers();
  const isNew = (record: RunRecord, run: ImportRun) => named.putNew(recordKey(record, run), 1) === undefined;
  const senders = await sendersOfRepeated({ runs, proof });
  for (const run of newestFirst) {
    for await (const page of run.journal.runs.kept(run.run.id)) {
      const found: JsonObject[] = [];
      for (const record of page) {
        const fate = proof.fateOf(record, run);
        if ((fate !== 'none' && fate !== 'repeated') || !isNew(record, run)) continue;
        if (fate === 'none') left.set(run, (left.get(run) ?? 0) + 1);
        const by = senders.get(recordKey(record, run));
        found.push(
          shown(run, record, fate, by && `sent by ${by.map(({ name }) => `run ${name}`).join(' and ')}`),
        );
      }
      if (found.length > 0) yield found;
    }
  }
  for (const run of newestFirst) {
    for await (const page of run.journal.runs.noted(run.run.id)) {
      yield page
        .filter((noted) => proof.fateOf(noted, run) === noted.outcome && isNew(noted, run))
        .map((noted) => shown(run, noted, noted.outcome, noted.error));
    }
  }
}

function shown(
  { run: { shard }, name }: ImportRun,
  { file, line, originId }: RunRecord,
  outcome: string,
  error: string | undefined,
): JsonObject {
  return {
    file,
    line,
    originId,
    outcome,
    ...(shard === undefined ? {} : { shard: shardText(shard) }),
    run: name,
    ...(error === undefined ? {} : { error }),
  };
}

/** The most records sent more than once of which the runs are named. */
const repeatedMaximum = 100_000;

/** Which runs sent the records that were sent more than once. */
async function sendersOfRepeated({
  runs,
  proof,
}: MergedRuns): Promise<ReadonlyMap<string, readonly ImportRun[]>> {
  const senders = new Map<string, ImportRun[]>();
  if (proof.tally().repeated === 0) return senders;
  for (const run of runs) {
    for await (const page of run.journal.runs.kept(run.run.id)) {
      for (const record of page) {
        if (!isSent(record) || proof.fateOf(record, run) !== 'repeated') continue;
        const key = recordKey(record, run);
        if (senders.size < repeatedMaximum || senders.has(key))
          senders.set(key, [...(senders.get(key) ?? []), run]);
      }
    }
  }
  return senders;
}

function isSent({ outcome = '' }: RunRecord): boolean {
  return outcome === 'created' || outcome === 'queued' || outcome === 'unknown';
}
