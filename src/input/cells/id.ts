import type { Json } from '../../base/json.ts';
import { Refusal } from '../records/refusal.ts';

const scientific = /^[+-]?\d+(?:[.,]\d+)?E[+-]\d+$/i;
const controlCharacters = /\p{Cc}/u;
/** Zero-width characters, bidi and other format controls, fillers: two ids that differ in them look the same. */
const invisibleCharacters = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** What stands where the id should be in a row of sums, or in a line that says how many rows there were. `Total` may be a code. */
const totalRow =
  /^(?:합계|총계|총합계|소계|총 *\d+ *[건개행]|(?:grand|sub) totals?:?|\(?\d+ rows?(?: affected| selected| returned)?\)?\.?)$/i;

/** Between quotes that CSV does not know as such. */
const enclosed = /^(['‘’“”„«]).*['‘’“”»]$/s;

/** Half of a character is named as what it is by whoever reads the cell. */
const readable = /[\p{L}\p{N}\p{Cs}]/u;

/** `1,234`: a program has shown the id as an amount. */
const grouped = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

/** The mark by which Excel takes digits as text; it is no part of them, and only a file that Excel did not write has it. */
const markedAsText = /^['‘’]\d+$/;

/**
 * An id, and whatever else is digits without being a number (phones, tracking numbers): text, whose zeros count. Blanks
 * around it are dropped. Refused: a JSON number (its zeros are lost), what Excel makes of a long number (`1.23457E+15`;
 * `15E02` is a code) or of any (`1,234`), control characters and those that do not show, a row of sums (`합계`), Excel's mark of
 * text (`'007`), foreign quotes (`'A1'`), and what holds neither a letter nor a digit (`-`).
 */
export function readId(cell: Json): string | Refusal {
  if (typeof cell !== 'string') return notText;
  if (isPlain(cell)) return cell;
  const id = cell.trim().normalize('NFC');
  if (id === '') return blank;
  if (controlCharacters.test(id)) return controlCharacter;
  if (invisibleCharacters.test(id)) return invisibleCharacter;
  if (totalRow.test(id)) return total;
  if (markedAsText.test(id)) return apostrophe;
  if (id.length > 1 && enclosed.test(id)) return foreignQuotes;
  if (!readable.test(id)) return unreadable;
  if (grouped.test(id)) return amount;
  return scientific.test(id) ? mangledByExcel : id;
}

/** A cell of digits whose zeros a spreadsheet may keep by a mark of its own, without that mark. */
export function withoutApostrophe(cell: Json): Json {
  return typeof cell === 'string' ? cell.replace(/^\s*['‘’`]/, '') : cell;
}

const space = 0x20;
const quoteMark = 0x27;
const plus = 0x2b;
const comma = 0x2c;
const minus = 0x2d;
const lastAscii = 0x7e;

/** Whether nothing about an id needs a closer look; nearly all ids of a file leave here. */
function isPlain(text: string): boolean {
  let before = 0;
  let isReadable = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= space || code > lastAscii || code === quoteMark || code === comma) return false;
    if ((code === plus || code === minus) && isE(before)) return false;
    isReadable ||= isAlphanumeric(code);
    before = code;
  }
  return isReadable;
}

/** Whether an ASCII character is a letter or a digit. */
function isAlphanumeric(code: number): boolean {
  const small = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (small >= 0x61 && small <= 0x7a);
}

function isE(code: number): boolean {
  return code === 0x45 || code === 0x65;
}

const notText = new Refusal(
  'id-not-text',
  'an id must be text: as a number it may have lost zeros or digits',
  'write it between quotes in the JSON',
);
const blank = new Refusal('blank-id', 'this id is blank', 'fill it in, or leave the whole cell blank');
const controlCharacter = new Refusal(
  'id-control-character',
  'an id cannot hold line breaks, tabs or control characters',
  'remove them; they often come from a quote that is closed in the wrong place',
);
const invisibleCharacter = new Refusal(
  'id-invisible-character',
  'this holds characters that do not show, such as zero-width blanks or marks of direction',
  'type it anew instead of pasting it; the message shows them as \\u{…}',
);
const total = new Refusal(
  'total-row',
  'this looks like a row of sums below the records',
  'remove the row from the file, or leave it out with --skip-invalid',
);
const foreignQuotes = new Refusal(
  'id-quoted',
  'the id stands between quotes that are no part of it: CSV knows " alone',
  'export the file again with " around its cells, or take the other quotes away',
);
const unreadable = new Refusal(
  'id-without-letters',
  'this holds neither a letter nor a digit, so it is no id but a mark for none',
  'leave the cell blank, or fill in the id',
);
const amount = new Refusal(
  'id-grouped',
  'this is what a program makes of an id that it shows as an amount: 1234 becomes 1,234',
  'export the file again with this column as text',
);
const apostrophe = new Refusal(
  'id-apostrophe',
  'the apostrophe in front of the digits is how text is marked in Excel, and no part of the id',
  'take it away; in Excel, format the column as Text instead',
);
export const mangledByExcel = new Refusal(
  'id-mangled',
  'this is what Excel makes of a long number: digits of the id are lost',
  'export the file again and import it into Excel with this column as Text, or do not open it in Excel',
);
