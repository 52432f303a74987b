import type { OrderItemRecord } from '../../src/input/records/record-kinds.ts';
import { writtenCell } from './written.ts';

/** A table as meant, and the notation in which a program writes it. */
export interface Written {
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: string;
  readonly end: string;
  readonly quotesAll: boolean;
}

export const columns = [
  'orderOriginId',
  'originId',
  'productOriginId',
  'memberOriginId',
  'buyer.name',
  'recipient.name',
  'alimtalkTemplateCode',
  'shipment.trackingNumber',
  'paidPrice',
  'shipment.companyCode',
] as const;

/** The cells as written in the text, line by line, so that each of them can be damaged. */
export function cellsOf({ rows, delimiter, quotesAll }: Written): string[][] {
  return [columns, ...rows].map((row) => row.map((cell) => writtenCell(cell, delimiter, quotesAll)));
}

/** Joins written cells into the text of rows. */
export function join(cells: readonly (readonly string[])[], { delimiter, end }: Written): string {
  return cells.map((row) => row.join(delimiter) + end).join('');
}

/** The records that the rows mean, computed without the code under test. */
export function meaningOf(rows: readonly (readonly string[])[]): readonly OrderItemRecord[] {
  return rows.map((row) => {
    const record: Record<string, unknown> = {};
    for (const [index, path] of columns.entries()) {
      const text = (row[index] ?? '').trim();
      const [name = '', nested] = path.split('.');
      if (text === '') continue;
      if (nested === undefined) record[name] = text;
      else record[name] = { ...(record[name] as object), [nested]: text };
    }
    return record as OrderItemRecord;
  });
}

type Place = { readonly row: number; readonly column: number };

/** Damages a text or its cells at a row (0 is the header) and a column. */
type Damaging = (written: Written, place: Place) => string | Uint8Array;

/** Replaces the cells of a row. `change` receives them as written and as meant. */
function rowChanged(
  written: Written,
  { row }: Place,
  change: (cells: readonly string[], meant: readonly string[]) => readonly string[],
): string {
  const meant = [columns, ...written.rows][row] ?? [];
  return join(
    cellsOf(written).map((cells, at) => (at === row ? change(cells, meant) : cells)),
    written,
  );
}

/** Applies `change` to one written cell. */
function changed(written: Written, place: Place, change: (cell: string) => string): string {
  return rowChanged(written, place, (cells) =>
    cells.map((cell, at) => (at === place.column ? change(cell) : cell)),
  );
}

function insertedRow(written: Written, row: number, inserted: readonly string[]): string {
  return join(cellsOf(written).toSpliced(row, 0, [...inserted]), written);
}

const parted = (inserted: string) => (cell: string) => {
  const half = Math.ceil(cell.length / 2);
  return `${cell.slice(0, half)}${inserted}${cell.slice(half)}`;
};

const backslashed = (cell: string) => `"${cell.replaceAll('"', '\\"')}"`;

const surplusQuotes: Readonly<Record<string, (cell: string) => string>> = {
  'a surplus quote in a cell': parted('"'),
  'a surplus quote after a cell': (cell) => `${cell}"`,
};

/**
 * The literal reading of a damaged file, which is acceptable although it is not what was meant. If nothing in the text
 * is quoted, the writer may never quote, so a quote is an ordinary character.
 */
export function literalOf(name: string, written: Written, { row, column }: Place) {
  const change = surplusQuotes[name];
  if (!change || cellsOf(written).some((cells) => cells.some((cell) => cell.startsWith('"'))))
    return undefined;
  return written.rows.map((cells, index) =>
    cells.map((cell, at) => {
      if (at !== column) return cell;
      // A changed name leaves its column unknown.
      if (row === 0) return '';
      return index === row - 1 ? change(cell) : cell;
    }),
  );
}

/** Kinds of damage, by name. */
export const damages: Readonly<Record<string, Damaging>> = {
  'a surplus delimiter before a cell': (written, place) =>
    changed(written, place, (cell) => written.delimiter + cell),
  'a surplus delimiter in a cell, its quotes lost': (written, place) =>
    changed(written, place, (cell) => parted(written.delimiter)(cell.replaceAll('"', ''))),
  'a surplus delimiter at the end of a row': (written, place) =>
    rowChanged(written, place, (cells) => [...cells, '']),
  // For the first cell, the delimiter after it is missing.
  'a missing delimiter': (written, place) =>
    rowChanged(written, place, (cells) => {
      const at = Math.max(1, place.column);
      return cells.toSpliced(at - 1, 2, cells.slice(at - 1, at + 1).join(''));
    }),
  'missing cells at the end of a row': (written, place) =>
    rowChanged(written, place, (cells) => cells.slice(0, -1)),
  'a surplus quote before a cell': (written, place) => changed(written, place, (cell) => `"${cell}`),
  ...Object.fromEntries(
    Object.entries(surplusQuotes).map(([name, change]): [string, Damaging] => [
      name,
      (written, place) => changed(written, place, change),
    ]),
  ),
  'a missing first quote': (written, place) => changed(written, place, (cell) => cell.replace(/^"/, '')),
  'a missing last quote': (written, place) => changed(written, place, (cell) => cell.replace(/"$/, '')),
  'quotes escaped with a backslash': (written, place) =>
    rowChanged(written, place, (_, meant) => meant.map(backslashed)),
  'apostrophes for quotes in a row': (written, place) =>
    rowChanged(written, place, (_, meant) =>
      meant.map((cell) => (cell.includes(written.delimiter) ? `'${cell}'` : cell)),
    ),
  'another delimiter in a row': (written, place) =>
    rowChanged(written, place, (_, meant) => [meant.join(written.delimiter === ';' ? ',' : ';')]),
  'a blank after each delimiter of a row': (written, place) =>
    rowChanged(written, place, (cells) => cells.map((cell, at) => (at === 0 ? cell : ` ${cell}`))),
  'the header once more': (written, { row }) => insertedRow(written, row, columns),
  'another header, and its rows': (written, { row }) =>
    insertedRow(written, Math.max(1, row), columns.toReversed()),
  'a row of dashes': (written, { row }) =>
    insertedRow(
      written,
      row,
      columns.map((name) => '-'.repeat(name.length)),
    ),
  'a preamble of several lines': (written, { column }) => {
    const lines = Array.from({ length: column }, (_, at) => [`${at}`, 'x']);
    return join([['Orders'], ...lines, ...cellsOf(written)], written);
  },
  'a footer of one cell': (written) => join([...cellsOf(written), [`${written.rows.length} rows`]], written),
  'a footer as wide as the table': (written) =>
    join([...cellsOf(written), columns.map((_, at) => (at === 0 ? 'Total' : ''))], written),
  'the table twice': (written) => join(cellsOf(written), written).repeat(2),
  'a blank row': (written, { row }) => insertedRow(written, row, []),
  'a row of blank cells': (written, { row }) =>
    insertedRow(
      written,
      row,
      columns.map(() => ''),
    ),
  'a NUL byte': (written, place) => changed(written, place, parted('\0')),
  'a byte-order mark': (written) => `\ufeff${join(cellsOf(written), written)}`,
  'UTF-16': (written) => Buffer.from(`\ufeff${join(cellsOf(written), written)}`, 'utf16le'),
  'bytes of another encoding': (written, place) =>
    Buffer.from(
      changed(written, place, (cell) => `${cell}\u00ff`),
      'latin1',
    ),
  'no line end after the last row': (written) => join(cellsOf(written), written).trimEnd(),
  'another line end after a row': (written, place) =>
    cellsOf(written)
      .map((cells, row) => cells.join(written.delimiter) + (row === place.row ? '\r' : written.end))
      .join(''),
  'no header': (written) => join(cellsOf(written).slice(1), written),
};

export function damagedBy(name: string, written: Written, place: Place): string | Uint8Array {
  return (damages[name] as Damaging)(written, place);
}
