import { Spool } from '../../../base/spool.ts';
import type { PlanLine } from '../../../push/plan/plan-line.ts';
import { planLineText } from './push-plan.ts';

/** Lines in a batch. */
const batchSize = 500;

/** The lines of a plan until they are sent: in memory if they are few, else in a private file. */
export class HeldLines<S extends object> {
  readonly #spool: Spool;
  #texts: string[] = [];

  /** Many lines go to a file in `folder`. */
  constructor(folder: string) {
    this.#spool = new Spool(folder);
  }

  /** @throws as `Spool.add`. */
  add(line: PlanLine<S>): void {
    this.#texts.push(planLineText(line));
    if (this.#texts.length === batchSize) this.#flush();
  }

  async *lines(): AsyncGenerator<readonly PlanLine<S>[]> {
    this.#flush();
    for await (const { columns } of this.#spool.batches())
      yield (columns[0] ?? []).map((text): PlanLine<S> => JSON.parse(text));
  }

  close(): void {
    this.#spool.close();
  }

  #flush(): void {
    const texts = this.#texts;
    this.#texts = [];
    this.#spool.add({ file: '', lines: texts.map(() => 0), columns: [texts] });
  }
}
