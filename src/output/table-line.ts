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

/** Texts clipped to their widths, padded and set side by side, with no space at the end. */
export function tableLine(cells: readonly TableCell[]): string {
  const padded = cells.map(({ text, width, align }) => {
    const shown = displayWidth(text) > width ? clipText(text, width) : text;
    const padding = ' '.repeat(width - displayWidth(shown));
    return align === 'right' ? padding + shown : shown + padding;
  });
  return padded.join(gap).trimEnd();
}
