import type { IdNumbers } from '../../base/id-set.ts';
import type { UnusedColumn } from '../mapping/columns.ts';
import type { InputFile } from '../open/input-file.ts';
import type { RecordConflict } from '../records/field.ts';
import type { InputOptions } from '../records/options.ts';
import { type Fault, type Notice, type Problem, problemsKept } from '../records/problem.ts';
import type { Entry, RecordKind } from '../records/record-kinds.ts';
import type { SourceFormat } from '../records/row-batch.ts';
import type { RepeatedIds, splitOrderFinder } from './row-comparison.ts';
import type { ShardFilter } from './shard-filter.ts';

/** The valid records of a batch, and the rows that are left out. */
export interface CheckedBatch<T> {
  readonly file: InputFile;
  readonly entries: readonly Entry<T>[];
  /** The rows that problems exclude, if their text is known: that of JSON and workbooks is only with `keepRaw`. */
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
  readonly problems: readonly Fault[];
  /** Whether it belongs to an order that is not known, and cannot be left out without it. */
  readonly isOrphan: boolean;
}

/** The most notices of one kind, on different files. */
const noticesOfKind = 20;

/** What one pass over an input finds besides records. */
export class Findings {
  /** The first problems, in the order of the input. */
  readonly problems: Problem[] = [];
  problemCount = 0;
  readonly notices: Notice[] = [];
  /** The number of records that belong to other shards. */
  elsewhereCount = 0;
  /** The presets with which files are read. */
  readonly presets = new Set<string>();
  /** The first product key of a file; see `Binding`. */
  productKey: string | undefined;
  /** The columns that no field uses, by name; none of known exports, which have many. */
  readonly unusedColumns = new Map<string, UnusedColumn>();
  /** The paths of the fields with a value in a record. */
  readonly filledFields = new Set<string>();

  /** Adds problems of a file. */
  report(file: string, faults: readonly Fault[]): void {
    this.problemCount += faults.length;
    const kept = faults.slice(0, problemsKept - this.problems.length);
    this.problems.push(...kept.map((fault) => ({ file, ...fault })));
  }

  /** Adds a notice on a file. */
  note(notice: Notice): void {
    const alike = this.notices.filter(({ code }) => code === notice.code);
    if (alike.length < noticesOfKind) this.notices.push(notice);
  }
}

/** What all files of one pass share. */
export interface CheckRun<T> {
  readonly kind: RecordKind<T>;
  readonly options: InputOptions;
  readonly findings: Findings;
  /** The number of rows of each order so far; only if `{n}` numbers them. */
  readonly counts: IdNumbers | undefined;
  readonly repeatedIds: RepeatedIds;
  /** Only if `{n}` numbers the rows of orders. */
  readonly findSplit: ReturnType<typeof splitOrderFinder> | undefined;
  /** The orders with an invalid row, which are left out as a whole; only if `{n}` numbers their rows. */
  readonly ordersLeftOut: IdNumbers | undefined;
  readonly conflicts?: ReadonlyMap<string, RecordConflict> | undefined;
  /** Only if records are those of one shard. */
  readonly filter: ShardFilter | undefined;
}
