import type { RecordPlace } from '../../../push/steps/outcome.ts';
import type { RunLog, RunRecord } from '../../../store/runs/run-log.ts';

/** Records in a page. */
const pageSize = 1000;

/** Records the records of a run of an import: all of them before it sends any, then the outcome of each. */
export class RunRecords {
  readonly #runs: Pick<RunLog, 'keep'>;
  readonly #run: string;
  #page: RunRecord[] = [];

  constructor(runs: Pick<RunLog, 'keep'>, run: string) {
    this.#runs = runs;
    this.#run = run;
  }

  /** @throws as `RunLog.keep`. */
  async keepAll(places: AsyncIterable<readonly RecordPlace[]>): Promise<void> {
    for await (const batch of places) await this.keep(batch);
    await this.flush();
  }

  /** The last ones may be in memory alone until the next `flush`. @throws as `RunLog.keep`. */
  async keep(records: readonly RunRecord[]): Promise<void> {
    for (const { file, line, originId, outcome } of records)
      this.#page.push({ file, line, originId, ...(outcome === undefined ? {} : { outcome }) });
    if (this.#page.length >= pageSize) await this.flush();
  }

  /** @throws as `RunLog.keep`. */
  async flush(): Promise<void> {
    const page = this.#page;
    this.#page = [];
    if (page.length > 0) await this.#runs.keep(this.#run, page);
  }
}
