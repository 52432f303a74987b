import type { JsonObject } from '../../../base/json.ts';
import { shardText } from '../../../base/shard.ts';
import { emptyFates, type Fate, fates, ImportProof } from './import-proof.ts';
import type { ImportRun } from './import-runs.ts';
import { troubledRecords } from './troubled-records.ts';

/** The runs of an import as one. What is known of its records is complete once all of `troubles` was read. */
export class MergedImport {
  readonly #groups: readonly (readonly ImportRun[])[];
  readonly #tally = emptyFates();
  /** How many records were left without an outcome, by the last run that was to send them. */
  readonly left = new Map<ImportRun, number>();

  constructor(runs: readonly ImportRun[]) {
    this.#groups = groupsOf(runs);
  }

  /** How many records came to each fate. */
  get tally(): Readonly<Record<Fate, number>> {
    return this.#tally;
  }

  /** The number of records that the runs were to send. */
  get listed(): number {
    return Object.values(this.#tally).reduce((sum, count) => sum + count, 0);
  }

  /** The records that need attention; see `troubledRecords`. */
  async *troubles(): AsyncGenerator<readonly JsonObject[]> {
    for (const runs of this.#groups) {
      const proof = new ImportProof();
      for (const one of runs)
        for await (const page of one.journal.runs.kept(one.run.id)) proof.take(page, one);
      const tally = proof.tally();
      for (const fate of fates) this.#tally[fate] += tally[fate];
      yield* troubledRecords({ runs, proof }, this.left);
    }
  }
}

/** Runs that may have records in common: those of one shard, where all shards are of one division of the input. */
function groupsOf(runs: readonly ImportRun[]): readonly (readonly ImportRun[])[] {
  const divisions = new Set(runs.map(({ run: { shard } }) => shard?.count ?? 1));
  if (divisions.size > 1) return [runs];
  const groups = new Map<string, ImportRun[]>();
  for (const one of runs) {
    const shard = one.run.shard === undefined ? '' : shardText(one.run.shard);
    groups.set(shard, [...(groups.get(shard) ?? []), one]);
  }
  return [...groups.values()];
}
