/** Below that an id may be a date that Excel made of it: `Oct-24`. */
const longestDate = 12;

const isPlainCode = new Uint8Array(0x80);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/') {
  isPlainCode[character.charCodeAt(0)] = 1;
}

const isE = codesOf('eE');
const beginsMonth = codesOf('adefjmnosADEFJMNOS');
const isDigit = codesOf('0123456789');
const minus = 0x2d;

function codesOf(characters: string): Uint8Array {
  const codes = new Uint8Array(0x80);
  for (const character of characters) codes[character.charCodeAt(0)] = 1;
  return codes;
}

/**
 * Whether a cell is an id beyond doubt, as nearly all ids are: ASCII letters, digits and a few signs that end in a digit, and neither a
 * date nor a number of Excel. The reader of ids makes of such a cell the very same text, and no row with such a cell is a
 * header or a sum.
 */
export function isPlainId(cell: string): boolean {
  const { length } = cell;
  const first = cell.charCodeAt(0);
  if (length === 0 || isDigit[cell.charCodeAt(length - 1)] !== 1) return false;
  if (length <= longestDate && beginsMonth[first] === 1) return false;
  let before = 0;
  for (let at = 0; at < length; at += 1) {
    const code = cell.charCodeAt(at);
    if (isPlainCode[code] !== 1 || (code === minus && isE[before] === 1)) return false;
    before = code;
  }
  return true;
}
