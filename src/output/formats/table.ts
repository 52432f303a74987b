import type { JsonObject } from '../../base/json.ts';
import { type BarStyle, drawBar } from '../terminal/bar.ts';
import { displayWidth, wrapText } from '../terminal/display-width.ts';
import { terminalText } from '../terminal/terminal-text.ts';
import { textOf, valueAt } from '../views/fields.ts';
import { shownTime, type TimeOptions } from '../views/shown-time.ts';
import type { Column } from '../views/view.ts';
import { type DrawLine, lineWidth, loadTableLines } from './table-line.ts';

export interface TableOptions extends TimeOptions {
  /** Cells of a line. */
  readonly columns: number;
  readonly hasColor: boolean;
  /** Columns of bars are left out where there are none. */
  readonly bars: BarStyle;
  /** Whether the columns were asked for by name, so that none may be left out. */
  readonly isChosen: boolean;
}

/** Cells a text column keeps when it names no width of its own. */
const narrowestText = 8;
/** Longest piece of one value that is looked at, in UTF-16 units; no terminal line shows more. */
const longestCell = 1000;
/** Cells of a whole bar that names no width of its own. */
const barWidth = 20;

/** A column and the cells it would take if there were room for all. */
interface Laid {
  readonly column: Column;
  readonly wanted: number;
}

/** A column, and the texts of these rows in it. */
interface Filled {
  readonly column: Column;
  readonly cells: readonly string[];
}

/**
 * A table that is written while its records arrive. The first rows decide which columns there are and how wide; ids and
 * numbers that are wider later make their column wider, because they are never cut.
 */
export class Table {
  readonly #options: TableOptions;
  readonly #columns: readonly Column[];
  #layout: readonly Laid[] | undefined;
  #drawing: { readonly widths: string; readonly line: DrawLine } | undefined;

  constructor(columns: readonly Column[], options: TableOptions) {
    this.#columns = options.bars === 'none' ? columns.filter(({ kind }) => kind !== 'bar') : columns;
    this.#options = options;
  }

  /** The headers of the columns for which the line was too narrow, once there were rows. */
  get leftOut(): readonly string[] {
    const shown = new Set(this.#layout?.map(({ column }) => column.path));
    return this.#layout === undefined
      ? []
      : this.#columns.filter(({ path }) => !shown.has(path)).map(({ header }) => header);
  }

  /** The lines of these records; the first time with the header above them. */
  async rows(records: readonly JsonObject[]): Promise<string> {
    if (records.length === 0) return '';
    const isFirst = this.#layout === undefined;
    const columns =
      this.#layout?.map(({ column }) => column) ?? this.#columns.map((column) => withKind(column, records));
    const filled = columns.map((column) => ({
      column,
      cells: records.map((record) => this.#cell(record, column)),
    }));
    this.#layout =
      this.#layout?.map((laid, index) => grown(laid, filled[index])) ?? this.#firstLayout(filled);
    const layout = this.#layout;
    const line = await this.#lineOf(layout);
    const header = () => this.#bold(line(layout.map(({ column }) => column.header.toUpperCase())));
    const cells = layout.map(({ column }) => filled.find((one) => one.column === column)?.cells ?? []);
    const rows = records.map((_, row) => cells.map((texts) => texts[row] ?? ''));
    const lines = rows.flatMap((texts) => this.#wrapped(texts, layout).map(line));
    return `${[...(isFirst ? [header()] : []), ...lines].join('\n')}\n`;
  }

  /** The texts of a row, for each of its lines. */
  #wrapped(texts: readonly string[], layout: readonly Laid[]): readonly (readonly string[])[] {
    if (!layout.some(({ column }) => column.isWrapped)) return [texts];
    const widths = fittedWidths(layout, this.#options.columns);
    const parts = texts.map((text, index) =>
      layout[index]?.column.isWrapped ? wrapText(text, widths[index] ?? 1) : [text],
    );
    const height = Math.max(...parts.map(({ length }) => length));
    return Array.from({ length: height }, (_, at) => parts.map((part) => part[at] ?? ''));
  }

  /** How lines are drawn; most pages are as wide as the one before them. */
  async #lineOf(layout: readonly Laid[]): Promise<DrawLine> {
    const widths = fittedWidths(layout, this.#options.columns);
    const key = widths.join();
    if (this.#drawing?.widths !== key) {
      const tableLines = await loadTableLines();
      const line = tableLines(
        layout.map(({ column: { kind } }, index) => ({
          width: widths[index] ?? 1,
          align: kind === 'number' || kind === 'share' ? 'right' : 'left',
        })),
      );
      this.#drawing = { widths: key, line };
    }
    return this.#drawing.line;
  }

  #cell(record: JsonObject, { path, kind, width, decimals, inWords }: Column): string {
    const value = valueAt(record, path);
    if (inWords !== undefined) return cellText(inWords(value));
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (kind === 'number' && Array.isArray(value)) return String(value.length);
    if (typeof value === 'number' && decimals !== undefined) return value.toFixed(decimals);
    if (typeof value === 'number' && kind === 'share') return `${(100 * value).toFixed(1)} %`;
    if (typeof value === 'number' && kind === 'bar')
      return drawBar(value, width ?? barWidth, this.#options.bars);
    const text = textOf(value);
    return cellText(kind === 'date' ? shownTime(text, this.#options) : text);
  }

  #firstLayout(filled: readonly Filled[]): readonly Laid[] {
    const { columns: available, isChosen } = this.#options;
    const all = filled.map(({ column, cells }) => {
      const floor = Math.max(displayWidth(column.header), column.width ?? 0);
      const wanted = Math.max(floor, widest(cells));
      return { column, wanted: column.kind === 'text' ? Math.min(wanted, available) : wanted };
    });
    return isChosen ? all : withoutOptional(all, available);
  }

  #bold(line: string): string {
    return this.#options.hasColor ? `\u001b[1m${line}\u001b[22m` : line;
  }
}

function grown({ column, wanted }: Laid, filled: Filled | undefined): Laid {
  return { column, wanted: column.kind === 'text' ? wanted : Math.max(wanted, widest(filled?.cells ?? [])) };
}

function widest(cells: readonly string[]): number {
  return cells.reduce((width, cell) => Math.max(width, displayWidth(cell)), 0);
}

/** The columns without as many optional ones, the last first, as it takes until the least widths fit the line. */
function withoutOptional(layout: readonly Laid[], available: number): readonly Laid[] {
  if (lineWidth(layout.map(leastWidth)) <= available) return layout;
  const index = layout.findLastIndex(({ column }) => column.isOptional);
  return index < 0 ? layout : withoutOptional(layout.toSpliced(index, 1), available);
}

/**
 * Reduces the wanted widths to fit the line: text columns shrink to the widths that they name, and below them where
 * that makes the line fit. Other columns are never cut, so the line may still be longer than the terminal.
 */
function fittedWidths(layout: readonly Laid[], available: number): readonly number[] {
  const wanted = layout.map((laid) => laid.wanted);
  const shrunk = shrunkWidths(wanted, layout.map(leastWidth), available);
  const narrowest = layout.map(narrowestWidth);
  const widths = lineWidth(narrowest) > available ? shrunk : shrunkWidths(shrunk, narrowest, available);
  const room = available - lineWidth(widths);
  // The last column has nothing to its right, so a text there is cut only by the end of the line.
  return widths.map((width, index) =>
    index === widths.length - 1 && layout[index]?.column.kind === 'text' ? width + Math.max(0, room) : width,
  );
}

/** Widths that fit the line, if the least ones do: repeatedly, the widest column that is not at its least shrinks. */
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
