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

/** The most blank lines in a row. Lines of delimiters, which Excel writes down to the last formatted row, are not. */
export const blankMaximum = 100_000;

/** Counts blank lines over the pieces of a text, which must not end within a CR LF. */
export class BlankLines {
  /** The line ends since the last line with text began. */
  #ends = 0;
  #hasText = false;

  /** The first of more than `blankMaximum` blank lines in a row; undefined if they are fewer. `line` begins `piece`. */
  findTooMany(piece: string, line: number): number | undefined {
    const text = piece.search(/[^ \r\n]/);
    const before = countLineEnds(text === -1 ? piece : piece.slice(0, text));
    this.#ends += before;
    const ofText = this.#hasText ? 1 : 0;
    if (this.#ends - ofText > blankMaximum) return line + before - this.#ends + ofText;
    if (text === -1) return undefined;
    this.#hasText = true;
    let end = piece.length;
    while (isBlank(piece.charCodeAt(end - 1))) end -= 1;
    this.#ends = countLineEnds(piece.slice(end));
    return undefined;
  }
}

function isBlank(code: number): boolean {
  return code === lineFeed || code === 0x0d || code === 0x20;
}
