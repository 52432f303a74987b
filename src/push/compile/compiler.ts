import type { SpoolBatch } from '../../base/spool.ts';
import type { Entry } from '../../input/records/record-kinds.ts';

/**
 * The form in which the records of one kind wait between validation and sending: text that is created once. `T` is an
 * input record, `S` the record that its flow needs.
 */
export interface Compiler<T, S> {
  /** The columns that store these records. */
  columnsOf(entries: readonly Entry<T>[]): SpoolBatch['columns'];
  /** The records of a batch, ready for their flow. */
  recordsOf(batch: SpoolBatch): S[];
}

/** Keeps records unchanged, for flows that compare them field by field with the service. */
export function entryCompiler<T>(): Compiler<T, Entry<T>> {
  return {
    columnsOf: (entries) => [entries.map(({ record }) => JSON.stringify(record))],
    recordsOf: ({ file, lines, columns: [records = []] }) =>
      lines.map((line, index) => ({ file, line, record: JSON.parse(records[index] ?? '') })),
  };
}
