import type { SpoolBatch } from '../../base/spool.ts';
import type { Entry } from '../../input/records/record-kinds.ts';

/**
 * How the records of one kind wait between validation and sending: as text that is made once. `T` is a record as the
 * input gives it, `S` what its flow needs of it.
 */
export interface Compiler<T, S> {
  /** The columns that keep these records. */
  columnsOf(entries: readonly Entry<T>[]): SpoolBatch['columns'];
  /** The records of a batch, ready for their flow. */
  recordsOf(batch: SpoolBatch): S[];
}

/** Keeps records as they are, for flows that compare them field by field with what the service has. */
export function entryCompiler<T>(): Compiler<T, Entry<T>> {
  return {
    columnsOf: (entries) => [entries.map(({ record }) => JSON.stringify(record))],
    recordsOf: ({ file, lines, columns: [records = []] }) =>
      lines.map((line, index) => ({ file, line, record: JSON.parse(records[index] ?? '') })),
  };
}
