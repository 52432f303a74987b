import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import { displayWidth, fitText } from './display-width.ts';
import { textOf, valueAt } from './fields.ts';
import { shownTime } from './shown-time.ts';
import { terminalText } from './terminal-text.ts';
import type { Column } from './view.ts';

export interface TableOptions {
  /** Cells of a line. */
  readonly columns: number;
  readonly hasColor: boolean;
  /** Given on a terminal: recent times are told as seen from now. */
  readonly clock: Clock | undefined;
  /** Whether the columns were asked for by name, so that none may be left out. */
  readonly isChosen: boolean;
}

const gap = '  ';
/** Cells a text column keeps when it names no width of its own. */
const narrowestText = 8;
/** Longest piece of one value that is looked at, in UTF-16 units; no terminal line shows more. */
const longestCell = 1000;

/**
 * A table that is written while its records arrive. The first rows decide the widths; ids and numbers that are wider later
 * make their column wider, because they are never cut.
 */
export class Table {
  readonly #options: TableOptions;
  #columns: readonly Column[];
  #wanted: readonly number[] | undefined;

  constructor(columns: readonly Column[], options: TableOptions) {
    this.#columns = columns;
    this.#options = options;
  }

  /** The lines of these records; the first time with the header above them. */
  rows(records: readonly JsonObject[]): string {
    if (records.length === 0) return '';
    const isFirst = this.#wanted === undefined;
    if (isFirst) this.#columns = this.#columns.map((column) => withKind(column, records));
    const rows = records.map((record) => this.#columns.map((column) => this.#cell(record, column)));
    const wanted = this.#columns.map((column, index) => this.#wantedWidth(column, index, rows));
    this.#wanted = wanted;

    const widths = fitWidths(this.#columns, wanted, this.#options);
    const lines = rows.map((cells) => this.#line(cells, widths));
    if (isFirst) lines.unshift(this.#header(widths));
    return `${lines.join('\n')}\n`;
  }

  #cell(record: JsonObject, { path, kind }: Column): string {
    const value = valueAt(record, path);
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (kind === 'number' && Array.isArray(value)) return String(value.length);
    const text = textOf(value);
    return cellText(kind === 'date' ? shownTime(text, this.#options.clock) : text);
  }

  #wantedWidth(column: Column, index: number, rows: readonly (readonly string[])[]): number {
    const before = this.#wanted?.[index];
    if (before !== undefined && column.kind === 'text') return before;
    const widest = rows.reduce((width, cells) => Math.max(width, displayWidth(cells[index] ?? '')), 0);
    return Math.max(widest, before ?? 0, displayWidth(column.header), column.width ?? 0);
  }

  #header(widths: readonly number[]): string {
    const line = this.#line(
      this.#columns.map(({ header }) => header.toUpperCase()),
      widths,
    );
    return this.#options.hasColor ? `\u001b[1m${line}\u001b[22m` : line;
  }

  /** A width of 0 leaves the column out. */
  #line(cells: readonly string[], widths: readonly number[]): string {
    const fitted = this.#columns.flatMap(({ kind }, index) => {
      const width = widths[index] ?? 0;
      const align = kind === 'number' ? 'right' : 'left';
      return width === 0 ? [] : [fitText(cells[index] ?? '', width, align)];
    });
    return fitted.join(gap).trimEnd();
  }
}

/**
 * The wanted widths made to fit the line: the widest text column gives first, down to its least width; then optional columns
 * go, the last one first; then the line is longer than the terminal, because nothing else may be cut.
 */
function fitWidths(columns: readonly Column[], wanted: readonly number[], options: TableOptions): number[] {
  const widths = [...wanted];
  let excess = lineWidth(widths) - options.columns;
  const isTight =
    lineWidth(columns.map((column, index) => leastWidth(column, widths[index] ?? 0))) > options.columns;
  if (isTight && !options.isChosen) {
    const index = columns.findLastIndex((column, at) => column.isOptional && widths[at] !== 0);
    if (index >= 0) return fitWidths(columns, wanted.with(index, 0), options);
  }
  while (excess > 0) {
    const [widest] = columns
      .map((column, index) => ({
        index,
        width: widths[index] ?? 0,
        least: leastWidth(column, widths[index] ?? 0),
      }))
      .filter(({ width, least }) => width > least)
      .sort((one, other) => other.width - one.width);
    if (!widest) break;
    widths[widest.index] = widest.width - 1;
    excess -= 1;
  }
  return widths;
}

function leastWidth({ kind, width }: Column, wanted: number): number {
  return kind === 'text' ? Math.min(wanted, width ?? narrowestText) : wanted;
}

function lineWidth(widths: readonly number[]): number {
  const shown = widths.filter((width) => width > 0);
  return shown.reduce((sum, width) => sum + width, gap.length * Math.max(0, shown.length - 1));
}

function withKind(column: Column, records: readonly JsonObject[]): Column {
  if (column.kind) return column;
  const values = records.map((record) => valueAt(record, column.path)).filter((value) => value != null);
  const areNumbers = values.length > 0 && values.every((value) => typeof value === 'number');
  return { ...column, kind: areNumbers ? 'number' : 'text' };
}

/** A value on one line: line breaks are folded, since a text with many of them would be unreadable escaped. */
function cellText(text: string): string {
  const piece = text.length > longestCell ? `${text.slice(0, longestCell)}…` : text;
  const folded = piece.includes('\n')
    ? piece
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join(' ')
    : piece;
  return terminalText(folded);
}
