import type { UnusedColumn } from '../mapping/columns.ts';
import type { InputFile } from '../open/input-file.ts';
import type { IdRecords } from '../records/id-lines.ts';
import type { Notice, Problem } from '../records/problem.ts';
import type { Entry } from '../records/record-kinds.ts';
import type { SourceFormat } from '../records/row-batch.ts';

/** The good records of a batch of the input, what is wrong with the others, and what is worth knowing. */
export interface CheckedBatch<T> {
  readonly file: InputFile;
  readonly entries: readonly Entry<T>[];
  /** Good records in place of entries, only with `hasIdColumns`. */
  readonly idRecords?: IdRecords | undefined;
  readonly problems: readonly Problem[];
  /** The preset this file is read with. */
  readonly preset: string | undefined;
  /** What this file knows products by, as `Binding` has it. */
  readonly productKey: string | undefined;
  /** The columns of this file that no field speaks of, but of no known export, which has many; told when its header is bound. */
  readonly unusedColumns: readonly UnusedColumn[];
  /** What is worth knowing of this file, each once. */
  readonly notices: readonly Notice[];
  /** The paths of the fields that a record of this file had a value for, up to here. */
  readonly filledFields: ReadonlySet<string>;
  /** What the problems leave out; only with `keepRaw`. */
  readonly rejects: readonly RejectedRow[];
  /** How the file is written; only with `keepRaw`. */
  readonly sourceFormat: SourceFormat | undefined;
  /** Whether something is wrong with the structure of the file, so that nothing is known of its rest. */
  readonly isBroken: boolean;
  /** Only of a file without any row. */
  readonly emptyFile?: EmptyFile;
  /** Which sheet of a workbook is read; told before its records. */
  readonly sheet?: Notice;
}

/** What a file without rows has instead. */
export interface EmptyFile {
  readonly hasHeader: boolean;
  /** Whether it is one sheet of a workbook, which may have others. */
  readonly isSheet: boolean;
  /** What would be wrong with the header if there were rows. */
  readonly faults: readonly Problem[];
}

/** A record that is left out, in the form in which it can be corrected and read again. */
export interface RejectedRow {
  readonly line: number;
  readonly originId: string | undefined;
  readonly raw: string;
  readonly problems: readonly Problem[];
  /** Whether it continues an order of which nothing is known: below other rows it would continue theirs. */
  readonly isOrphan: boolean;
}

const nothing: Omit<CheckedBatch<never>, 'file'> = {
  entries: [],
  problems: [],
  preset: undefined,
  productKey: undefined,
  unusedColumns: [],
  notices: [],
  filledFields: new Set(),
  rejects: [],
  sourceFormat: undefined,
  isBroken: false,
};

/** What is known of a file where no records come. */
export function emptyBatch(
  file: InputFile,
  known: Partial<Pick<CheckedBatch<never>, 'problems' | 'isBroken' | 'emptyFile' | 'sheet'>> = {},
): CheckedBatch<never> {
  return { ...nothing, file, ...known };
}
