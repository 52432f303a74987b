import { shellWord } from '../base/shell-word.ts';
import { Assembler, groupColumns } from './assembler.ts';
import { type Binding, bind, countedId } from './binding.ts';
import { withoutFormula } from './cells/formula-protected.ts';
import { checkCellSettings } from './cells/read-cell.ts';
import type { UnusedColumn } from './columns.ts';
import type { Fault } from './field.ts';
import { findHeaderBelow } from './header-below.ts';
import { IdNumbers } from './id-numbers.ts';
import { itemRows } from './item-rows.ts';
import { findLayout, type Layout } from './layout.ts';
import { countsRows, type Mapping, readMapping } from './mapping.ts';
import type { InputFile, InputFiles } from './open.ts';
import type { Entry, InputOptions, Notice, Problem, Row, Stretch, Writing } from './place.ts';
import { quoted } from './quoted.ts';
import type { RecordKind } from './record-kinds.ts';
import { headerInDoubt, rowEndsNotice } from './row-ends.ts';
import { SeenIds } from './seen-ids.ts';
import { type StrayRow, StrayRows } from './stray-rows.ts';
import { readTable } from './table.ts';
import { writeRow } from './write-row.ts';

/*
 * The room turns bytes into records that know their file and line. A file goes through
 *
 *     findLayout -> contentOf -> bytesOf -> decodeFile -> readTable (csv.ts, json.ts, xlsx.ts) -> bind -> Assembler -> SeenIds
 *
 * and both passes over the input, `validateInput` and `readEntries`, are this one pipeline, so what is sent is exactly
 * what was found to be good. It promises: nothing is guessed; whatever is wrong is told with file, line and remedy;
 * memory does not grow with the input but for some 25 bytes per id while duplicates are looked for, and the tree of
 * categories, which the second pass does only where the first found something wrong; as many per order where `{n}` numbers
 * its rows; and for workbooks, which have a largest size; the same bytes give the same records.
 */

/** A record of any kind has an id it is known by: the shop's, or for what the service has already also the service's. */
export interface Identified {
  readonly originId?: string;
  readonly id?: string;
}

/** The good records of a stretch of the input, what is wrong with the others, and what is worth knowing. */
export interface Checked<T> {
  readonly file: InputFile;
  readonly entries: readonly Entry<T>[];
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
  readonly rejects: readonly Reject[];
  /** How the file is written; only with `keepRaw`. */
  readonly writing: Writing | undefined;
  /** Whether something is wrong with the structure of the file, so that nothing is known of its rest. */
  readonly isBroken: boolean;
  /** Only of a file without any row. */
  readonly rowless?: Rowless;
}

/** What a file without rows has instead. */
export interface Rowless {
  readonly hasHeader: boolean;
  /** Whether it is one sheet of a workbook, which may have others. */
  readonly isSheet: boolean;
  /** What would be wrong with the header if there were rows. */
  readonly faults: readonly Problem[];
}

/** A record that is left out, in the form in which it can be corrected and read again. */
export interface Reject {
  readonly line: number;
  readonly originId: string | undefined;
  readonly raw: string;
  readonly problems: readonly Problem[];
  /** Whether it continues an order of which nothing is known: below other rows it would continue theirs. */
  readonly isOrphan: boolean;
}

/**
 * Reads and checks everything, in order. What is wrong with a record leaves out the record, what is wrong with the
 * structure of a file, its header too, the rest of the file. Throws `input` for a mapping that does not fit and for a file that changed
 * since it was opened, `usage` for an impossible delimiter, time zone or base address. Where the input is known to be sound,
 * neither duplicates, faults beside other records nor rows that are none are looked for.
 */
export async function* checkInput<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
  { isSound }: { readonly isSound: boolean },
): AsyncGenerator<Checked<T>> {
  checkCellSettings(options);
  const mapping = readMapping(options, kind);
  const seen = isSound ? undefined : new SeenIds();
  const faults = isSound ? undefined : await kind.findFaults?.(recordsOf(input, kind, options));
  const counts = [...mapping.values()].some(countsRows) ? new IdNumbers() : undefined;
  const run: Run<T> = { input, kind, options, mapping, isSound, seen, counts, faults };
  let { productKey } = options;
  for (const [fileIndex, file] of input.files.entries()) {
    const layout = await findLayout(file, kind.name, options);
    if (layout.misfit !== undefined) {
      yield { ...nothing, file, problems: [layout.misfit.problem], isBroken: true };
      continue;
    }
    const check = new FileCheck({ ...run, options: { ...options, productKey } }, file, fileIndex, layout);
    const misplaced = check.findMisplacedHeader();
    if (misplaced.length > 0) {
      yield { ...nothing, file, problems: misplaced, isBroken: true };
      continue;
    }
    const stretches = readTable(file, { ...layout.options, guideRows: layout.guideRows });
    const isOfOrders = kind.fields.some(({ isOfOrder }) => isOfOrder);
    for await (const stretch of isOfOrders ? itemRows(file, stretches) : stretches) {
      yield check.take(stretch);
      if (check.isStopped) break;
    }
    yield check.finish();
    // The files of one push are those of one shop.
    productKey ??= check.productKey;
  }
}

async function* recordsOf<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
): AsyncGenerator<T> {
  for await (const { file, entries } of checkInput(input, kind, options, { isSound: true })) {
    file.stopping.throwIfAborted();
    for (const { record } of entries) yield record;
  }
}

const nothing: Omit<Checked<never>, 'file'> = {
  entries: [],
  problems: [],
  preset: undefined,
  productKey: undefined,
  unusedColumns: [],
  notices: [],
  filledFields: new Set(),
  rejects: [],
  writing: undefined,
  isBroken: false,
};

interface Run<T> {
  readonly input: InputFiles;
  readonly kind: RecordKind<T>;
  readonly options: InputOptions;
  readonly mapping: Mapping;
  readonly isSound: boolean;
  readonly seen: SeenIds | undefined;
  /** How many rows each order has had so far; only where `{n}` numbers them. */
  readonly counts: IdNumbers | undefined;
  readonly faults: ReadonlyMap<string, Fault> | undefined;
}

class FileCheck<T extends Identified> {
  readonly #run: Run<T>;
  readonly #source: InputFile;
  readonly #file: string;
  readonly #fileIndex: number;
  readonly #assembler: Assembler<T>;
  readonly #layout: Layout;
  #binding: Binding | undefined;
  #strays: StrayRows | undefined;
  #boundColumns = 0;
  #hasGaps = false;
  #latest: Stretch | undefined;
  #hasRows = false;
  isStopped = false;

  constructor(run: Run<T>, source: InputFile, fileIndex: number, layout: Layout) {
    this.#run = run;
    this.#source = source;
    this.#file = source.shownAs;
    this.#fileIndex = fileIndex;
    this.#layout = layout;
    this.#assembler = new Assembler(source.shownAs, run.kind, run.options, run.counts);
  }

  /** What products are known by under the header; undefined before it was bound. */
  get productKey(): string | undefined {
    return this.#binding?.productKey;
  }

  /** What is wrong where the header stands below the row that would be taken for it. */
  findMisplacedHeader(): readonly Problem[] {
    const below = findHeaderBelow(this.#layout, (place) => this.#bindingOf(place));
    if (below === undefined) return [];
    const remedy = `line ${below.line} looks like the header; add --header-row ${below.line}`;
    if (below.binding) return below.binding.lacks.map((lack) => ({ ...lack, remedy }));
    const reason = `two headers stand one below the other, on lines ${below.taken} and ${below.line}`;
    return [{ file: this.#file, line: below.line, code: 'second-header', reason, remedy }];
  }

  take(stretch: Stretch): Checked<T> {
    const problems: Problem[] = [];
    const entries: Entry<T>[] = [];
    const rejects: Reject[] = [];
    this.#latest = stretch;
    if (stretch.rows.length > 0) this.#hasRows = true;
    // A header without a row under it says nothing, not even something wrong.
    const notices: Notice[] = [];
    const unusedColumns = stretch.rows.length > 0 ? this.#bind(stretch, problems, notices) : [];
    const gaps = new Gaps(stretch);
    for (const row of stretch.rows) {
      if (this.isStopped) break;
      for (const gap of gaps.before(row.line)) this.#skip(gap, problems, rejects);
      const stray = this.#strays?.find(row);
      if (stray) {
        this.#refuse(stray, row, problems, rejects);
        continue;
      }
      const known = problems.length;
      const entry = this.#entry(row, problems);
      if (entry) entries.push(entry);
      else if (row.raw !== undefined && problems.length > known) {
        rejects.push(this.#reject(row, row.raw, stretch, problems.slice(known)));
      }
    }
    // Under a header that is wrong every row is, and one problem says it.
    const rest = this.isStopped ? 0 : Number.POSITIVE_INFINITY;
    for (const gap of gaps.before(rest)) this.#skip(gap, problems, rejects);
    return {
      file: this.#source,
      entries,
      problems,
      preset: this.#layout.preset?.name,
      productKey: this.productKey,
      unusedColumns,
      notices,
      filledFields: this.#assembler.filledFields,
      rejects,
      writing: stretch.writing,
      isBroken: this.isStopped || stretch.isBroken === true,
    };
  }

  /** What is known only at the end: a column that no record has brought, though unread ones might have; or that there is no row. */
  finish(): Checked<T> {
    const end = { ...nothing, file: this.#source };
    if (this.isStopped || this.#hasGaps) return end;
    if (this.#hasRows) {
      const problems = this.#binding?.lacks ?? [];
      return { ...end, problems, isBroken: problems.length > 0 };
    }
    const { header = [], headerLine = 1 } = this.#latest ?? {};
    const { isSheet } = this.#layout;
    if (header.length === 0) return { ...end, rowless: { hasHeader: false, isSheet, faults: [] } };
    const binding = this.#bindingOf({ header, headerLine });
    if (!isHeader(binding)) return { ...end, problems: [this.#noTable(header, headerLine)], isBroken: true };
    const { problems, lacks } = binding;
    return { ...end, rowless: { hasHeader: true, isSheet, faults: [...problems, ...lacks] } };
  }

  #noTable(header: readonly string[], line: number): Problem {
    return {
      file: this.#file,
      line,
      value: quoted(header.join(' | ')),
      code: 'no-table',
      reason: 'this is no table: it holds one line, and none of its columns is known',
      remedy: this.#layout.isSheet
        ? 'if the records are on another sheet, give its name or number: --sheet 2'
        : 'look at what the file holds: an export that failed leaves its error there',
    };
  }

  #skip({ problem, row }: Gap, problems: Problem[], rejects: Reject[]): void {
    this.#hasGaps = true;
    this.#assembler.skip();
    problems.push(problem);
    if (row?.raw === undefined) return;
    const isOrphan = row.cells.length > 0 && this.#assembler.continuesOrder(row.cells);
    rejects.push({ line: row.line, originId: undefined, raw: row.raw, problems: [problem], isOrphan });
  }

  #refuse({ problem, isEnd }: StrayRow, { line, raw }: Row, problems: Problem[], rejects: Reject[]): void {
    problems.push(problem);
    this.isStopped = isEnd;
    if (raw !== undefined) {
      rejects.push({ line, originId: undefined, raw, problems: [problem], isOrphan: false });
    }
  }

  #reject(row: Row, raw: string, { header, writing }: Stretch, problems: readonly Problem[]): Reject {
    const { wholeCells, lostColumns, plainCells } = this.#assembler;
    // What Excel has lost stays blank: as text it would be taken for what was typed.
    const cells =
      lostColumns.size + plainCells.size === 0
        ? wholeCells
        : wholeCells.map((cell, column) => (lostColumns.has(column) ? '' : (plainCells.get(column) ?? cell)));
    const isAlone = cells === row.cells || writing === undefined;
    return {
      line: row.line,
      originId: this.#originIdIn(row),
      raw: isAlone ? raw : writeRow(cells, header, writing),
      problems,
      isOrphan: this.#assembler.continuesOrder(wholeCells),
    };
  }

  /** The originId as the row has it, good or not. */
  #originIdIn({ cells }: Row): string | undefined {
    const step = this.#binding?.steps.find(({ field }) => field.path === 'originId');
    const [column, ...others] = step?.columns ?? [];
    const cell = column === undefined || others.length > 0 ? undefined : withoutFormula(cells[column]);
    return typeof cell === 'string' && cell.trim() !== '' ? cell.trim() : undefined;
  }

  /** Binds the header, again when it has grown. */
  #bind(stretch: Stretch, problems: Problem[], notices: Notice[]): readonly UnusedColumn[] {
    if (this.#binding && this.#boundColumns === stretch.header.length) return [];
    const { header, isHeaderWhole } = stretch;
    const shape = this.#layout.preset?.shape;
    const binding = this.#bindingOf(stretch);
    const used = new Set(binding.steps.flatMap(({ columns }) => columns));
    const doubt = headerInDoubt(this.#file, stretch, used);
    const wrong = [...binding.problems, ...(isHeaderWhole ? binding.lacks : []), ...(doubt ? [doubt] : [])];
    if (stretch.surplusCells !== undefined) notices.push(rowEndsNotice(this.#file, stretch));
    if (isHeaderWhole && !this.#run.isSound) this.#strays = new StrayRows(this.#file, header, binding.steps);
    problems.push(...wrong);
    this.isStopped = wrong.length > 0;
    this.#binding = binding;
    this.#boundColumns = header.length;
    // Records that name their fields themselves are no rows of a table.
    this.#assembler.use(binding.steps, {
      isTable: isHeaderWhole,
      group: groupColumns(shape?.groups, header),
    });
    return shape === undefined && !this.isStopped ? binding.unusedColumns : [];
  }

  #bindingOf({ header, headerLine }: Pick<Stretch, 'header' | 'headerLine'>): Binding {
    const { kind, mapping, options } = this.#run;
    const { isSheet, preset } = this.#layout;
    return bind(kind, mapping, { file: this.#file, header, headerLine, isSheet }, options, preset?.shape);
  }

  #entry(row: Row, problems: Problem[]): Entry<T> | undefined {
    const record = this.#assembler.assemble(row, problems);
    // A bad record has its id all the same: a later one of that id is no less a duplicate, and neither goes out in its place.
    const repetition = this.#repetition(row, this.#assembler.read);
    const wrong = repetition ?? (record && this.#fault(row, record));
    if (wrong !== undefined) problems.push(wrong);
    if (record === undefined || wrong !== undefined) return undefined;
    return { file: this.#file, line: row.line, record };
  }

  #fault({ line }: Row, { originId = '' }: Identified): Problem | undefined {
    const fault = this.#run.faults?.get(originId);
    if (fault === undefined) return undefined;
    const { code, reason, remedy } = fault.refusal;
    const step = this.#binding?.steps.find(({ field }) => field.path === fault.path);
    const column = step?.shownAs ?? fault.path;
    return { file: this.#file, line, column, code, reason, remedy };
  }

  /** Remembers the id of a row; what is wrong where an earlier one has it. */
  #repetition({ line }: Row, read: Assembler<T>['read']): Problem | undefined {
    const { seen, input } = this.#run;
    const column = read['originId'] === undefined ? 'id' : 'originId';
    const known = read[column];
    if (seen === undefined || typeof known !== 'string') return undefined;
    // The ids of shop and service may be the same text and mean different things.
    const before = seen.add(column === 'id' ? `id:${known}` : known, this.#fileIndex, line);
    if (before === undefined) return undefined;
    const file = input.files[before.fileIndex]?.shownAs ?? this.#file;
    return {
      file: this.#file,
      line,
      column,
      value: quoted(known),
      code: 'duplicate-origin-id',
      reason: `the ${column} already stands on ${file}:${before.line}`,
      remedy: this.#duplicateRemedy(),
    };
  }

  /** Two lines of an order are not one because the column taken for their id says the same of both. */
  #duplicateRemedy(): string {
    const { fields } = this.#run.kind;
    if (!fields.some(({ isOfOrder }) => isOfOrder)) return 'keep the one that is right';
    const counted = countedId(fields, this.#binding?.steps ?? []) ?? 'originId={ORDER}-{n}';
    return `if these are two lines of an order, they need ids of their own: map another column, or number the lines with --map ${shellWord(counted)}; if the file holds one line twice, remove one`;
  }
}

/** Whether a row alone is a header: it names a column that is known, or nearly so. */
function isHeader({ steps, choices, unusedColumns }: Binding): boolean {
  const isKnown = steps.some(({ columns }) => columns.some((column) => column !== -1));
  return isKnown || choices.length > 0 || unusedColumns.some(({ nearest }) => nearest !== undefined);
}

/** A problem in the place of a row, and the row as far as its text is kept. */
interface Gap {
  readonly problem: Problem;
  readonly row: Row | undefined;
}

/** What could not be read between the rows of a stretch, in order. */
class Gaps {
  readonly #problems: readonly Problem[];
  readonly #rows: readonly Row[];
  #next = 0;
  #nextRow = 0;

  constructor({ problems, unread = [] }: Stretch) {
    this.#problems = problems;
    this.#rows = unread;
  }

  *before(line: number): Generator<Gap> {
    for (;;) {
      const problem = this.#problems[this.#next];
      if (problem === undefined || (problem.line ?? 0) >= line) return;
      this.#next += 1;
      const row = this.#rows[this.#nextRow];
      const isOfRow = row !== undefined && row.line === problem.line;
      if (isOfRow) this.#nextRow += 1;
      yield { problem, row: isOfRow ? row : undefined };
    }
  }
}
