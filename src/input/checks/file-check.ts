import type { IdNumbers } from '../../base/id-set.ts';
import { headerInDoubt, rowEndsNotice } from '../formats/csv/row-ends.ts';
import type { Binding, FieldReader } from '../mapping/binding.ts';
import type { UnusedColumn } from '../mapping/columns.ts';
import type { HeaderPlace } from '../mapping/header-below.ts';
import { isTwoNames } from '../mapping/known-names.ts';
import type { RecognizedFile } from '../mapping/recognize.ts';
import type { RecordConflict } from '../records/field.ts';
import type { InputOptions } from '../records/options.ts';
import type { Notice, Problem } from '../records/problem.ts';
import { quoted } from '../records/quoted.ts';
import type { Entry, Identified, RecordKind } from '../records/record-kinds.ts';
import type { InputRow, RowBatch } from '../records/row-batch.ts';
import { Assembler } from './assembler.ts';
import { type CheckedBatch, emptyBatch, type RejectedRow } from './checked.ts';
import { checkEmptyFile } from './empty-file.ts';
import { FileTraces } from './file-traces.ts';
import { rejectRow } from './reject-row.ts';
import type { RepeatedIds } from './repeated-ids.ts';
import { groupColumns } from './rows-above.ts';
import { elsewhere, type ShardFilter } from './shard-filter.ts';
import type { SplitOrders } from './split-orders.ts';
import { type StrayRow, StrayRows } from './stray-rows.ts';

/** What all files of one check share. */
export interface CheckRun<T> {
  readonly kind: RecordKind<T>;
  readonly options: InputOptions;
  /** The number of rows of each order so far; only if `{n}` numbers them. */
  readonly counts: IdNumbers | undefined;
  /** Undefined for a validated input. */
  readonly repeatedIds: RepeatedIds<T> | undefined;
  /** Only if `{n}` numbers the rows of orders; undefined for a validated input. */
  readonly splitOrders: SplitOrders | undefined;
  /** The orders with an invalid row, which are left out as a whole; only if `{n}` numbers their rows. */
  readonly ordersLeftOut: IdNumbers | undefined;
  readonly conflicts: ReadonlyMap<string, RecordConflict> | undefined;
  /** Only if records are those of one shard. */
  readonly filter: ShardFilter | undefined;
}

/** A file to be checked. */
interface CheckedFile {
  readonly recognized: RecognizedFile;
  readonly fileIndex: number;
  readonly bindAt: (place: HeaderPlace) => Binding;
}

/** What the rows of a batch become. */
interface BatchResult<T> {
  readonly entries: Entry<T>[];
  elsewhereCount: number;
  readonly problems: Problem[];
  readonly rejects: RejectedRow[];
}

/** Turns the rows of one file into records, batch by batch, and finds the problems of the others. */
export class FileCheck<T extends Identified> {
  readonly #run: CheckRun<T>;
  readonly #checked: CheckedFile;
  readonly #file: string;
  readonly #assembler: Assembler<T>;
  #binding: Binding | undefined;
  #strays: StrayRows | undefined;
  /** Undefined for a validated input. */
  readonly #traces: FileTraces | undefined;
  #boundColumns = 0;
  #hasGaps = false;
  #hasSplitOrders = false;
  #latest: RowBatch | undefined;
  #hasRows = false;
  isStopped = false;

  constructor(run: CheckRun<T>, checked: CheckedFile) {
    this.#run = run;
    this.#checked = checked;
    this.#file = checked.recognized.file.shownAs;
    this.#assembler = new Assembler(this.#file, run.kind, run.options, run);
    if (run.repeatedIds) this.#traces = new FileTraces(this.#file, run.options.allow);
  }

  /** The product key of the file; undefined before its header is bound. */
  get productKey(): string | undefined {
    return this.#binding?.productKey;
  }

  take(batch: RowBatch): CheckedBatch<T> {
    this.#latest = batch;
    const found: BatchResult<T> = { entries: [], elsewhereCount: 0, problems: [], rejects: [] };
    const notices: Notice[] = [];
    const hasRows = batch.rows.some(({ problem }) => problem === undefined);
    if (hasRows) this.#hasRows = true;
    // A header without rows has no problems.
    const unusedColumns = hasRows ? this.#bind(batch, found.problems, notices) : [];
    this.#addRows(batch, found);
    if (batch.beyondHeader !== undefined) notices.push(beyondHeaderNotice(this.#file, batch.beyondHeader));
    const { file, preset } = this.#checked.recognized;
    if (batch.lacksLineEnd) notices.push(unendedNotice(this.#file));
    return {
      file,
      ...found,
      preset: preset?.name,
      productKey: this.productKey,
      unusedColumns,
      notices,
      filledFields: this.#assembler.filledFields,
      sourceFormat: batch.sourceFormat,
      isBroken: this.isStopped || this.#hasSplitOrders || batch.isBroken === true,
    };
  }

  /**
   * Problems that are only known at the end: a column that no record has (unless unreadable rows may), no rows, or
   * traces of damage in all of them.
   */
  finish(): CheckedBatch<T> {
    const { recognized, bindAt } = this.#checked;
    const { file } = recognized;
    if (this.isStopped) return emptyBatch(file);
    if (!this.#hasRows && !this.#hasGaps) return checkEmptyFile(recognized, this.#latest, bindAt);
    const problems = [
      ...(this.#hasGaps ? [] : (this.#binding?.missingColumns ?? [])),
      ...(this.#traces?.problems(this.#latest?.headerLine ?? 1) ?? []),
    ];
    const { inProgressCount } = this.#assembler;
    const notices = inProgressCount > 0 ? [inProgressNotice(this.#file, inProgressCount)] : [];
    return emptyBatch(file, { problems, notices, isBroken: problems.length > 0 });
  }

  /** Binds the header, and binds it again when it has grown. */
  #bind(batch: RowBatch, problems: Problem[], notices: Notice[]): readonly UnusedColumn[] {
    if (this.#binding && this.#boundColumns === batch.header.length) return [];
    const { header, isHeaderWhole } = batch;
    const shape = this.#checked.recognized.preset?.shape;
    const binding = this.#checked.bindAt(batch);
    const used = new Set(binding.readers.flatMap(({ columns }) => columns));
    const doubt = headerInDoubt(this.#file, batch, used, (column) => isTwoNames(column, this.#run.kind));
    const wrong = [
      ...binding.problems,
      ...(isHeaderWhole ? binding.missingColumns : []),
      ...(doubt ? [doubt] : []),
    ];
    const { sheet } = this.#checked.recognized;
    const hidden = binding.readers.filter(({ columns }) => columns.some((at) => sheet?.layout.isHidden(at)));
    if (hidden.length > 0) notices.push(hiddenColumnsNotice(this.#file, hidden));
    if (batch.surplusCells !== undefined && !doubt) notices.push(rowEndsNotice(this.#file, batch));
    // A validated input has none.
    if (isHeaderWhole && this.#run.repeatedIds)
      this.#strays = new StrayRows(this.#file, header, binding.readers);
    problems.push(...wrong);
    this.isStopped = wrong.length > 0;
    this.#binding = binding;
    this.#boundColumns = header.length;
    // Records that name their own fields are not rows of a table.
    this.#assembler.use(binding.readers, {
      isTable: isHeaderWhole,
      group: groupColumns(shape?.groups, header),
    });
    this.#traces?.use(binding.readers, { isTable: isHeaderWhole });
    return shape === undefined && !this.isStopped ? binding.unusedColumns : [];
  }

  #addRows(batch: RowBatch, found: BatchResult<T>): void {
    for (const row of batch.rows) {
      // Under an invalid header every row is invalid, and one problem is enough.
      if (this.isStopped) return;
      const stray = row.problem === undefined ? this.#strays?.find(row) : undefined;
      if (row.problem !== undefined) this.#skip(row, row.problem, found);
      else if (stray) this.#refuse(stray, row, found);
      else this.#add(row, batch, found);
    }
    if (this.isStopped || batch.problems.length === 0) return;
    this.#hasGaps = true;
    found.problems.push(...batch.problems);
  }

  #add(row: InputRow, batch: RowBatch, found: BatchResult<T>): void {
    const { entries, problems, rejects } = found;
    const known = problems.length;
    const entry = this.#entry(row, problems);
    this.#traces?.add(row, this.#assembler.read, problems.length > known);
    if (entry === elsewhere) found.elsewhereCount += 1;
    else if (entry) entries.push(entry);
    else if (problems.length > known) {
      const readers = this.#binding?.readers ?? [];
      const isOfNoOrder = this.#leaveOutOrder();
      const reject = rejectRow(row, problems.slice(known), batch, this.#assembler, readers);
      if (reject) rejects.push({ ...reject, isOrphan: reject.isOrphan || isOfNoOrder });
    }
  }

  #skip({ line, cells, raw }: InputRow, problem: Problem, found: BatchResult<T>): void {
    const { problems, rejects } = found;
    this.#hasGaps = true;
    this.#assembler.skip();
    if (this.#run.filter?.isKeylessElsewhere) {
      // What has no text is no record of the shard that skips it either.
      found.elsewhereCount += raw === undefined ? 0 : 1;
      return;
    }
    problems.push(problem);
    if (raw === undefined) return;
    const isContinued = cells.length > 0 && this.#assembler.continuesOrder(cells);
    const isOrphan = isContinued || this.#run.ordersLeftOut !== undefined;
    rejects.push({ line, originId: undefined, raw, problems: [problem], isOrphan });
  }

  #refuse({ problem, isEnd }: StrayRow, { line, raw }: InputRow, found: BatchResult<T>): void {
    const { problems, rejects } = found;
    if (!isEnd && this.#run.filter?.isKeylessElsewhere) {
      found.elsewhereCount += raw === undefined ? 0 : 1;
      return;
    }
    problems.push(problem);
    this.isStopped = isEnd;
    if (raw === undefined) return;
    rejects.push({ line, originId: undefined, raw, problems: [problem], isOrphan: false });
  }

  #entry(row: InputRow, problems: Problem[]): Entry<T> | typeof elsewhere | undefined {
    const record = this.#assembler.assembleAtOnce(row) ?? this.#assembler.assemble(row, problems);
    if (record === elsewhere) return elsewhere;
    // An invalid record still has its id: a later record with the same id is a duplicate and must not replace it.
    const place = { fileIndex: this.#checked.fileIndex, line: row.line };
    const repetition = this.#run.repeatedIds?.find(this.#assembler.read, place, this.#binding?.readers ?? []);
    const wrong =
      (repetition && this.#withMerge(row, repetition)) ??
      this.#split(place) ??
      (record && (this.#fault(row, record) ?? this.#ofOrderLeftOut(row)));
    if (wrong !== undefined) problems.push(wrong);
    if (record === undefined || wrong !== undefined) return undefined;
    return { file: this.#file, line: row.line, record };
  }

  /** A problem of an id, with the merged cells that give it to several rows. */
  #withMerge({ merged }: InputRow, problem: Problem): Problem {
    const reader = this.#binding?.readers.find(({ field }) => field.path === problem.column);
    const range = merged && reader?.columns.map((column) => merged.get(column)).find(Boolean);
    if (range === undefined) return problem;
    const reason = `the merged cells ${range} give one ${problem.column} to several rows`;
    return { ...problem, reason, remedy: 'in Excel, unmerge them and give each record an id of its own' };
  }

  #split(place: { readonly fileIndex: number; readonly line: number }): Problem | undefined {
    const { key, order } = this.#order();
    if (order === undefined) return undefined;
    const problem = this.#run.splitOrders?.find(order, place, this.#shownAs(key));
    // Its rows in one file of rejects would be numbered as different items.
    this.#hasSplitOrders ||= problem !== undefined;
    return problem;
  }

  /** Notes the order of an invalid row; returns whether it must be known, and is not. */
  #leaveOutOrder(): boolean {
    const { ordersLeftOut } = this.#run;
    const { order } = this.#order();
    if (order !== undefined) ordersLeftOut?.put(order, () => 1);
    return ordersLeftOut !== undefined && order === undefined;
  }

  /** The problem of a valid row whose order has an invalid one. */
  #ofOrderLeftOut({ line }: InputRow): Problem | undefined {
    const { key, order } = this.#order();
    if (order === undefined || this.#run.ordersLeftOut?.get(order) === undefined) return undefined;
    const place = { file: this.#file, line, column: this.#shownAs(key) };
    return { ...place, value: quoted(order), ...orderLeftOut };
  }

  /** The field of the order, and the order of the latest row. */
  #order(): { readonly key: string; readonly order: string | undefined } {
    const key = this.#run.kind.fields.find(({ isOfOrder }) => isOfOrder)?.path ?? '';
    const order = this.#assembler.read[key];
    return { key, order: typeof order === 'string' ? order : undefined };
  }

  #fault({ line }: InputRow, { originId = '' }: Identified): Problem | undefined {
    const fault = this.#run.conflicts?.get(originId);
    if (fault === undefined) return undefined;
    const { code, reason, remedy } = fault.refusal;
    return { file: this.#file, line, column: this.#shownAs(fault.path), code, reason, remedy };
  }

  /** The column of a field as named in the file. */
  #shownAs(path: string): string {
    return this.#binding?.readers.find(({ field }) => field.path === path)?.shownAs ?? path;
  }
}

const orderLeftOut = {
  code: 'order-left-out',
  reason: 'another row of this order is invalid',
  remedy: 'correct that row; {n} numbers the rows of an order, so they are left out together',
} as const;

function unendedNotice(file: string): Notice {
  return {
    code: 'no-line-end',
    message: `the last line of ${file} has no line end, unlike all others`,
    hint: 'check whether the file is complete: a download or an export may have been cut off',
  };
}

function inProgressNotice(file: string, count: number): Notice {
  const rows = count === 1 ? '1 row is' : `${count} rows are`;
  return {
    isInfo: true,
    code: 'status-in-progress',
    message:
      `${file}: ${rows} still in progress, which the service has no status for; ` +
      'the status of these items is left alone',
  };
}

function hiddenColumnsNotice(file: string, hidden: readonly FieldReader[]): Notice {
  const columns = hidden.map(({ shownAs }) => shownAs).join(', ');
  const optional = hidden.find(({ field }) => !field.isRequired);
  return {
    code: 'hidden-columns',
    message: `${file}: columns that are hidden in the sheet are read like the others: ${columns}`,
    hint: optional
      ? `to leave one out, set its field to nothing, such as --set ${optional.field.path}=`
      : 'show them in Excel to check their values',
  };
}

function beyondHeaderNotice(file: string, place: string): Notice {
  return {
    code: 'beyond-header',
    message: `${file}: values right of the header are not read; the first is in ${place}`,
    hint: 'to read them, give their columns names in the header row',
  };
}
