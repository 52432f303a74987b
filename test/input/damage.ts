import type { OrderItemRecord } from '../../src/input/records/record-kinds.ts';
import { writtenCell } from './written.ts';

/** A table as a person means it, and how a program writes it down. */
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

/** The cells as the text has them, line by line, so that damage can be done to any of them. */
export function cellsOf({ rows, delimiter, quotesAll }: Written): string[][] {
  return [columns, ...rows].map((row) => row.map((cell) => writtenCell(cell, delimiter, quotesAll)));
}

/** The rows of a text from cells that are written already. */
export function join(cells: readonly (readonly string[])[], { delimiter, end }: Written): string {
  return cells.map((row) => row.join(delimiter) + end).join('');
}

/** What the rows say, by the table alone: none of the code under test is asked. */
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

/** One damage, done to a text or its cells at a row (0 is the header) and a column. */
export interface Damage {
  readonly text: string | Uint8Array;
  /** What the damaged file may be read as, where it is not what was meant: what its text says by the letter. */
  readonly literal?: readonly (readonly string[])[];
}

type Place = { readonly row: number; readonly column: number };

/** Puts `change` in the place of one cell, or of what surrounds it. */
function changed(written: Written, { row, column }: Place, change: (cell: string) => string): string {
  const cells = cellsOf(written);
  const line = cells[row] ?? [];
  line[column] = change(line[column] ?? '');
  return join(cells, written);
}

/** Leaves out the delimiter before a cell; of the first one that after it. */
function withoutDelimiter(written: Written, { row, column }: Place): string {
  const cells = cellsOf(written);
  const line = cells[row] ?? [];
  const at = Math.max(1, column);
  line.splice(at - 1, 2, `${line[at - 1] ?? ''}${line[at] ?? ''}`);
  return join(cells, written);
}

function insertedRow(written: Written, { row }: Place, inserted: string): string {
  const lines = cellsOf(written).map((cells) => cells.join(written.delimiter));
  lines.splice(row, 0, inserted);
  return lines.map((line) => line + written.end).join('');
}

function otherRow(written: Written, { row }: Place, write: (cells: readonly string[]) => string): string {
  const lines = cellsOf(written).map((cells) => cells.join(written.delimiter));
  lines[row] = write([columns, ...written.rows][row] ?? []);
  return lines.map((line) => line + written.end).join('');
}

/** The table with one value changed; where a name is changed nobody knows its column any more. */
function valueChanged({ rows }: Written, { row, column }: Place, change: (value: string) => string) {
  return rows.map((cells, index) =>
    cells.map((cell, at) => {
      if (at !== column) return cell;
      if (row === 0) return '';
      return index === row - 1 ? change(cell) : cell;
    }),
  );
}

const backslashed = (cell: string) => `"${cell.replaceAll('"', '\\"')}"`;

const half = (text: string) => Math.ceil(text.length / 2);

/** A writer that quotes nothing here cannot be told from one that never does: then a quote is a character. */
function quotesElsewhere(written: Written): boolean {
  return written.quotesAll || cellsOf(written).some((row) => row.some((cell) => cell.startsWith('"')));
}

export type Damaging = (written: Written, place: Place) => Damage;

/** What goes wrong with files, by name. */
export const damages: Readonly<Record<string, Damaging>> = {
  'a surplus delimiter before a cell': (written, place) => ({
    text: changed(written, place, (cell) => written.delimiter + cell),
  }),
  'a surplus delimiter in a cell, its quotes lost': (written, place) => ({
    text: changed(written, place, (cell) => {
      const bare = cell.replaceAll('"', '');
      return `${bare.slice(0, half(bare))}${written.delimiter}${bare.slice(half(bare))}`;
    }),
  }),
  'a surplus delimiter at the end of a row': (written, { row }) => ({
    text: changed(written, { row, column: columns.length - 1 }, (cell) => cell + written.delimiter),
  }),
  'a missing delimiter': (written, place) => ({ text: withoutDelimiter(written, place) }),
  'missing cells at the end of a row': (written, place) => ({
    text: join(
      cellsOf(written).map((cells, row) => (row === place.row ? cells.slice(0, -1) : cells)),
      written,
    ),
  }),
  'a surplus quote before a cell': (written, place) => ({
    text: changed(written, place, (cell) => `"${cell}`),
  }),
  'a surplus quote in a cell': (written, place) => ({
    text: changed(written, place, (cell) => `${cell.slice(0, half(cell))}"${cell.slice(half(cell))}`),
    ...(!quotesElsewhere(written) && {
      literal: valueChanged(
        written,
        place,
        (cell) => `${cell.slice(0, half(cell))}"${cell.slice(half(cell))}`,
      ),
    }),
  }),
  'a surplus quote after a cell': (written, place) => ({
    text: changed(written, place, (cell) => `${cell}"`),
    ...(!quotesElsewhere(written) && { literal: valueChanged(written, place, (cell) => `${cell}"`) }),
  }),
  'a missing first quote': (written, place) => ({
    text: changed(written, place, (cell) => cell.replace(/^"/, '')),
  }),
  'a missing last quote': (written, place) => ({
    text: changed(written, place, (cell) => cell.replace(/"$/, '')),
  }),
  'quotes escaped with a backslash': (written, place) => ({
    text: otherRow(written, place, (cells) => cells.map(backslashed).join(written.delimiter)),
  }),
  'apostrophes for quotes in a row': (written, place) => ({
    text: otherRow(written, place, (cells) =>
      cells.map((cell) => (cell.includes(written.delimiter) ? `'${cell}'` : cell)).join(written.delimiter),
    ),
  }),
  'another delimiter in a row': (written, place) => ({
    text: otherRow(written, place, (cells) => cells.join(written.delimiter === ';' ? ',' : ';')),
  }),
  'a blank after each delimiter of a row': (written, place) => ({
    text: join(
      cellsOf(written).map((cells, row) =>
        row === place.row ? cells.map((cell, at) => (at === 0 ? cell : ` ${cell}`)) : cells,
      ),
      written,
    ),
  }),
  'the header once more': (written, place) => ({
    text: insertedRow(written, place, columns.join(written.delimiter)),
  }),
  'another header, and its rows': (written, place) => ({
    text: insertedRow(
      written,
      { ...place, row: Math.max(1, place.row) },
      [...columns].reverse().join(written.delimiter),
    ),
  }),
  'a row of dashes': (written, place) => ({
    text: insertedRow(written, place, columns.map((name) => '-'.repeat(name.length)).join(written.delimiter)),
  }),
  'a preamble of several lines': (written, { column }) => ({
    text: `Orders${written.end}${Array.from({ length: column }, (_, at) => `${at}${written.delimiter}x${written.end}`).join('')}${join(cellsOf(written), written)}`,
  }),
  'a footer of one cell': (written) => ({
    text: `${join(cellsOf(written), written)}${written.rows.length} rows${written.end}`,
  }),
  'a footer as wide as the table': (written) => ({
    text: `${join(cellsOf(written), written)}Total${written.delimiter.repeat(columns.length - 1)}${written.end}`,
  }),
  'the table twice': (written) => ({ text: join(cellsOf(written), written).repeat(2) }),
  'a blank row': (written, place) => ({ text: insertedRow(written, place, '') }),
  'a row of blank cells': (written, place) => ({
    text: insertedRow(written, place, written.delimiter.repeat(columns.length - 1)),
  }),
  'a NUL byte': (written, place) => ({
    text: changed(written, place, (cell) => `${cell.slice(0, half(cell))}\0${cell.slice(half(cell))}`),
  }),
  'a byte-order mark': (written) => ({ text: `\ufeff${join(cellsOf(written), written)}` }),
  'UTF-16': (written) => ({ text: Buffer.from(`\ufeff${join(cellsOf(written), written)}`, 'utf16le') }),
  'bytes of another encoding': (written, place) => ({
    text: Buffer.from(
      changed(written, place, (cell) => `${cell}\u00ff`),
      'latin1',
    ),
  }),
  'no line end after the last row': (written) => ({ text: join(cellsOf(written), written).trimEnd() }),
  'another line end after a row': (written, place) => ({
    text: cellsOf(written)
      .map((cells, row) => cells.join(written.delimiter) + (row === place.row ? '\r' : written.end))
      .join(''),
  }),
  'no header': (written) => ({ text: join(cellsOf(written).slice(1), written) }),
};
