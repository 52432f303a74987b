import type { Json } from '../../base/json.ts';
import type { FailureTrace } from '../records/failure-traces.ts';
import type { FieldType } from '../records/field.ts';
import type { Refusal } from '../records/refusal.ts';
import {
  firstOfReplacement,
  ideographsOfUtf8,
  isCp949ReadAsLatin,
  isReplacementReadAsCp949,
  isUtf8ReadAsCp949,
  isUtf8ReadAsLatin,
} from './mojibake.ts';
import { isForeignAmount } from './money.ts';
import { traceRefusals } from './trace-refusals.ts';

/*
 * Nearly all cells have none of the characters of traces, which one regular expression finds out. Other cells are
 * scanned once for signs of traces; only those with signs are matched against the traces.
 */

/**
 * A superset of the characters with signs, and surrogates; a class with few ranges is several times faster than the
 * exact one.
 */
const unusual =
  /[\0-\u0008\u000b\u000c\u000e-\u001f&*=?\\\u007f-\u00ff\u4e00-\u9fff\ud800-\udfff\uf900-\uffff]/;

/** Whether a text has unusual characters; without them it has no traces except words, and no unpaired surrogates. */
export function isUnusual(text: string): boolean {
  return unusual.test(text);
}

const questionMark = 1;
const control = 2;
const replacement = 4;
const latin = 8;
const ideograph = 16;
const star = 32;
/** The last character is a zero. */
const zero = 64;
const short = 128;
/** The cell is short and begins like a word that programs print. */
const word = 256;
const unprintable = 512;
const escaped = 1024;
/** Every cell has this sign. */
const always = 2048;

const signsOf = new Uint16Array(0x1_0000);
sign('?', questionMark);
sign('\ufffd', replacement);
sign('*', star);
sign('&=\\', escaped);
sign('\u007f\ufffe\uffff', unprintable);
for (let code = 0; code < 0x20; code += 1) if (code < 9 || code > 13) signsOf[code] = unprintable;
sign('\v\f', unprintable);
sign(ideographsOfUtf8 + firstOfReplacement, ideograph);
// CP949 has duplicates of some ideographs, which NFC unifies.
for (let code = 0xf900; code < 0xfb00; code += 1) signsOf[code] = ideograph;
for (let code = 0x80; code < 0x100; code += 1) signsOf[code] = code < 0xa0 ? control | latin : latin;

function sign(characters: string, bit: number): void {
  for (const character of characters) signsOf[character.charCodeAt(0)] = bit;
}

const longestWord = 20;
/** The longest date to which Excel converts a code; decomposed Hangul takes three characters per syllable. */
const longestDate = 24;
/** The first characters of words that programs print, by their codes; blanks may precede them. */
const beginsWord = new Uint16Array(0x80);
for (const character of ' \t#<[(\\nNuU{$') beginsWord[character.charCodeAt(0)] = word;

function wordSignOf(text: string): number {
  return text.length > longestWord ? 0 : (beginsWord[text.charCodeAt(0)] ?? 0);
}

/** All signs of a cell; the characters of a usual cell have none. */
function signsIn(text: string, isUsual: boolean): number {
  let signs = always | wordSignOf(text) | (text.length <= longestDate ? short : 0);
  const last = text.charCodeAt(text.length - 1);
  if (last === zeroCode || last <= space) signs |= zero;
  if (isUsual) return signs;
  for (let at = 0; at < text.length; at += 1) signs |= signsOf[text.charCodeAt(at)] ?? 0;
  return signs;
}

const zeroCode = 0x30;
const space = 0x20;

interface Trace {
  /** A cell without any of these signs does not have this trace. */
  readonly signs: number;
  readonly isIn: (text: string) => boolean;
}

const month =
  '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mrz|mär|mai|okt|dez|' +
  'janv|févr|mars|avr|juin|juil|août|sept|déc|ene|abr|ago|dic)';
/** `24-Oct`, `24. Okt`, `24-oct.`; `Oct-24`, `Okt 24`; `10월 24일`, `10月24日`: no shop has such codes. */
const dateOfExcel = new RegExp(
  `^\\s*(?:\\d{1,2}(?:-|\\. ?)${month}\\.?|${month}\\.?[- ]\\d{2}|\\d{1,2}월 ?\\d{1,2}일|\\d{1,2}月\\d{1,2}日)\\s*$`,
  'i',
);

/** How programs print a cell that Excel has converted to a date. */
const midnight = /^\s*\d{4}-\d\d-\d\d[ T]00:00:00\s*$/;

const errorOfExcel =
  /^\s*#(?:N\/A|(?:REF|VALUE|DIV\/0|NUM|NULL|SPILL|CALC|FIELD|BLOCKED|UNKNOWN)!|NAME\?|GETTING_DATA)\s*$/;

/** Quickly excludes nearly all short ids. */
const mayBeDate = /^\s*(?:\d{1,2}\D|[adefjmnos]\D{2,7}\d\d\s*$)/i;

/** Lists may be written as JSON. */
const beginsLikeJson = /^\s*[[{]\s*["{]/;

/** The traces of single cells; `row-marks` and `id-lists` are found in ids, `rounded-ids` in columns. */
type CellTrace = Exclude<FailureTrace, 'row-marks' | 'id-lists' | 'rounded-ids'>;

const traces: Readonly<Record<CellTrace, Trace>> = {
  'decimal-ids': { signs: zero, isIn: (text) => /^-?\d+\.0+$/.test(text.trim()) },
  'date-ids': {
    signs: short,
    isIn: (text) => midnight.test(text) || (mayBeDate.test(text) && dateOfExcel.test(text.normalize('NFC'))),
  },
  'null-words': {
    signs: word,
    isIn: (text) => /^\s*(?:nan|nat|null|none|undefined|n\/a|<na>|<null>|\(null\)|\\n)\s*$/i.test(text),
  },
  'error-words': {
    signs: word,
    isIn: (text) =>
      errorOfExcel.test(text) || /^\s*(?:#{4,}|\[object \w+\]|\{\{.*\}\}|\$\{.*\}|<%.*%>)\s*$/.test(text),
  },
  'replacement-characters': { signs: replacement, isIn: () => true },
  'question-marks': { signs: questionMark, isIn: (text) => /\?{3}/.test(text) || isOnlyQuestions(text) },
  mojibake: {
    signs: control | latin | ideograph,
    isIn: (text) =>
      /[\u0080-\u009f]/.test(text) ||
      isUtf8ReadAsLatin(text) ||
      isCp949ReadAsLatin(text) ||
      (hasSign(text, ideograph) && (isUtf8ReadAsCp949(text) || isReplacementReadAsCp949(text))),
  },
  'masked-contacts': { signs: star, isIn: () => true },
  currencies: { signs: always, isIn: isForeignAmount },
  'control-characters': { signs: unprintable, isIn: () => true },
  escapes: {
    signs: escaped,
    isIn: (text) =>
      /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8}\d{0,2});/i.test(text) ||
      /(?:=[89A-F][\dA-F]){3}/.test(text) ||
      (/\\u[\da-f]{4}/i.test(text) && !beginsLikeJson.test(text)),
  },
  'number-limits': {
    signs: short,
    isIn: (text) => /^\s*(?:2147483647|4294967295|9223372036854775807)\s*$/.test(text),
  },
};

/** Whether a text is only question marks, at least two: `??` for a name of two syllables. */
function isOnlyQuestions(text: string): boolean {
  return /^[\s?]*$/.test(text) && text.indexOf('?') !== text.lastIndexOf('?');
}

function hasSign(text: string, bit: number): boolean {
  return (signsIn(text, false) & bit) !== 0;
}

/** Types that refuse these words anyway, but with a less helpful reason. */
const ofWords: readonly CellTrace[] = ['null-words', 'error-words'];
const ofAny: readonly CellTrace[] = [
  ...ofWords,
  'replacement-characters',
  'question-marks',
  'mojibake',
  'escapes',
];
const ofText: readonly CellTrace[] = [...ofAny, 'control-characters'];
/** Ids refuse control characters without exception. */
const ofIds: readonly CellTrace[] = ['decimal-ids', 'date-ids', ...ofAny];

const tracesOfType: Readonly<Record<FieldType, readonly CellTrace[]>> = {
  id: ofIds,
  memberId: ofIds,
  carrier: ofIds,
  trackingNumber: ofIds,
  phone: [...ofIds, 'masked-contacts', 'number-limits'],
  email: [...ofText, 'masked-contacts'],
  text: ofText,
  imageUrl: ofText,
  categories: ofIds,
  selectedOptions: ofText,
  money: [...ofWords, 'currencies'],
  dateTime: ofWords,
  boolean: ofWords,
  integer: ofWords,
  status: ofWords,
};

/** Why a cell is refused; undefined for a cell without a trace. `isUsual` says that it is known not to be unusual. */
export type FindTrace = (cell: Json, isUsual?: boolean) => Refusal | undefined;

/** Finds traces of failed programs in the cells of a field, except allowed ones. */
export function traceFinder(type: FieldType, allowed: readonly FailureTrace[] = []): FindTrace {
  const looked = tracesOfType[type].filter((name) => !allowed.includes(name));
  const all = looked.map((name) => ({ ...traces[name], refusal: traceRefusals[name] }));
  const signs = all.reduce((joined, trace) => joined | trace.signs, 0);
  const lookAt = (signs & ~word) === 0 ? wordSignOf : signsIn;
  return (cell, isUsual = false) => {
    if (typeof cell !== 'string') return undefined;
    const found = lookAt(cell, isUsual) & signs;
    if (found === 0) return undefined;
    return all.find((trace) => (trace.signs & found) !== 0 && trace.isIn(cell))?.refusal;
  };
}
