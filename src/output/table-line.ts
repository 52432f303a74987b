import { clipText, displayWidth } from './display-width.ts';

/** One cell of a line: its text, and how many cells of the terminal it is to take, at least 1. */
interface TableCell {
  readonly text: string;
  readonly width: number;
  readonly align: 'left' | 'right';
}

const gap = '  ';

/** How many cells of the terminal a line of cells this wide takes. */
export function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap.length * Math.max(0, widths.length - 1));
}

/** No borders, and no colors of the library's own: it would read from the process whether there may be any. */
const plain = {
  chars: {
    top: '',
    'top-left': '',
    'top-mid': '',
    'top-right': '',
    left: '',
    'left-mid': '',
    mid: '',
    'mid-mid': '',
    right: '',
    'right-mid': '',
    bottom: '',
    'bottom-left': '',
    'bottom-mid': '',
    'bottom-right': '',
    middle: gap,
  },
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
};

/**
 * Loads the drawing of lines: texts clipped to their widths, padded and set side by side, with no space at the end. To the
 * library each line is a table of its own with the padding given cell by cell. Told the widths of columns instead, it would
 * count in its own measure, which is older than some emoji and other than ours for Thai, and cut or shift what fits.
 */
export async function loadTableLine(): Promise<(cells: readonly TableCell[]) => string> {
  const { default: CliTable } = await import('cli-table3');
  return (cells) => {
    const table = new CliTable(plain);
    table.push(
      cells.map(({ text, width, align }) => {
        const content = clipText(text, width);
        const padding = width - displayWidth(content);
        return { content, style: { [align === 'right' ? 'padding-left' : 'padding-right']: padding } };
      }),
    );
    return table.toString().trimEnd();
  };
}
