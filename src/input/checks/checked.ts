import type { UnusedColumn } from '../mapping/columns.ts';
import type { InputFile } from '../open/input-file.ts';
import type { Notice, Problem } from '../records/problem.ts';
import type { Entry } from '../records/record-kinds.ts';
import type { SourceFormat } from '../records/row-batch.ts';

/** The valid records of a batch, the problems of the others, and notices. */
export interface CheckedBatch<T> {
  readonly file: InputFile;
  readonly entries: readonly Entry<T>[];
  /** The number of records that belong to other shards. */
  readonly elsewhereCount: number;
  readonly problems: readonly Problem[];
  /** The preset with which the file is read. */
  readonly preset?: string | undefined;
  /** The product key of the file; see `Binding`. */
  readonly productKey?: string | undefined;
  /** The columns that no field uses, given once when the header is bound; none for a known export, which has many. */
  readonly unusedColumns: readonly UnusedColumn[];
  /** Notices on this file, each once. */
  readonly notices: readonly Notice[];
  /** The paths of the fields with a value in a record of this file so far. */
  readonly filledFields: ReadonlySet<string>;
  /** The rows that problems exclude; only with `keepRaw`. */
  readonly rejects: readonly RejectedRow[];
  /** How the file is written; only with `keepRaw`. */
  readonly sourceFormat?: SourceFormat | undefined;
  /** Whether the structure of the file is broken, so that its rest is unknown. */
  readonly isBroken: boolean;
}

/** A row that is skipped, with its text, which can be corrected and read again. */
export interface RejectedRow {
  readonly line: number;
  readonly originId: string | undefined;
  readonly raw: string;
  readonly problems: readonly Problem[];
  /** Whether it belongs to an order that is not known, and cannot be left out without it. */
  readonly isOrphan: boolean;
}

/** A batch of this file without records. */
export function emptyBatch(file: InputFile, known: Partial<CheckedBatch<never>> = {}): CheckedBatch<never> {
  return {
    file,
    entries: [],
    elsewhereCount: 0,
    problems: [],
    unusedColumns: [],
    notices: [],
    filledFields: new Set(),
    rejects: [],
    isBroken: false,
    ...known,
  };
}
