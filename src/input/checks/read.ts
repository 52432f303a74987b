import type { InputFiles } from '../open/open.ts';
import type { IdRecords } from '../records/id-lines.ts';
import type { InputOptions } from '../records/options.ts';
import type { Entry, Identified, RecordKind } from '../records/record-kinds.ts';
import { checkInput } from './check.ts';

/** Where the good records of an input go while it is validated. */
export interface KeptRecords<T> {
  /** Keeps further records, all of one file. */
  add(entries: readonly Entry<T>[]): void;
  /** Keeps further records that are made of ids alone; without it they come as entries, too. */
  addIds?(file: string, records: IdRecords): void;
  /** All that were kept, in order. */
  entries(): AsyncIterable<readonly Entry<T>[]>;
}

/** Keeps nothing, and reads the input once more where its records are asked for again; they throw what `checkInput` throws. */
export function rereadRecords<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
): KeptRecords<T> {
  return {
    add: () => undefined,
    entries: async function* () {
      for await (const { entries } of checkInput(input, kind, options, { isSound: false })) {
        if (entries.length > 0) yield entries;
      }
    },
  };
}
