import { chunk } from '../../../base/lists.ts';
import { Spool } from '../../../base/spool.ts';
import type { InputFiles } from '../../../input/open/open.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import type { Entry } from '../../../input/records/record-kinds.ts';
import type { Rejects } from '../../../input/rejects/rejects.ts';
import type { KeptRecords, Validation } from '../../../input/validate.ts';
import type { Compiler } from '../../../push/compile/compiler.ts';

/** Maximum records of one file in a batch; one batch is in memory at a time when records are read again. */
const batchSize = 1000;

/** The valid records of an input, compiled once during validation; the input itself is not read again. */
export class CompiledInput<T, S extends object> implements KeptRecords<T> {
  readonly #compiler: Compiler<T, S>;
  readonly #spool: Spool;

  /** Many records go to a file in `folder`. */
  constructor(compiler: Compiler<T, S>, folder: string) {
    this.#compiler = compiler;
    this.#spool = new Spool(folder);
  }

  /** Adds records of one file. @throws as `Spool.add`. */
  add(entries: readonly Entry<T>[]): void {
    for (const batch of chunk(entries, batchSize)) {
      const file = batch[0]?.file ?? '';
      const lines = batch.map(({ line }) => line);
      this.#spool.add({ file, lines, columns: this.#compiler.columnsOf(batch) });
    }
  }

  /** The records ready to be sent, in the order of the input. */
  async *records(): AsyncGenerator<readonly S[]> {
    for await (const batch of this.#spool.batches()) yield this.#compiler.recordsOf(batch);
  }

  close(): void {
    this.#spool.close();
  }
}

/** Files after they were read and validated. */
export interface ReadFiles<T, S extends object> {
  readonly files: InputFiles;
  readonly options: InputOptions;
  readonly validation: Validation;
  /** Their valid records. */
  readonly compiled: CompiledInput<T, S>;
  readonly rejects: Rejects;
}
