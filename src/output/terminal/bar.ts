/** How a terminal can show a part of a whole: in eighths of a cell, in whole characters of ASCII, or not at all. */
export type BarStyle = 'blocks' | 'ascii' | 'none';

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A part of 1 as a bar of at most `width` cells; nothing of none, and at least a sliver of anything more. */
export function drawBar(share: number, width: number, style: BarStyle): string {
  const part = Math.min(Math.max(share, 0), 1) * width;
  if (style === 'none' || part === 0) return '';
  if (style === 'ascii') return '#'.repeat(Math.max(1, Math.round(part)));
  const drawn = Math.max(1, Math.round(part * 8));
  return '█'.repeat(Math.floor(drawn / 8)) + eighths[drawn % 8];
}
