import type { InputFiles } from '../open/open.ts';
import type { IdRecords } from '../records/id-lines.ts';
import type { InputOptions } from '../records/options.ts';
import type { Entry, Identified, RecordKind } from '../records/record-kinds.ts';
import { checkInput } from './check.ts';

/** Keeps the valid records of an input during validation. */
export interface KeptRecords<T> {
  /** Adds records of one file. */
  add(entries: readonly Entry<T>[]): void;
  /** Adds records that consist of ids alone; without this function they are given as entries. */
  addIds?(file: string, records: IdRecords): void;
  /** All kept records, in order. */
  entries(): AsyncIterable<readonly Entry<T>[]>;
}

/** Keeps nothing and rereads the input for `entries`, which throws what `checkInput` throws. */
export function rereadRecords<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
): KeptRecords<T> {
  return {
    add: () => undefined,
    entries: async function* () {
      for await (const { entries } of checkInput(input, kind, options, { isValidated: false })) {
        if (entries.length > 0) yield entries;
      }
    },
  };
}
