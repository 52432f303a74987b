import { headerInDoubt, rowEndsNotice } from '../formats/csv/csv-problems.ts';
import { type Binding, bind } from '../mapping/binding.ts';
import { type Column, columnOf, type Fields, mergedIn } from '../mapping/column.ts';
import { isTwoNames } from '../mapping/presets/neutral-names.ts';
import { groupColumns } from '../mapping/presets/preset.ts';
import type { FileHeader, RecognizedFile } from '../mapping/recognize.ts';
import { type Cell, isRefusal, quoted, refuse } from '../records/cell.ts';
import { orderFieldOf } from '../records/field.ts';
import type { Fault, Notice } from '../records/problem.ts';
import type { Entry, Identified } from '../records/record-kinds.ts';
import { type InputRow, type RowBatch, reasonColumn, writeRow } from '../records/row-batch.ts';
import { type AssembledRow, Assembler } from './assembler.ts';
import { checkEmptyFile } from './empty-file.ts';
import type { CheckedBatch, CheckRun, RejectedRow } from './findings.ts';
import { FileTraces } from './row-comparison.ts';
import { type StrayRow, strayRowFinder } from './stray-rows.ts';

/** Turns the rows of one file into records, batch by batch, and reports the problems of invalid rows. */
export class FileCheck<T extends Identified> {
  readonly #run: CheckRun<T>;
  /** The file, with its header once it is read. */
  #header: FileHeader;
  readonly #fileIndex: number;
  readonly #file: string;
  readonly #assembler: Assembler;
  readonly #traces: FileTraces;
  /** Path of the field that identifies the order; empty if the kind has none. */
  readonly #orderKey: string;
  #binding: Binding | undefined;
  #findStray: ((row: InputRow) => StrayRow | undefined) | undefined;
  #boundColumns = 0;
  #hasGaps = false;
  #hasSplitOrders = false;
  #hasRows = false;
  /** Valid records and rejected rows of the current batch. */
  #entries: Entry<T>[] = [];
  #rejects: RejectedRow[] = [];
  isStopped = false;

  constructor(run: CheckRun<T>, recognized: RecognizedFile, fileIndex: number) {
    this.#run = run;
    this.#header = { ...recognized, header: [] };
    this.#fileIndex = fileIndex;
    this.#file = recognized.file.shownAs;
    this.#assembler = new Assembler(run);
    this.#orderKey = orderFieldOf(run.kind.fields)?.path ?? '';
    this.#traces = new FileTraces(run.options.allow?.includes('rounded-ids') ?? false);
  }

  /** Checks the next rows of the file. */
  checkBatch(batch: RowBatch): CheckedBatch<T> {
    const { file, preset } = this.#header;
    const { findings } = this.#run;
    const { header, headerLine } = batch;
    this.#header = { ...this.#header, header, headerLine };
    this.#entries = [];
    this.#rejects = [];
    const hasRows = batch.rows.some(({ problem }) => problem === undefined);
    this.#hasRows ||= hasRows;
    // A header without rows has no problems.
    if (hasRows) this.#bind(batch);
    this.#addRows(batch);
    if (preset !== undefined) findings.presets.add(preset.name);
    if (batch.beyondHeader !== undefined) findings.note(beyondHeaderNotice(this.#file, batch.beyondHeader));
    if (batch.lacksLineEnd && !this.isStopped)
      findings.note({
        code: 'no-line-end',
        message: `the last line of ${this.#file} has no line end, unlike all others`,
        hint: 'check whether the file is complete: a download or an export may have been cut off',
      });
    const isBroken = this.isStopped || this.#hasSplitOrders || batch.end !== undefined;
    return {
      ...{ entries: this.#entries, rejects: this.#rejects },
      ...{ file, sourceFormat: batch.sourceFormat, isBroken },
    };
  }

  /**
   * Reports the problems that are only known at the end: no rows, traces of damage in all rows, or a column that no
   * record has (not if unreadable rows may have it). Returns true if there are any.
   */
  finish(): boolean {
    const { findings } = this.#run;
    const { file, headerLine } = this.#header;
    if (!this.#hasRows && !this.#hasGaps) return checkEmptyFile(this.#header, this.#run);
    const missing = this.#hasGaps ? [] : (this.#binding?.missingColumns ?? []);
    const problems = [...missing, ...this.#traces.problems(headerLine)];
    findings.report(this.#file, problems);
    const { inProgressCount } = this.#assembler;
    if (inProgressCount > 0) findings.note(inProgressNotice(this.#file, inProgressCount));
    if (file.hasHiddenCells)
      findings.note({
        code: 'hidden-cells',
        message: `${this.#file}: rows and cells that the web page hides are read like the others`,
        hint: 'to exclude them, copy the visible ones to a separate file',
      });
    return problems.length > 0;
  }

  /** Binds the header, again whenever it has grown. */
  #bind(batch: RowBatch): void {
    const { header, isHeaderWhole: isTable } = batch;
    if (this.#binding && this.#boundColumns === header.length) return;
    const { kind, options, findings } = this.#run;
    const { preset, sheet } = this.#header;
    const binding = bind(kind, this.#header, options);
    const { columns } = binding;
    const used = new Set(columns.flatMap(({ indexes }) => indexes));
    const doubt = headerInDoubt(batch, used, (name) => isTwoNames(name, kind));
    const wrong = [
      ...binding.problems,
      ...(isTable ? binding.missingColumns : []),
      ...(doubt ? [doubt] : []),
    ];
    const hidden = columns.filter(({ indexes }) => indexes.some((at) => sheet?.layout.isHidden(at)));
    if (hidden.length > 0) findings.note(hiddenColumnsNotice(this.#file, hidden));
    if (batch.surplusCells !== undefined && !doubt) findings.note(rowEndsNotice(this.#file, batch));
    findings.report(this.#file, wrong);
    findings.productKey ??= binding.productKey;
    this.isStopped = wrong.length > 0;
    this.#binding = binding;
    this.#boundColumns = header.length;
    // Only rows of a table can be stray; JSON records name their own fields.
    if (isTable) this.#findStray = strayRowFinder(header, columns);
    this.#assembler.use(binding, isTable, groupColumns(preset?.shape.groups, header));
    this.#traces.use(columns, isTable);
    if (preset !== undefined || this.isStopped) return;
    for (const unused of binding.unusedColumns) findings.unusedColumns.set(unused.column, unused);
  }

  #addRows(batch: RowBatch): void {
    const reasonAt = batch.header.indexOf(reasonColumn);
    for (const given of batch.rows) {
      // The reasons written by an earlier push are not data of the row.
      const isGiven = reasonAt === -1 || given.cells.length <= reasonAt;
      const row = isGiven ? given : { ...given, cells: given.cells.with(reasonAt, '') };
      // With an invalid header every row is invalid; the problem of the header is enough.
      if (this.isStopped) return;
      const stray = row.problem === undefined ? this.#findStray?.(row) : undefined;
      if (row.problem !== undefined) this.#skip(row, row.problem);
      else if (stray) {
        this.isStopped = stray.isEnd;
        this.#leaveOut(row, stray.problem, false);
      } else this.#add(row, batch);
    }
    if (this.isStopped || batch.end === undefined) return;
    this.#hasGaps = true;
    this.#run.findings.report(this.#file, [batch.end]);
  }

  #add(row: InputRow, batch: RowBatch): void {
    const assembled = this.#assembler.assemble(row);
    if (assembled === undefined || assembled.isElsewhere) {
      this.#traces.add(row, assembled?.fields ?? {}, false);
      if (assembled) this.#run.findings.elsewhereCount += 1;
      return;
    }
    const { fields } = assembled;
    const conflict = this.#conflictOf(assembled);
    const problems = conflict ? [...assembled.problems, conflict] : assembled.problems;
    this.#traces.add(row, fields, problems.length > 0);
    if (problems.length === 0) {
      // The only cast of this room: the fields that a kind defines are those of its record type.
      this.#entries.push({ file: this.#file, line: row.line, record: fields as T });
      return;
    }
    const { findings, ordersLeftOut } = this.#run;
    findings.report(this.#file, problems);
    const order = fields[this.#orderKey];
    if (typeof order === 'string') ordersLeftOut?.put(order, () => 1);
    const { line, raw } = row;
    if (raw === undefined) return;
    const isOfNoOrder = ordersLeftOut !== undefined && typeof order !== 'string';
    this.#rejects.push({
      line,
      originId: this.#originIdOf(row, fields),
      raw: rawOf({ ...row, raw }, assembled.row, batch, this.#binding?.columns ?? []),
      problems,
      isOrphan: isOfNoOrder || this.#assembler.continuesOrder(assembled.row),
    });
  }

  /** Excludes an unreadable row. */
  #skip(row: InputRow, problem: Fault): void {
    this.#hasGaps = true;
    this.#assembler.skip();
    const isContinued = row.cells.length > 0 && this.#assembler.continuesOrder(row);
    this.#leaveOut(row, problem, isContinued || this.#run.ordersLeftOut !== undefined);
  }

  /** Excludes a row that is not a record. One shard reports it, but every shard does if the row ends the file. */
  #leaveOut({ line, raw }: InputRow, problem: Fault, isOrphan: boolean): void {
    const { filter, findings } = this.#run;
    const isElsewhere = !this.isStopped && filter?.isKeylessElsewhere;
    if (!isElsewhere) findings.report(this.#file, [problem]);
    // A row without text is not counted as a record, because the shard that reports it does not reject it either.
    if (raw === undefined) return;
    if (isElsewhere) findings.elsewhereCount += 1;
    else this.#rejects.push({ line, originId: undefined, raw, problems: [problem], isOrphan });
  }

  /** The problem of a row in comparison with others. */
  #conflictOf({ row, fields, problems }: AssembledRow): Fault | undefined {
    const { kind, repeatedIds, findSplit, conflicts, ordersLeftOut } = this.#run;
    const { line } = row;
    const place = { fileIndex: this.#fileIndex, line };
    // An invalid record still has its id: a later record with the same id is a duplicate and must not replace it.
    const repetition = repeatedIds.find(fields, place, kind, this.#binding?.columns ?? []);
    if (repetition) return this.#withMerge(row, repetition);
    const order = fields[this.#orderKey];
    if (typeof order === 'string') {
      const split = findSplit?.(order, place, this.#shownAs(this.#orderKey));
      // A rejects file that joins its rows would number them as different items.
      this.#hasSplitOrders ||= split !== undefined;
      if (split) return split;
    }
    if (problems.length > 0) return undefined;
    const conflict = conflicts?.get(String(fields['originId']));
    if (conflict) return { line, column: this.#shownAs(conflict.path), ...conflict.refusal };
    const isLeftOut = typeof order === 'string' && ordersLeftOut?.get(order) !== undefined;
    if (!isLeftOut) return undefined;
    return { line, column: this.#shownAs(this.#orderKey), value: quoted(order), ...orderLeftOut };
  }

  /** Names the merged cells as the cause of a repeated id, if they give it to several rows. */
  #withMerge(row: InputRow, problem: Fault): Fault {
    const range = mergedIn(row, this.#columnOf(problem.column ?? ''));
    if (range === undefined) return problem;
    const reason = `the merged cells ${range} assign one ${problem.column} to several rows`;
    return { ...problem, reason, remedy: 'in Excel, unmerge them and give each record its own id' };
  }

  /** The originId of a row; if it is invalid, the text of its cell, provided that one column supplies it. */
  #originIdOf({ cells }: InputRow, { originId }: Fields): string | undefined {
    if (typeof originId === 'string') return originId;
    const column = this.#columnOf('originId');
    const cell = column?.isColumn ? column.cellOf(cells, 0) : undefined;
    return typeof cell === 'string' && cell.trim() !== '' ? cell.trim() : undefined;
  }

  /** The name of a field's column in the file. */
  #shownAs(path: string): string {
    return this.#columnOf(path)?.shownAs ?? path;
  }

  #columnOf(path: string): Column | undefined {
    return columnOf(this.#binding?.columns ?? [], path);
  }
}

/** Replaces a value that Excel lost. Unlike a blank cell, fields of every type refuse it. */
const lostValue = '#VALUE!';

/**
 * The text of a row, unchanged if possible. A row that inherits cells from rows above, or holds values that a workbook
 * displays differently, is rewritten so that it can be read alone.
 */
function rawOf(
  own: InputRow & { readonly raw: string },
  row: InputRow,
  { sourceFormat }: RowBatch,
  columns: readonly Column[],
): string {
  const rewritten = new Map<number, Cell>();
  for (const column of columns) {
    const typed = column.typedIn(row);
    if (typed === undefined || rewritten.get(typed.index) === lostValue) continue;
    rewritten.set(typed.index, isRefusal(typed.value) ? lostValue : typed.value);
  }
  if (sourceFormat === undefined || (rewritten.size === 0 && row.cells === own.cells)) return own.raw;
  const cells = row.cells.map((cell, index) => rewritten.get(index) ?? cell);
  return writeRow(cells, sourceFormat);
}

const orderLeftOut = refuse(
  'order-left-out',
  'another row of this order is invalid',
  'correct that row; {n} numbers the rows of an order, so they are skipped together',
);

function inProgressNotice(file: string, count: number): Notice {
  const rows = count === 1 ? '1 row is' : `${count} rows are`;
  return {
    isInfo: true,
    code: 'status-in-progress',
    message:
      `${file}: ${rows} still in progress, for which the service has no status; ` +
      'the status of these items is left unchanged',
  };
}

function hiddenColumnsNotice(file: string, hidden: readonly Column[]): Notice {
  const columns = hidden.map(({ shownAs }) => shownAs).join(', ');
  const optional = hidden.find(({ field }) => !field.isRequired);
  return {
    code: 'hidden-columns',
    message: `${file}: columns that are hidden in the sheet are read like the others: ${columns}`,
    hint: optional
      ? `to omit one, set its field to nothing, such as --set ${optional.field.path}=`
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
