import type { Json } from '../../base/json.ts';
import { type Refusal, refuse } from '../records/cell.ts';
import type { FieldType } from '../records/field.ts';
import type { FailureTrace } from '../records/options.ts';
import { isMojibake } from './mojibake.ts';
import { isForeignAmount } from './numbers.ts';

/**
 * A superset of the characters that traces contain. Text without any of them can only have `usualTraces`. A class of
 * few ranges is several times faster than the exact one.
 */
const unusual = /[\0-\u0008\u000b\u000c\u000e-\u001f&*=?\\\u007f-\u00ff\u4e00-\u9fff\uf900-\uffff]/;

const longestWord = 20;
/** Length of the longest date that Excel makes of a code; a syllable of decomposed Hangul has three characters. */
const longestDate = 24;

const nullWord = /^\s*(?:nan|nat|null|none|undefined|n\/a|<na>|<null>|\(null\)|\\n)\s*$/i;
const errors = 'REF|VALUE|DIV/0|NUM|NULL|SPILL|CALC|FIELD|BLOCKED|UNKNOWN';
const placeholders = String.raw`\[object \w+\]|\{\{.*\}\}|\$\{.*\}|<%.*%>`;
const errorWord = new RegExp(
  String.raw`^\s*(?:#(?:N/A|(?:${errors})!|NAME\?|GETTING_DATA|###+)|${placeholders})\s*$`,
);

const month =
  '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mrz|mär|mai|okt|dez|' +
  'janv|févr|mars|avr|juin|juil|août|sept|déc|ene|abr|ago|dic)';
/** `24-Oct`, `24. Okt`, `24-oct.`; `Oct-24`, `Okt 24`; `10월 24일`, `10月24日`. No shop uses such codes. */
const dateOfExcel = new RegExp(
  `^\\s*(?:\\d{1,2}(?:-|\\. ?)${month}\\.?|${month}\\.?[- ]\\d{2}|\\d{1,2}월 ?\\d{1,2}일|\\d{1,2}月\\d{1,2}日)\\s*$`,
  'i',
);
/** The form in which programs print a cell that Excel converted to a date. */
const midnight = /^\s*\d{4}-\d\d-\d\d[ T]00:00:00\s*$/;

/** `??` for a name of two syllables. */
const onlyQuestions = /^\s*\?[\s?]*\?\s*$/;
const htmlEscape = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8}\d{0,2});/i;
const mailEscape = /(?:=[89A-F][\dA-F]){3}/;
const jsonEscape = /\\u[\da-f]{4}/i;
/** Start of a list in JSON, in which escapes are legitimate. */
const beginsLikeJson = /^\s*[[{]\s*["{]/;

/** Traces found in single cells. `row-marks` and `id-lists` are found in parsed ids, `rounded-ids` in columns. */
type CellTrace = Exclude<FailureTrace, 'row-marks' | 'id-lists' | 'rounded-ids'>;

const isIn: Readonly<Record<CellTrace, (text: string) => boolean>> = {
  'decimal-ids': (text) => /^\s*-?\d+\.0+\s*$/.test(text),
  'date-ids': (text) =>
    text.length <= longestDate && (midnight.test(text) || dateOfExcel.test(text.normalize('NFC'))),
  'null-words': (text) => text.length <= longestWord && nullWord.test(text),
  'error-words': (text) => text.length <= longestWord && errorWord.test(text),
  'replacement-characters': (text) => text.includes('\ufffd'),
  'question-marks': (text) => text.includes('???') || onlyQuestions.test(text),
  mojibake: isMojibake,
  'masked-contacts': (text) => text.includes('*'),
  currencies: isForeignAmount,
  'control-characters': (text) => /[\0-\u0008\v\f\u000e-\u001f\u007f\ufffe\uffff]/.test(text),
  escapes: (text) =>
    htmlEscape.test(text) || mailEscape.test(text) || (jsonEscape.test(text) && !beginsLikeJson.test(text)),
  'number-limits': (text) => /^\s*(?:2147483647|4294967295|9223372036854775807)\s*$/.test(text),
};

/** Traces that text without `unusual` characters may have. */
const usualTraces: ReadonlySet<CellTrace> = new Set([
  'decimal-ids',
  'date-ids',
  'null-words',
  'error-words',
  'currencies',
  'number-limits',
]);

/** Every type refuses these; types of numbers, dates and words would do so anyway, with a less helpful reason. */
const wordTraces: readonly CellTrace[] = ['null-words', 'error-words'];
const commonTraces: readonly CellTrace[] = [
  ...wordTraces,
  'replacement-characters',
  'question-marks',
  'mojibake',
  'escapes',
];
const textTraces: readonly CellTrace[] = [...commonTraces, 'control-characters'];
/** `control-characters` is not among them: ids always refuse these. */
const idTraces: readonly CellTrace[] = ['decimal-ids', 'date-ids', ...commonTraces];

const tracesOfType: Readonly<Record<FieldType, readonly CellTrace[]>> = {
  id: idTraces,
  memberId: idTraces,
  carrier: idTraces,
  trackingNumber: idTraces,
  phone: [...idTraces, 'masked-contacts', 'number-limits'],
  email: [...textTraces, 'masked-contacts'],
  text: textTraces,
  imageUrl: textTraces,
  categories: idTraces,
  selectedOptions: textTraces,
  money: [...wordTraces, 'currencies'],
  dateTime: wordTraces,
  boolean: wordTraces,
  integer: wordTraces,
  status: wordTraces,
};

/** Returns why a cell is refused; undefined if it has no trace. */
export type FindTrace = (cell: Json) => Refusal | undefined;

/** Creates a finder of traces of failed programs, other than the allowed ones, for the cells of a type. */
export function traceFinder(type: FieldType, allowed: readonly FailureTrace[] = []): FindTrace {
  const all = tracesOfType[type].filter((name) => !allowed.includes(name));
  const usual = all.filter((name) => usualTraces.has(name));
  return (cell) => {
    if (typeof cell !== 'string') return undefined;
    for (const name of unusual.test(cell) ? all : usual) if (isIn[name](cell)) return traceRefusals[name];
    return undefined;
  };
}

const exportAgain = 'export the file again as UTF-8, without opening it in between';
/** The remedy for a column that Excel converted. */
export const importAsText =
  'export the file again and import it into Excel with this column as Text, or do not open it in Excel';

const reasons: Readonly<Record<FailureTrace, Refusal>> = {
  'decimal-ids': refuse(
    'id-decimal',
    'a program has converted this id to a number: 17850 becomes 17850.0',
    'export the file again with this column as text',
  ),
  'date-ids': refuse('id-made-a-date', 'Excel has converted a code such as 10-24 to a date', importAsText),
  'null-words': refuse(
    'null-word',
    'programs write this word for a missing value',
    'leave the cell blank; to clear alimtalkTemplateCode, name this word with the setting null-word',
  ),
  'error-words': refuse(
    'error-word',
    'a program shows this in place of a value that it could not compute',
    'in Excel, correct the formula, or widen a column that shows ####, and save again; or type the value itself',
  ),
  'replacement-characters': refuse(
    'replacement-character',
    'this contains U+FFFD, which programs write in place of characters that they cannot decode',
    exportAgain,
  ),
  'question-marks': refuse(
    'question-marks',
    'this contains question marks, which programs write in place of characters that they cannot encode',
    exportAgain,
  ),
  mojibake: refuse('mojibake', 'this text was decoded with the wrong charset and saved', exportAgain),
  'masked-contacts': refuse(
    'masked-contact',
    'this is masked, so it cannot be used to contact the person',
    'omit it from all records with --set FIELD=, or export the file with complete numbers and addresses',
  ),
  currencies: refuse(
    'foreign-currency',
    'the service stores amounts without a currency, so this one would be lost',
    'write all amounts in the currency of the shop, without a sign',
  ),
  'control-characters': refuse(
    'control-character',
    'this contains invisible control characters',
    exportAgain,
  ),
  escapes: refuse(
    'escaped-text',
    'this contains characters as HTML (&amp;), mail (=EB=A8=B8) or JSON (\\uba38) writes them',
    'export the file again with plain text in its cells',
  ),
  'number-limits': refuse(
    'number-limit',
    'this is the largest 32-bit or 64-bit number, which programs write in place of a larger one',
    'export the file again with this column as text',
  ),
  'row-marks': refuse(
    'marked-row',
    'this looks like a comment, a quoted mail, a closing line or the message of a program, not an id',
    'remove the row, or the mark before its id',
  ),
  'id-lists': refuse(
    'id-list',
    'this is a list, but this field accepts a single id',
    'map another column, or write a row for each id of the list',
  ),
  'rounded-ids': refuse(
    'rounded-ids',
    'all ids of 16 and more digits in this column end in 0: Excel has rounded them to 15 digits',
    importAsText,
  ),
};

/** The refusal of each trace, with the flag that sends the cell anyway: a product may really be called None. */
export const traceRefusals = Object.fromEntries(
  Object.entries(reasons).map(([trace, { code, reason, remedy }]) => [
    trace,
    refuse(code, reason, `${remedy}; to send it as it is, add --allow ${trace}`),
  ]),
) as typeof reasons;
