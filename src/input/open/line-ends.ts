/** The number of line ends in `text` (LF, CR LF or CR), which must not end within a CR LF. */
export function countLineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  for (let at = text.indexOf('\r'); at !== -1; at = text.indexOf('\r', at + 1)) {
    if (text.charCodeAt(at + 1) !== lineFeed) count += 1;
  }
  return count;
}

const lineFeed = 10;
