import type { JsonObject } from '../../base/json.ts';
import { displayWidth, keepCommands, wrapText } from '../terminal/display-width.ts';
import type { Streams } from '../terminal/streams.ts';
import { terminalText } from '../terminal/terminal-text.ts';
import { inGroups } from '../terminal/totals.ts';
import { isTimeField, textOf, valueAt } from '../views/fields.ts';
import { shownTime } from '../views/shown-time.ts';
import type { Column } from '../views/view.ts';
import { type DrawLine, lineWidth, loadTableLines } from './table-line.ts';

/** The properties of the stream that a table depends on. */
export type TableStreams = Pick<Streams, 'columns' | 'hasColor' | 'timeZone'>;

/** Minimum cells of a text column without a width of its own. */
const narrowestText = 8;
/**
 * Longest part of one value that is measured and shown, in UTF-16 units; no terminal line is longer. Notes are whole.
 */
const longestCell = 1000;
/** Indents the lines of a note below its row. */
const noteIndent = '    ';

/** A column, its position among all, and its texts in these rows. */
interface Filled {
  readonly column: Column;
  readonly position: number;
  readonly cells: readonly string[];
}

/** A column and the cells that it would use if space were unlimited. */
interface Laid extends Pick<Filled, 'column' | 'position'> {
  readonly wanted: number;
}

/**
 * A table that is written while its records arrive. The first rows decide the columns and their widths. Later ids and
 * numbers that are wider widen their column, because they are never cut. A column without a value is omitted until a
 * page has one, which then prints a new header. A note that does not fit its line goes below it.
 */
export class Table {
  readonly #streams: TableStreams;
  readonly #isChosen: boolean;
  #columns: readonly Column[];
  /** The positions of columns that had a value so far. */
  readonly #withValues = new Set<number>();
  #layout: readonly Laid[] | undefined;
  #drawing: { readonly widths: string; readonly line: DrawLine } | undefined;

  /** `isChosen`: the columns were requested by name, so none may be omitted. */
  constructor(
    columns: readonly Column[],
    streams: TableStreams,
    { isChosen }: { readonly isChosen: boolean } = { isChosen: false },
  ) {
    this.#columns = columns;
    this.#streams = streams;
    this.#isChosen = isChosen;
  }

  /** The headers of columns with values that did not fit the line. */
  get leftOut(): readonly string[] {
    const shown = new Set(this.#layout?.map(({ position }) => position));
    return this.#columns
      .filter(({ kind }, at) => this.#withValues.has(at) && kind !== 'note' && !shown.has(at))
      .map(({ header }) => header);
  }

  /** The lines of these records; below a header the first time, and whenever columns were added. */
  async rows(records: readonly JsonObject[]): Promise<string> {
    if (records.length === 0) return '';
    const filled = this.#fill(records);
    const hasHeader = this.#layOut(filled);
    const layout = this.#layout ?? [];
    const widths = this.#fittedWidths(layout);
    const line = await this.#lineOf(layout, widths);
    const header = line(layout.map(({ column }) => column.header.toUpperCase()));
    const room = new Map(layout.map(({ position }, index) => [position, widths[index] ?? 0]));
    const notes = filled.filter(
      (one) =>
        one.column.kind === 'note' &&
        this.#isShown(one) &&
        one.cells.some((cell) => isBelow(one, cell, room)),
    );
    const lines = records.flatMap((_, row) => this.#rowLines(filled, row, line, { room, notes }));
    return `${[...(hasHeader && header !== '' ? [this.#bold(header)] : []), ...lines].join('\n')}\n`;
  }

  /**
   * The line of a row, and the notes below it; if there are several kinds, each note is labelled. `room` is the width
   * of each column of the line, by its position, and `notes` are the columns that have any below.
   */
  #rowLines(
    filled: readonly Filled[],
    row: number,
    line: DrawLine,
    { room, notes }: { readonly room: ReadonlyMap<number, number>; readonly notes: readonly Filled[] },
  ): readonly string[] {
    const cellOf = (one: Filled | undefined) => one?.cells[row] ?? '';
    const below = new Set(notes.filter((one) => isBelow(one, cellOf(one), room)));
    const inLine = line(
      [...room.keys()]
        .map((position) => filled[position])
        .map((one) => (one && below.has(one) ? '' : cellOf(one))),
    );
    const lines = [...below].map((one) => (notes.length > 1 ? `${one.column.header}: ` : '') + cellOf(one));
    // A record that consists of a note alone has no line above the note.
    const above = inLine === '' && lines.length > 0 ? [] : [inLine];
    return [...above, ...lines.flatMap((text) => this.#noteLines(text))];
  }

  #isShown({ position }: Filled): boolean {
    return this.#isChosen || this.#withValues.has(position);
  }

  /** The texts of all columns; a column of no declared kind takes the kind of its first values. */
  #fill(records: readonly JsonObject[]): readonly Filled[] {
    const filled = this.#columns.map((column, position) => {
      const known = withKind(column, records);
      return { column: known, position, cells: records.map((record) => this.#cell(record, known)) };
    });
    this.#columns = filled.map(({ column, position, cells }) =>
      hasText(cells) ? column : (this.#columns[position] ?? column),
    );
    return filled;
  }

  /** Decides the columns of the line and their widths; returns true if the columns changed. */
  #layOut(filled: readonly Filled[]): boolean {
    const more = filled.filter(({ position, cells }) => !this.#withValues.has(position) && hasText(cells));
    for (const { position } of more) this.#withValues.add(position);
    const isOther = this.#layout === undefined || more.some(({ column }) => column.kind !== 'note');
    this.#layout = isOther
      ? this.#newLayout(filled)
      : this.#withRoom(this.#layout?.map((laid) => grown(laid, filled[laid.position]?.cells ?? [])) ?? []);
    return isOther;
  }

  /** Drops the notes if the line has become too long for them. */
  #withRoom(layout: readonly Laid[]): readonly Laid[] {
    if (lineWidth(layout.map(leastWidth)) <= this.#streams.columns) return layout;
    return layout.filter(({ column }) => column.kind !== 'note');
  }

  #newLayout(filled: readonly Filled[]): readonly Laid[] {
    const { columns: available } = this.#streams;
    const all = filled
      .filter((one) => this.#isShown(one))
      .map(({ column, position, cells }) => {
        const floor = Math.max(displayWidth(column.header), column.width ?? 0);
        const wanted = Math.max(floor, widest(cells));
        return { column, position, wanted: column.kind === 'text' ? Math.min(wanted, available) : wanted };
      });
    const others = all.filter(({ column }) => column.kind !== 'note');
    let line = this.#isChosen ? others : withoutOptional(others, available);
    for (const { column, position } of all.filter((laid) => laid.column.kind === 'note')) {
      const widths = filled[position]?.cells.map(displayWidth).filter((width) => width > 0) ?? [];
      const room = available - lineWidth([...line.map(leastWidth), 0]);
      const header = displayWidth(column.header);
      const fitting = widths.filter((width) => width <= room);
      // If most notes are too long, all of them go below their rows.
      if (header > room || fitting.length < widths.length / 2) continue;
      line = [...line, { column, position, wanted: Math.max(header, ...fitting) }];
    }
    return line.toSorted((one, other) => one.position - other.position);
  }

  /** The last column has nothing to its right, so only the end of the line limits a text or note there. */
  #fittedWidths(layout: readonly Laid[]): readonly number[] {
    const { columns: available } = this.#streams;
    const widths = fittedWidths(layout, available);
    const room = Math.max(0, available - lineWidth(widths));
    const kind = layout.at(-1)?.column.kind;
    return kind === 'text' || kind === 'note' ? widths.with(-1, (widths.at(-1) ?? 0) + room) : widths;
  }

  /** Returns the function that draws lines; most pages have the widths of the page before. */
  async #lineOf(layout: readonly Laid[], widths: readonly number[]): Promise<DrawLine> {
    const key = widths.join();
    if (this.#drawing?.widths !== key) {
      const tableLines = await loadTableLines();
      const line = tableLines(
        layout.map(({ column: { kind } }, index) => ({
          width: widths[index] ?? 1,
          align: kind === 'number' || kind === 'amount' || kind === 'share' ? 'right' : 'left',
        })),
      );
      this.#drawing = { widths: key, line };
    }
    return this.#drawing.line;
  }

  #noteLines(text: string): readonly string[] {
    const width = this.#streams.columns - noteIndent.length;
    return wrapText(keepCommands(text), width).map((part) => noteIndent + part);
  }

  #cell(record: JsonObject, { path, kind, decimals, inWords }: Column): string {
    const value = valueAt(record, path);
    const longest = kind === 'note' ? Number.POSITIVE_INFINITY : longestCell;
    if (inWords !== undefined) return cellText(inWords(value, record), longest);
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (kind === 'amount' && Array.isArray(value)) return String(value.length);
    if (typeof value === 'number' && decimals !== undefined) return value.toFixed(decimals);
    if (typeof value === 'number' && kind === 'share')
      return `${(Math.round(1000 * value) / 10).toFixed(1)} %`;
    const text = textOf(value);
    if (kind === 'amount') return cellText(inGroups(text), longest);
    return cellText(kind === 'date' ? shownTime(text, this.#streams) : text, longest);
  }

  #bold(line: string): string {
    return this.#streams.hasColor ? `\u001b[1m${line}\u001b[22m` : line;
  }
}

/** True if a note does not fit its line. */
function isBelow({ position }: Filled, cell: string, room: ReadonlyMap<number, number>): boolean {
  return displayWidth(cell) > (room.get(position) ?? 0);
}

function grown({ column, position, wanted }: Laid, cells: readonly string[]): Laid {
  const isFixed = column.kind === 'text' || column.kind === 'note';
  return { column, position, wanted: isFixed ? wanted : Math.max(wanted, widest(cells)) };
}

function hasText(cells: readonly string[]): boolean {
  return cells.some((cell) => cell !== '');
}

function widest(cells: readonly string[]): number {
  return cells.reduce((width, cell) => Math.max(width, displayWidth(cell)), 0);
}

/** The columns without as many optional ones, the last first, as necessary for the minimum widths to fit the line. */
function withoutOptional(layout: readonly Laid[], available: number): readonly Laid[] {
  if (lineWidth(layout.map(leastWidth)) <= available) return layout;
  const index = layout.findLastIndex(({ column }) => column.isOptional);
  return index < 0 ? layout : withoutOptional(layout.toSpliced(index, 1), available);
}

/**
 * Reduces the wanted widths to fit the line: text columns shrink to their declared widths, and further if that makes
 * the line fit. Other columns are never cut, so the line may still be longer than the terminal.
 */
function fittedWidths(layout: readonly Laid[], available: number): readonly number[] {
  const wanted = layout.map((laid) => laid.wanted);
  const shrunk = shrunkWidths(wanted, layout.map(leastWidth), available);
  const narrowest = layout.map(narrowestWidth);
  return lineWidth(narrowest) > available ? shrunk : shrunkWidths(shrunk, narrowest, available);
}

/** Widths that fit the line, if the minimum widths do: the widest column above its minimum shrinks, repeatedly. */
function shrunkWidths(
  wanted: readonly number[],
  leastWidths: readonly number[],
  available: number,
): readonly number[] {
  const widths = [...wanted];
  for (let excess = lineWidth(widths) - available; excess > 0; excess -= 1) {
    const giving = widths.map((width, index) => (width > (leastWidths[index] ?? 0) ? width : 0));
    const widest = Math.max(...giving);
    if (widest === 0) break;
    widths[giving.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function leastWidth({ column: { kind, width }, wanted }: Laid): number {
  return kind === 'text' ? Math.min(wanted, width ?? narrowestText) : wanted;
}

function narrowestWidth({ column: { kind }, wanted }: Laid): number {
  return kind === 'text' ? Math.min(wanted, narrowestText) : wanted;
}

function withKind(column: Column, records: readonly JsonObject[]): Column {
  if (column.kind) return column;
  if (isTimeField(column.path)) return { ...column, kind: 'date' };
  const values = records.map((record) => valueAt(record, column.path)).filter((value) => value != null);
  const areNumbers = values.length > 0 && values.every((value) => typeof value === 'number');
  return { ...column, kind: areNumbers ? 'number' : 'text' };
}

/** A value on one line: line breaks are folded, because a text with many escaped ones would be unreadable. */
function cellText(text: string, longest: number): string {
  const piece = text.length > longest ? `${text.slice(0, longest)}…` : text;
  const folded = piece.includes('\n')
    ? piece
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join(' ')
    : piece;
  return terminalText(folded);
}
