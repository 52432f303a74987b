import { type FirstOccurrence, IdNumbers, SeenIds } from '../../base/id-set.ts';
import { shellWord } from '../../base/shell-word.ts';
import { traceRefusals } from '../cells/traces.ts';
import { countedId } from '../mapping/binding.ts';
import { type Column, type Fields, valueIn } from '../mapping/column.ts';
import type { InputFiles } from '../open/open.ts';
import { type Cell, isFilled, quoted, refuse } from '../records/cell.ts';
import { type Field, orderFieldOf } from '../records/field.ts';
import type { Fault } from '../records/problem.ts';
import type { Identified, RecordKind } from '../records/record-kinds.ts';
import type { InputRow } from '../records/row-batch.ts';

/* Problems that only a comparison of rows reveals: repeated ids, orders in two files, traces of damage. */

/** Finds records whose id already occurred in the input. */
export class RepeatedIds {
  readonly #files: InputFiles['files'];
  readonly #seen: SeenIds;

  /** Ids that do not fit into memory are written to a file in `folder`. */
  constructor({ files }: InputFiles, folder: string | undefined) {
    this.#files = files;
    this.#seen = new SeenIds(folder);
  }

  /** Stores the id of a record, if it is readable. Returns a problem if an earlier record has the same one. */
  find(
    { originId, id }: { readonly [K in keyof Identified]?: unknown },
    { fileIndex, line }: FirstOccurrence,
    { fields }: RecordKind,
    columns: readonly Column[],
  ): Fault | undefined {
    const known = originId ?? id;
    if (typeof known !== 'string') return undefined;
    const column = known === originId ? 'originId' : 'id';
    // An originId and an id of the service may be equal texts, so a prefix distinguishes them.
    const prefix = column === 'id' ? ':i' : known.startsWith(':') ? ':o' : '';
    const before = this.#seen.add(prefix + known, fileIndex, line);
    if (before === undefined) return undefined;
    return {
      line,
      column,
      value: quoted(known),
      code: 'duplicate-origin-id',
      reason: `the ${column} is already on ${this.#files[before.fileIndex]?.shownAs}:${before.line}`,
      remedy: remedyOfRepetition(fields, columns),
    };
  }

  close(): void {
    this.#seen.close();
  }
}

/** The remedy for a repeated id. Two lines of an order may have the same id because the wrong column is mapped. */
function remedyOfRepetition(fields: readonly Field[], columns: readonly Column[]): string {
  if (orderFieldOf(fields) === undefined) return 'keep the one that is right';
  const counted = countedId(fields, columns) ?? 'originId={ORDER}-{n}';
  return (
    'if these are two lines of an order, they need ids of their own: map another column, or ' +
    `number the lines with --map ${shellWord(counted)}; if the file contains a line twice, remove ` +
    'one'
  );
}

/** Exceeds the lines of any file. */
const lineLimit = 2 ** 32;

/**
 * Finds orders that occur in several files, if ids are built with `{n}`: rows that overlapping files share would be
 * numbered as further items. The function returned must see every row. It returns a problem if the row is the first one
 * of `order` in this file and another file also has the order.
 */
export function splitOrderFinder({ files }: InputFiles) {
  /** By order: file and line of its first row in the latest file that has it. */
  const beginnings = new IdNumbers();
  return (order: string, { fileIndex, line }: FirstOccurrence, column: string): Fault | undefined => {
    const isHere = (place: number) => Math.floor(place / lineLimit) === fileIndex;
    const here = fileIndex * lineLimit + line;
    const before = beginnings.put(order, (known = here) => (isHere(known) ? known : here));
    if (before === undefined || isHere(before)) return undefined;
    const other = `${files[Math.floor(before / lineLimit)]?.shownAs}:${before % lineLimit}`;
    return {
      line,
      column,
      value: quoted(order),
      code: 'order-in-two-files',
      reason:
        `this order is also in another file, on ${other}, and {n} would count its rows in both as ` +
        'different items',
      remedy:
        'if the files overlap, push them one after the other: records already sent are skipped; ' +
        'if the order is really split over both, join them into one file',
    };
  };
}

/** More digits than the 15 that Excel keeps of a number. */
const longId = /^\d{16,}$/;
const longLength = 16;
/** Minimum number of different ids; fewer may end in 0 by chance. */
const leastRounded = 3;

/** The first long ids of a field, all of which end in 0 so far. */
interface RoundedIds {
  readonly column: string;
  readonly line: number;
  readonly ids: Set<string>;
}

/**
 * Finds damage that only the whole file reveals: long ids that Excel rounded, and cells lost in every row or in the
 * last one.
 */
export class FileTraces {
  readonly #areRoundedAllowed: boolean;
  #columns: readonly Column[] = [];
  #idColumns: readonly Column[] = [];
  /** Indexes of the table's columns that fields use. */
  #indexes: readonly number[] = [];
  /** By field path; undefined if the field has a long id that is not rounded. */
  readonly #rounded = new Map<string, RoundedIds | undefined>();
  #rowCount = 0;
  /** True if a row has values in several columns that fields use. */
  #hasRecord = false;
  #loneCount = 0;
  /** The last row, if it has a single value and is not refused. */
  #lone: InputRow | undefined;

  constructor(areRoundedAllowed: boolean) {
    this.#areRoundedAllowed = areRoundedAllowed;
  }

  /** Uses `columns` from the next row on. Outside a table, records may lack any field. */
  use(columns: readonly Column[], isTable: boolean): void {
    this.#columns = columns;
    this.#idColumns = this.#areRoundedAllowed ? [] : columns.filter(({ field }) => idTypes.has(field.type));
    const used = columns.flatMap(({ indexes }) => indexes);
    this.#indexes = isTable ? [...new Set(used)].filter((index) => index !== -1) : [];
  }

  /** Adds a row and its readable fields. A refused row needs no further problem. */
  add(row: InputRow, fields: Fields, isRefused: boolean): void {
    for (const column of this.#idColumns) {
      const id = valueIn(fields, column.names);
      if (typeof id === 'string' && id.length >= longLength && longId.test(id))
        this.#addId(column, id, row.line);
    }
    if (this.#indexes.length < 2) return;
    const { cells } = row;
    this.#rowCount += 1;
    const isLone = !areSeveral(cells);
    this.#lone = isLone && !isRefused ? row : undefined;
    if (isLone) this.#loneCount += 1;
    this.#hasRecord ||= areSeveral(this.#indexes.map((index) => cells[index]));
  }

  #addId({ field: { path }, shownAs: column }: Column, id: string, line: number): void {
    const isExact = this.#rounded.has(path) && this.#rounded.get(path) === undefined;
    if (isExact) return;
    const known = this.#rounded.get(path) ?? { column, line, ids: new Set() };
    if (known.ids.size < leastRounded) known.ids.add(id);
    this.#rounded.set(path, id.endsWith('0') ? known : undefined);
  }

  /** The problems of the file, once all rows are added. */
  problems(headerLine: number): readonly Fault[] {
    const problems: Fault[] = [];
    for (const { column, ids, line } of [...this.#rounded.values()].flatMap((rounded) => rounded ?? [])) {
      const [value = ''] = ids;
      if (ids.size >= leastRounded) problems.push({ line, column, value, ...traceRefusals['rounded-ids'] });
    }
    if (this.#rowCount > 1 && !this.#hasRecord) {
      const columns = this.#columns.filter(({ indexes }) => indexes.length > 0).map(({ shownAs }) => shownAs);
      problems.push({ line: headerLine, value: columns.join(' | '), ...emptyColumns });
    } else if (this.#lone && this.#loneCount === 1 && this.#rowCount > 1) {
      const { cells, line } = this.#lone;
      problems.push({ line, value: quoted(cells.find(isFilled) ?? null), ...loneRow });
    }
    return problems;
  }
}

const idTypes: ReadonlySet<string> = new Set(['id', 'memberId', 'trackingNumber']);

function areSeveral(cells: readonly Cell[]): boolean {
  let count = 0;
  for (const cell of cells) {
    if (isFilled(cell)) count += 1;
    if (count > 1) return true;
  }
  return false;
}

const emptyColumns = refuse(
  'empty-columns',
  'every row has a value in only one of these columns',
  'look at the rows: they may have another delimiter, or quotes around a whole row; if the other columns are ' +
    'meant to be blank, remove them',
);

const loneRow = refuse(
  'lone-value',
  'the last row has one value and all others have more: it is cut off, or not a record',
  'export the file again if it is cut off; otherwise remove the row',
);
