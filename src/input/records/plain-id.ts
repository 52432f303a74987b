/** A text up to this length may be a date to which Excel has converted an id: `Oct-24`. */
const longestDate = 12;

const idCodes = codesOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/');
const monthCodes = codesOf('adefjmnosADEFJMNOS');
const minus = 0x2d;
const smallE = 0x65;

function codesOf(characters: string): Uint8Array {
  const codes = new Uint8Array(0x80);
  for (const character of characters) codes[character.charCodeAt(0)] = 1;
  return codes;
}

/** Whether a character may follow `before` in a plain id; `1E-5` may be a number that Excel has converted. */
function isIdCode(code: number, before: number): boolean {
  return idCodes[code] === 1 && !(code === minus && (before | 0x20) === smallE);
}

/** Whether the name of a month can begin with this character. */
function beginsLikeMonth(code: number): boolean {
  return monthCodes[code] === 1;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/**
 * Whether a cell is certainly an id, as nearly all ids are: ASCII letters, digits and a few signs, with a digit at the
 * end, and neither a date nor a number as Excel writes them. `readId` returns such a cell unchanged, and a row with
 * such a cell is neither a header nor a total.
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
