import type { Json } from '../../base/json.ts';
import { isPlainId, type Refusal, refuse } from '../records/cell.ts';
import type { FailureTrace } from '../records/options.ts';
import { importAsText, traceRefusals } from './traces.ts';

const scientific = /^[+-]?\d+(?:[.,]\d+)?E[+-]\d+$/i;
const controlCharacters = /\p{Cc}/u;
/** Zero-width characters, bidi and other format controls, fillers: ids that differ only in these look the same. */
const invisibleCharacters = /[\ufffe\uffff\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Id column of a row of totals or of a row count. `Total` alone may be a code, so it is not matched. */
const totalRow =
  /^(?:합계|총계|총합계|소계|총 *\d+ *[건개행]|(?:grand|sub) totals?:?|\(?\d+ rows?(?: affected| selected| returned)?\)?\.?)$/i;

/** Text in quotes that have no meaning in CSV. */
const enclosed = /^(['‘’“”„«]).*['‘’“”»]$/s;

/** Includes lone surrogates, which the caller refuses with a better reason. */
const readable = /[\p{L}\p{N}\p{Cs}]/u;

/** `1,234`: an id that a program formatted as an amount. */
const grouped = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

/** Digits with the apostrophe that marks text in Excel. Excel itself does not write it to files. */
const markedAsText = /^['‘’]\d+$/;

/**
 * Parses an id, or digits in which zeros are significant (phones, tracking numbers). Trims surrounding blanks. Refuses
 * JSON numbers (leading zeros are lost), numbers as Excel formats them (`1,234`, `1.23457E+15`; but `15E02` is a code),
 * control and invisible characters, totals (`합계`), Excel's text marker (`'007`), foreign quotes (`'A1'`), and text
 * without a letter or digit (`-`).
 */
export function readId(cell: Json): string | Refusal {
  if (typeof cell !== 'string') return notText;
  if (isPlainId(cell)) return cell;
  const id = cell.trim().normalize('NFC');
  if (id === '') return blank;
  if (controlCharacters.test(id)) return controlCharacter;
  if (invisibleCharacters.test(id)) return invisibleCharacter;
  if (totalRow.test(id)) return rowOfTotals;
  if (markedAsText.test(id)) return apostrophe;
  if (enclosed.test(id)) return foreignQuotes;
  if (!readable.test(id)) return unreadable;
  if (grouped.test(id)) return amount;
  return scientific.test(id) ? mangledByExcel : id;
}

/** Start of a comment, a quoted mail or a closing line. */
const rowMark = /^(?:#|>|\/\/|--)\s/;
const programMessage =
  /^(?:php )?(?:(?:fatal|parse|uncaught) )?(?:error|warning|notice|exception)\b[^:]*: |^\d+ rows in set\b/i;

/** Traces of failed programs in otherwise valid ids. */
const idTraces = [
  { trace: 'row-marks', isIn: (id: string) => rowMark.test(id) || programMessage.test(id) },
  { trace: 'id-lists', isIn: isList },
] as const;

/** Like `readId`, but also refuses the traces of `idTraces` that are not allowed. */
export function idReader(allowed: readonly FailureTrace[] = []): (cell: Json) => string | Refusal {
  const traces = idTraces.filter(({ trace }) => !allowed.includes(trace));
  return (cell) => {
    const id = readId(cell);
    const found = typeof id === 'string' ? traces.find(({ isIn }) => isIn(id)) : undefined;
    return found === undefined ? id : traceRefusals[found.trace];
  };
}

/** True for `A-RED,A-BLUE`, but not for `Tops > Knit, Sale` (a category) or `A-7,5` (a size). */
function isList(id: string): boolean {
  if (!/[,;]/.test(id)) return false;
  const parts = id.split(/[,;]/);
  const isTight = parts.every((part, at) => at === 0 || /^\S/.test(part));
  if (parts.length === 2 && parts.some((part) => part.trim().length < 2)) return false;
  return parts.every((part) => (isTight ? part !== '' : /^\S+$/.test(part.trim())));
}

/** Removes the leading apostrophe with which spreadsheets mark digits as text. */
export function withoutApostrophe(cell: Json): Json {
  return typeof cell === 'string' ? cell.replace(/^\s*['‘’`]/, '') : cell;
}

const notText = refuse(
  'id-not-text',
  'an id must be text: as a number it may have lost zeros or digits',
  'write it between quotes in the JSON',
);
const blank = refuse('blank-id', 'this id is blank', 'fill it in, or leave the whole cell blank');
const controlCharacter = refuse(
  'id-control-character',
  'an id cannot contain line breaks, tabs or control characters',
  'remove them; they often come from a quote that is closed in the wrong place',
);
const invisibleCharacter = refuse(
  'id-invisible-character',
  'this contains invisible characters, such as zero-width spaces or direction marks',
  'type it again instead of pasting it; the message shows them as \\u{…}',
);
export const rowOfTotals = refuse(
  'total-row',
  'this looks like a row of totals below the records',
  'remove the row from the file, or skip it with --rejects FILE',
);
const foreignQuotes = refuse(
  'id-quoted',
  'the id is in quotes that are not part of it: CSV uses only "',
  'export the file again with " around its cells, or remove the other quotes',
);
const unreadable = refuse(
  'id-without-letters',
  'this contains neither a letter nor a digit, so it is not an id but a placeholder',
  'leave the cell blank, or fill in the id',
);
const amount = refuse(
  'id-grouped',
  'a program has formatted this id as an amount: 1234 becomes 1,234',
  'export the file again with this column as text',
);
const apostrophe = refuse(
  'id-apostrophe',
  'the apostrophe before the digits marks text in Excel and is not part of the id',
  'remove it; in Excel, format the column as Text instead',
);
export const mangledByExcel = refuse(
  'id-mangled',
  'Excel has converted this id to a number in scientific notation: digits are lost',
  importAsText,
);
