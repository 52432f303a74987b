import type { Json } from '../../base/json.ts';
import { type FailureTrace, failureTraces } from '../records/failure-traces.ts';
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
const unusual = /[?*\u0080-\u00ff\u4e00-\u9fff\ud800-\udfff\uf900-\uffff]/;

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
/** Every cell has this sign. */
const always = 512;

const signsOf = new Uint8Array(0x1_0000);
sign('?', questionMark);
sign('\ufffd', replacement);
sign('*', star);
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

const traces: Readonly<Record<FailureTrace, Trace>> = {
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
};

/** Whether a text is only question marks, at least two: `??` for a name of two syllables. */
function isOnlyQuestions(text: string): boolean {
  return /^[\s?]*$/.test(text) && text.indexOf('?') !== text.lastIndexOf('?');
}

function hasSign(text: string, bit: number): boolean {
  return (signsIn(text, false) & bit) !== 0;
}

const ofText: readonly FailureTrace[] = [
  'null-words',
  'error-words',
  'replacement-characters',
  'question-marks',
  'mojibake',
];
const ofIds: readonly FailureTrace[] = [...ofText, 'decimal-ids', 'date-ids'];
/** Types that refuse these words anyway, but with a less helpful reason. */
const ofWords: readonly FailureTrace[] = ['null-words', 'error-words'];

const tracesOfType: Readonly<Record<FieldType, readonly FailureTrace[]>> = {
  id: ofIds,
  memberId: ofIds,
  carrier: ofIds,
  trackingNumber: ofIds,
  phone: [...ofIds, 'masked-contacts'],
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
  const looked = failureTraces.filter((name) => tracesOfType[type].includes(name) && !allowed.includes(name));
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
