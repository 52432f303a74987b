import { clipText } from '../terminal/display-width.ts';

/** A column of a line; its width in terminal cells is at least 1. */
export interface LineColumn {
  readonly width: number;
  readonly align: 'left' | 'right';
}

/** Draws a line from these texts, one for each column. */
export type DrawLine = (texts: readonly string[]) => string;

const gap = '  ';

/** The width of a line in terminal cells, given the widths of its columns. */
export function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap.length * Math.max(0, widths.length - 1));
}

/** No borders, and none of the library's own colors: it would decide from the process whether to use any. */
const borders = [
  'top',
  'top-left',
  'top-mid',
  'top-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
  'bottom',
  'bottom-left',
  'bottom-mid',
  'bottom-right',
];
const plain = {
  chars: { ...Object.fromEntries(borders.map((border) => [border, ''])), middle: gap },
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
};

/** Reserves a text's space while the library lays out a line; one cell each, and not part of the borders. */
const placeholder = 'x';
const placeholders = /x+/;

/**
 * Loads the function that draws lines: texts are clipped to the widths of their columns, padded and joined, without
 * trailing spaces. The library lays out one line of placeholders, which the texts then replace. Measuring each text in
 * the library would take most of the time of a list, and its widths differ from ours for newer emoji and for Thai.
 */
export async function loadTableLines(): Promise<(columns: readonly LineColumn[]) => DrawLine> {
  const { default: CliTable } = await import('cli-table3');
  return (columns) => {
    const table = new CliTable(plain);
    table.push(columns.map(({ width }) => placeholder.repeat(width)));
    const [start = '', ...between] = table.toString().split(placeholders);
    return (texts) => {
      const cells = columns.map(
        (column, index) => padded(texts[index] ?? '', column) + (between[index] ?? ''),
      );
      return (start + cells.join('')).trimEnd();
    };
  };
}

function padded(text: string, { width, align }: LineColumn): string {
  const clipped = clipText(text, width);
  const padding = ' '.repeat(width - clipped.width);
  return align === 'right' ? padding + clipped.text : clipped.text + padding;
}
