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

/** The valid records and the rejected rows of a batch. */
export interface CheckedBatch<T> {
  readonly file: InputFile;
  readonly entries: readonly Entry<T>[];
  /** Rows excluded by problems, if their text is known. For JSON and workbooks, this requires `keepRaw`. */
  readonly rejects: readonly RejectedRow[];
  /** The notation of the file; only with `keepRaw`. */
  readonly sourceFormat?: SourceFormat | undefined;
  /** True if the structure of the file is broken, so that the rest is unknown. */
  readonly isBroken: boolean;
}

/** A skipped row, with its text for the rejects file, which can be corrected and read again. */
export interface RejectedRow {
  readonly line: number;
  readonly originId: string | undefined;
  readonly raw: string;
  readonly problems: readonly Fault[];
  /** True if the order of the row is unknown, although rows of an order can only be skipped together. */
  readonly isOrphan: boolean;
}

/** Maximum number of notices with the same code, each about another file. */
const noticesOfKind = 20;

/** Results of one pass over an input, other than records. */
export class Findings {
  /** The first problems, in the order of the input. */
  readonly problems: Problem[] = [];
  problemCount = 0;
  readonly notices: Notice[] = [];
  /** Number of records in other shards. */
  elsewhereCount = 0;
  /** Names of the presets with which files were read. */
  readonly presets = new Set<string>();
  /** The first product key of a file; see `Binding`. */
  productKey: string | undefined;
  /** Columns that no field uses, by name. Those of recognized exports are omitted, since they have many. */
  readonly unusedColumns = new Map<string, UnusedColumn>();
  /** Paths of the fields with a value in at least one record. */
  readonly filledFields = new Set<string>();

  /** Counts the problems of a file, and keeps them up to a limit. */
  report(file: string, faults: readonly Fault[]): void {
    this.problemCount += faults.length;
    const kept = faults.slice(0, problemsKept - this.problems.length);
    this.problems.push(...kept.map((fault) => ({ file, ...fault })));
  }

  /** Adds a notice about a file, unless there are too many like it. */
  note(notice: Notice): void {
    const alike = this.notices.filter(({ code }) => code === notice.code);
    if (alike.length < noticesOfKind) this.notices.push(notice);
  }
}

/** State shared by all files of one pass. */
export interface CheckRun<T> {
  readonly kind: RecordKind<T>;
  readonly options: InputOptions;
  readonly findings: Findings;
  /** Rows of each order so far; only if `{n}` numbers them. */
  readonly counts: IdNumbers | undefined;
  readonly repeatedIds: RepeatedIds;
  /** Only if `{n}` numbers the rows of orders. */
  readonly findSplit: ReturnType<typeof splitOrderFinder> | undefined;
  /** Orders with an invalid row, which are skipped as a whole; only if `{n}` numbers their rows. */
  readonly ordersLeftOut: IdNumbers | undefined;
  readonly conflicts?: ReadonlyMap<string, RecordConflict> | undefined;
  /** Only if one shard is read. */
  readonly filter: ShardFilter | undefined;
}
