import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import { displayWidth } from './display-width.ts';
import { textOf, valueAt } from './fields.ts';
import { shownTime } from './shown-time.ts';
import { lineWidth, loadTableLine } from './table-line.ts';
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

/** Cells a text column keeps when it names no width of its own. */
const narrowestText = 8;
/** Longest piece of one value that is looked at, in UTF-16 units; no terminal line shows more. */
const longestCell = 1000;

/** A column and the cells it would take if there were room for all. */
interface Laid {
  readonly column: Column;
  readonly wanted: number;
}

/**
 * A table that is written while its records arrive. The first rows decide which columns there are and how wide; ids and
 * numbers that are wider later make their column wider, because they are never cut.
 */
export class Table {
  readonly #options: TableOptions;
  readonly #columns: readonly Column[];
  #layout: readonly Laid[] | undefined;

  constructor(columns: readonly Column[], options: TableOptions) {
    this.#columns = columns;
    this.#options = options;
  }

  /** The lines of these records; the first time with the header above them. */
  async rows(records: readonly JsonObject[]): Promise<string> {
    if (records.length === 0) return '';
    const tableLine = await loadTableLine();
    const isFirst = this.#layout === undefined;
    this.#layout = this.#layout?.map((laid) => this.#grown(laid, records)) ?? this.#firstLayout(records);
    const columns = this.#layout.map(({ column }) => column);
    const widths = fittedWidths(this.#layout, this.#options.columns);
    const line = (textOfColumn: (column: Column) => string) =>
      tableLine(
        columns.map((column, index) => ({
          text: textOfColumn(column),
          width: widths[index] ?? 1,
          align: column.kind === 'number' ? 'right' : 'left',
        })),
      );

    const lines = records.map((record) => line((column) => this.#cell(record, column)));
    if (isFirst) lines.unshift(this.#bold(line(({ header }) => header.toUpperCase())));
    return `${lines.join('\n')}\n`;
  }

  #cell(record: JsonObject, { path, kind }: Column): string {
    const value = valueAt(record, path);
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (kind === 'number' && Array.isArray(value)) return String(value.length);
    const text = textOf(value);
    return cellText(kind === 'date' ? shownTime(text, this.#options.clock) : text);
  }

  #firstLayout(records: readonly JsonObject[]): readonly Laid[] {
    const { columns: available, isChosen } = this.#options;
    const all = this.#columns.map((given) => {
      const column = withKind(given, records);
      const floor = Math.max(displayWidth(column.header), column.width ?? 0);
      const wanted = Math.max(floor, this.#widest(column, records));
      return { column, wanted: column.kind === 'text' ? Math.min(wanted, available) : wanted };
    });
    return isChosen ? all : withoutOptional(all, available);
  }

  #grown({ column, wanted }: Laid, records: readonly JsonObject[]): Laid {
    if (column.kind === 'text') return { column, wanted };
    return { column, wanted: Math.max(wanted, this.#widest(column, records)) };
  }

  #widest(column: Column, records: readonly JsonObject[]): number {
    return records.reduce((width, record) => Math.max(width, displayWidth(this.#cell(record, column))), 0);
  }

  #bold(line: string): string {
    return this.#options.hasColor ? `\u001b[1m${line}\u001b[22m` : line;
  }
}

/** The columns without as many optional ones, the last first, as it takes until the least widths fit the line. */
function withoutOptional(layout: readonly Laid[], available: number): readonly Laid[] {
  if (lineWidth(layout.map(leastWidth)) <= available) return layout;
  const index = layout.findLastIndex(({ column }) => column.isOptional);
  return index < 0 ? layout : withoutOptional(layout.toSpliced(index, 1), available);
}

/**
 * The wanted widths made to fit the line: the widest text column gives, again and again. What still does not fit makes the
 * line longer than the terminal, because nothing else may be cut.
 */
function fittedWidths(layout: readonly Laid[], available: number): readonly number[] {
  const widths = layout.map(({ wanted }) => wanted);
  const leastWidths = layout.map(leastWidth);
  for (let excess = lineWidth(widths) - available; excess > 0; excess -= 1) {
    const giving = widths.map((width, index) => (width > (leastWidths[index] ?? 0) ? width : 0));
    const widest = Math.max(...giving);
    if (widest === 0) break;
    widths[giving.indexOf(widest)] = widest - 1;
  }
  const room = available - lineWidth(widths);
  // Nothing stands to the right of the last column, so a text there is cut by the end of the line alone.
  return widths.map((width, index) =>
    index === widths.length - 1 && layout[index]?.column.kind === 'text' ? width + Math.max(0, room) : width,
  );
}

function leastWidth({ column: { kind, width }, wanted }: Laid): number {
  return kind === 'text' ? Math.min(wanted, width ?? narrowestText) : wanted;
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
