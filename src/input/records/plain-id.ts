/** An id that is no longer than this may be a date that Excel made of it: `Oct-24`. */
export const longestDate = 12;

const idCodes = codesOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/');
const monthCodes = codesOf('adefjmnosADEFJMNOS');
const minus = 0x2d;
const smallE = 0x65;

function codesOf(characters: string): Uint8Array {
  const codes = new Uint8Array(0x80);
  for (const character of characters) codes[character.charCodeAt(0)] = 1;
  return codes;
}

/** Whether a character may stand in a plain id behind the one `before` it: of `1E-5` nobody knows what it was. */
export function isIdCode(code: number, before: number): boolean {
  return idCodes[code] === 1 && !(code === minus && (before | 0x20) === smallE);
}

/** Whether the name of a month may begin with this character. */
export function beginsLikeMonth(code: number): boolean {
  return monthCodes[code] === 1;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/**
 * Whether a cell is an id beyond doubt, as nearly all ids are: ASCII letters, digits and a few signs that end in a digit, and neither a
 * date nor a number of Excel. The reader of ids makes of such a cell the very same text, and no row with such a cell is a
 * header or a sum.
 */
export function isPlainId(cell: string): boolean {
  const { length } = cell;
  if (length === 0 || !isDigit(cell.charCodeAt(length - 1))) return false;
  if (length <= longestDate && beginsLikeMonth(cell.charCodeAt(0))) return false;
  let before = 0;
  for (let at = 0; at < length; at += 1) {
    const code = cell.charCodeAt(at);
    if (!isIdCode(code, before)) return false;
    before = code;
  }
  return true;
}
