import type { ExitCode } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { type Shard, shardText } from '../../../base/shard.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted, countsInWords, grouped } from '../../../output/terminal/totals.ts';
import type { RunJournal } from '../../../store/journal/push-journal.ts';
import type { Run, RunInput } from '../../../store/runs/run-log.ts';
import { outcomeCount } from '../../templates/push/error-budget.ts';
import { withShard } from '../../templates/push/find-shard.ts';
import { emptyFates, fates, ImportProof, recordKey } from './import-proof.ts';

/** A run that pushed one shard of an import. */
type ShardRun = Run & { readonly input: RunInput; readonly shard: Shard };

export function isShardRun(run: Run): run is ShardRun {
  return run.input !== undefined && run.shard !== undefined;
}

/** The results of an import over all its runs, as commands print them. */
interface ImportReport {
  /** The records of the input. */
  readonly records: number;
  /** Number of records by outcome, for each outcome that occurs. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Records without an outcome, including those of shards without a run. */
  readonly withoutOutcome: number;
  readonly repeated: number;
  readonly missingShards: readonly string[];
}

/** Maximum records listed without an outcome or with two, and maximum shards listed without a run. */
const namedMaximum = 20;

/**
 * Reports the import that `run` is part of: all runs that read the same input in the same way, in as many shards. Lists
 * records without an outcome and records that were sent more than once, with the commands to continue.
 */
export async function reportImport(
  journal: RunJournal,
  run: ShardRun,
  notices: Notices,
): Promise<ImportReport> {
  const shards = shardsOf(await journal.runs.list(), run);
  const total = emptyFates();
  let named = 0;
  for (const runs of shards.values()) {
    const proof = new ImportProof();
    for (const one of runs) for await (const page of journal.runs.kept(one.id)) proof.take(page, one);
    const tally = proof.tally();
    for (const fate of fates) total[fate] += tally[fate];
    const last = runs.at(-1);
    if (last === undefined || tally.none + tally.repeated === 0) continue;
    for (const line of await linesOf(journal, runs, proof, namedMaximum - named)) {
      notices.info(line);
      named += 1;
    }
    const part = `shard ${shardText(last.shard)} (run ${last.id})`;
    if (tally.none > 0) {
      notices.warning(
        `${counted(tally.none, 'record')} without an outcome in ${part}`,
        hint`to continue, in ${last.folder}: ${reviewctl`${last.command}`}`,
      );
    }
    if (tally.repeated > 0) {
      notices.warning(
        `${counted(tally.repeated, 'record')} sent more than once in ${part}`,
        'look for duplicates of them at the service',
      );
    }
  }
  const { records } = run.input;
  const { none, repeated, ...outcomes } = total;
  return {
    records,
    outcomes: Object.fromEntries(Object.entries(outcomes).filter(([, count]) => count > 0)),
    withoutOutcome: none + Math.max(0, records - outcomeCount(total)),
    repeated,
    missingShards: missingShards(run, shards, notices),
  };
}

/** The runs of an import by the index of their shard, in the order of their starts. */
function shardsOf(all: readonly Run[], { kind, input, shard }: ShardRun): Map<number, readonly ShardRun[]> {
  const shards = new Map<number, readonly ShardRun[]>();
  const inTurn = all.filter(isShardRun).toSorted((one, other) => one.startedMs - other.startedMs);
  for (const run of inTurn) {
    const isSame =
      run.kind === kind &&
      run.shard.count === shard.count &&
      run.input.digest === input.digest &&
      run.input.reading === input.reading;
    if (isSame) shards.set(run.shard.index, [...(shards.get(run.shard.index) ?? []), run]);
  }
  return shards;
}

/** Lines about at most `maximum` records of a shard without an outcome or with two, each once, by file, line and id. */
async function linesOf(
  journal: RunJournal,
  runs: readonly ShardRun[],
  proof: ImportProof,
  maximum: number,
): Promise<readonly string[]> {
  const lines = new Map<string, string>();
  for (const run of runs.toReversed()) {
    for await (const page of journal.runs.kept(run.id)) {
      for (const record of page) {
        if (lines.size >= maximum) return [...lines.values()];
        const fate = proof.fateOf(record, run);
        if (fate !== 'none' && fate !== 'repeated') continue;
        const what = fate === 'none' ? 'no outcome' : 'sent more than once';
        lines.set(recordKey(record, run), `${record.file}:${record.line}: ${record.originId}: ${what}`);
      }
    }
  }
  return [...lines.values()];
}

/** The shards that no run has pushed; a warning lists them. */
function missingShards(
  { shard, command }: ShardRun,
  shards: ReadonlyMap<number, unknown>,
  notices: Notices,
): readonly string[] {
  const all = Array.from({ length: shard.count }, (_, at) => ({ ...shard, index: at + 1 }));
  const missing = all.filter(({ index }) => !shards.has(index));
  const names = missing.map(shardText);
  const [first] = missing;
  if (first === undefined) return names;
  const more = names.length > namedMaximum ? `, and ${names.length - namedMaximum} more` : '';
  notices.warning(
    `shards without a run in this state: ${names.slice(0, namedMaximum).join(', ')}${more}`,
    hint`to push the first of them: ${reviewctl`${withShard(command, first)}`}`,
  );
  return names;
}

export function importInWords({ records, outcomes, withoutOutcome, repeated }: ImportReport): string {
  const faults = [
    ...(withoutOutcome === 0 ? [] : [`${grouped(withoutOutcome)} without an outcome`]),
    ...(repeated === 0 ? [] : [`${grouped(repeated)} sent more than once`]),
  ];
  const proof = faults.join(', ') || 'each has exactly one outcome';
  return `${counted(records, 'record')}: ${[countsInWords(outcomes), proof].filter(Boolean).join('; ')}`;
}

/** 0 if each record of the input was sent once. */
export function importExitCode({ outcomes, withoutOutcome, repeated }: ImportReport): ExitCode {
  const { unknown = 0, rejected = 0, failed = 0 } = outcomes;
  if (unknown + repeated > 0) return 11;
  return withoutOutcome + rejected + failed > 0 ? 6 : 0;
}
