import { format as formatted, getFormatDateInfo, getFormatInfo, isDateFormat, isValidFormat } from 'numfmt';
import type { TypedCell } from '../../records/cell.ts';
import { columnLetters, type SheetCell } from './sheet-rows.ts';
import { BrokenWorkbook } from './zip.ts';

/** The parts of a workbook that determine the displayed text of its cells. */
interface CellContext {
  readonly sheet: string;
  readonly strings: readonly string[];
  /** The number formats by style. */
  readonly formats: readonly (string | undefined)[];
  readonly is1904: boolean;
}

/** Shows the cells of a sheet as Excel does in sufficiently wide columns. */
export class CellText {
  readonly #surroundings: CellContext;
  readonly #formats: readonly NumberFormat[];

  constructor(surroundings: CellContext) {
    const { formats, is1904 } = surroundings;
    const known = new Map<string, NumberFormat>();
    const formatOf = (pattern: string | undefined) => {
      if (pattern === undefined) return missingFormat;
      const found = known.get(pattern) ?? numberFormat(pattern, is1904);
      known.set(pattern, found);
      return found;
    };
    this.#surroundings = surroundings;
    this.#formats = formats.map(formatOf);
  }

  /** @throws BrokenWorkbook if the cell is of an unknown type, or its text or number is broken. */
  show(cell: SheetCell, row: number): ShownCell {
    const { type, value } = cell;
    if (value === undefined && type !== 'str')
      return { text: `=${cell.formula}`, typed: { kind: 'uncalculated', place: this.#place(cell, row) } };
    const kept = value ?? '';
    switch (type) {
      case 's':
        return this.#text(this.#shared(kept), cell);
      case 'str':
      case 'inlineStr':
        return this.#text(kept, cell);
      case 'b':
        return { text: kept === '0' ? 'FALSE' : 'TRUE', typed: { kind: 'boolean' } };
      case 'e':
        return { text: kept, typed: { kind: 'error', place: this.#place(cell, row) } };
      case 'd':
        return { text: kept, typed: { kind: 'date', plain: kept } };
      case 'n':
        return this.#number(kept, cell);
      default:
        throw new BrokenWorkbook(`${this.#place(cell, row)} has the unknown type '${type}'`);
    }
  }

  /** `Sheet1!B7`, as a formula would name the cell. */
  #place({ column }: SheetCell, row: number): string {
    const { sheet } = this.#surroundings;
    const name = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`;
    return `${name}!${columnLetters(column)}${row}`;
  }

  #shared(number: string): string {
    const text = this.#surroundings.strings[Number(number)];
    if (text === undefined) throw new BrokenWorkbook(`the text with number ${number} is missing`);
    return text;
  }

  #formatOf({ style }: SheetCell): NumberFormat {
    return this.#formats[style] ?? missingFormat;
  }

  #text(text: string, cell: SheetCell): ShownCell {
    return { text: this.#formatOf(cell).showText?.(text) ?? text };
  }

  #number(written: string, cell: SheetCell): ShownCell {
    if (written === '') return { text: '' };
    const value = Number(written);
    if (!Number.isFinite(value)) throw new BrokenWorkbook(`it contains '${written}' in place of a number`);
    return this.#formatOf(cell).showNumber(value);
  }
}

/** The text that Excel displays for a cell, and the cell's type if it is not text. */
interface ShownCell {
  readonly text: string;
  readonly typed?: TypedCell;
}

/** A number format of Excel: displays numbers and texts. */
interface NumberFormat {
  showNumber(value: number): ShownCell;
  /** Undefined if the format leaves text unchanged. */
  showText?(text: string): string;
}

/** The format of a pattern, independent of the computer's locale. */
function numberFormat(pattern: string, is1904: boolean): NumberFormat {
  if (isDisplayable(pattern) && isDateFormat(pattern)) return { showNumber: dateShower(pattern, is1904) };
  const format = amountFormat(pattern);
  if (!is1904) return format;
  return { ...format, showNumber: (value) => withDay(format.showNumber(value), value) };
}

/** False for names of `Object.prototype`, such as `constructor`: numfmt finds them in its cache and fails. */
function isDisplayable(pattern: string): boolean {
  return !(pattern in Object.prototype) && isValidFormat(pattern);
}

function amountFormat(pattern: string): NumberFormat {
  if (/^general$/i.test(pattern) || pattern === '@') return { showNumber: generalNumber };
  if (!isDisplayable(pattern)) return { showNumber: unformatted };
  const neutral = pattern.replace(/\[\$([^[\]-]*)-[^[\]]*\]/g, (_, symbol: string) =>
    symbol === '' ? '' : `[$${symbol}]`,
  );
  const showNumber = amountShower(neutral);
  return pattern.includes('@') && isTextShown(pattern)
    ? { showNumber, showText: (text) => formatted(pattern, text) }
    : { showNumber };
}

/** True if a format changes or hides text. Surrounding blanks do not count. */
function isTextShown(pattern: string): boolean {
  return formatted(pattern, 'x').trim() !== 'x';
}

/** Digits of a number that spreadsheets store exactly. */
const digitsMaximum = 15;

/**
 * Shows a number without a format: a whole number of at most 15 digits in full, a longer one as `1.23457E+15` (its last
 * digits are lost), any other with 15 digits.
 */
function generalNumber(value: number): ShownCell {
  if (isTooLong(value)) return { text: value.toExponential(5).toUpperCase() };
  if (Number.isInteger(value)) return { text: String(value) };
  const text = String(Number(value.toPrecision(digitsMaximum)));
  return { text, typed: { kind: 'number', plain: text, isWhole: false } };
}

function isTooLong(value: number): boolean {
  return Math.abs(value) >= 10 ** digitsMaximum;
}

function unformatted(value: number): ShownCell {
  return { ...generalNumber(value), typed: { kind: 'unformatted' } };
}

/** The format of a cell whose style or number format is missing in the workbook. */
const missingFormat: NumberFormat = { showNumber: unformatted };

function amountShower(pattern: string): NumberFormat['showNumber'] {
  const { type, maxDecimals, scale } = getFormatInfo(pattern);
  const isOneAmount = amountTypes.has(type) && !/\[[<>=]/.test(pattern);
  const decimals = isOneAmount ? maxDecimals + Math.log10(scale) : decimalsMaximum;
  return (value) => {
    const text = formatted(pattern, roundedAt(value, decimals)).trim();
    if (isTooLong(value)) return { text, typed: { kind: 'too-long' } };
    const plain = plainNumber(value, text);
    // True also if the format adds digits around all of the number's own: `2026-00123`.
    const isWhole = text.replace(/\D/g, '').includes(String(Math.abs(value)));
    return { text, typed: { kind: 'number', plain, isWhole, day: String(value) } };
  };
}

const amountTypes: ReadonlySet<string> = new Set(['number', 'grouped', 'currency', 'percent']);
const decimalsMaximum = 15;

/**
 * Rounds the decimal form of a number, as Excel does: 1.005 becomes 1.01, although its binary form is below 1.005.
 */
function roundedAt(value: number, decimals: number): number {
  const moved = Number(`${Math.abs(value)}e${decimals}`);
  const rounded = Number(`${Math.round(moved)}e${-decimals}`);
  if (!Number.isFinite(rounded) || moved > Number.MAX_SAFE_INTEGER) return value;
  return value < 0 ? -rounded : rounded;
}

/**
 * The number that `text` displays, rounded as displayed; undefined if it displays another number (a percentage, or
 * thousands as `13`) or none.
 */
function plainNumber(value: number, text: string): string | undefined {
  const decimals = /\.(\d+)\D*$/.exec(text)?.[1]?.length ?? 0;
  if (decimals > decimalsMaximum) return undefined;
  const rounded = roundedAt(value, decimals);
  const isShown = digitsOf(text) === digitsOf(Math.abs(rounded).toFixed(decimals));
  return isShown ? String(rounded) : undefined;
}

/** The digits of a number without leading zeros; none for 0, which may be displayed as a dash. */
function digitsOf(text: string): string {
  return text.replace(/\D/g, '').replace(/^0+/, '');
}

/** Days between the epochs of 1900 and 1904. */
const days1904 = 1_462;
/**
 * Largest serial number considered a day; it is in the next century. Larger numbers may be dates in digits: `20260930`.
 */
const dayNumberMaximum = 99_999;

/**
 * Adds the 1900-epoch serial number to a number of a 1904-epoch workbook, in case its column contains dates.
 */
function withDay({ text, typed }: ShownCell, value: number): ShownCell {
  const day = value + days1904;
  if (value < 1 || day > dayNumberMaximum) return typed === undefined ? { text } : { text, typed };
  const number = typed ?? { kind: 'number', plain: text, isWhole: true };
  return { text, typed: number.kind === 'number' ? { ...number, day: String(day) } : number };
}

const secondsADay = 86_400;
/** The serial number of 1970-01-01. */
const epochDay = 25_569;
/** The last day of 9999. */
const lastDay = 2_958_465;

/** Displays dates by their format. Their plain text is the local time, as precise as displayed. */
function dateShower(pattern: string, is1904: boolean): NumberFormat['showNumber'] {
  const { hours, minutes, seconds } = getFormatDateInfo(pattern);
  const timeEnd = seconds ? 'YYYY-MM-DD hh:mm:ss'.length : 'YYYY-MM-DD hh:mm'.length;
  const plainLength = hours || minutes || seconds ? timeEnd : 'YYYY-MM-DD'.length;
  const isDuration = /\[[hms]+\]/i.test(pattern);
  return (value) => {
    const day = is1904 && !isDuration ? value + days1904 : value;
    const text = formatted(pattern, day).trim();
    if (isDuration || value < 1 || day > lastDay + 1)
      return { text, typed: { kind: 'date', plain: undefined } };
    const seconds = Math.round(day * secondsADay) - epochDay * secondsADay;
    const clock = new Date(seconds * 1000).toISOString().replace('T', ' ');
    const plain = clock.slice(0, plainLength).replace(/ 00:00(?::00)?$/, '');
    return { text, typed: { kind: 'date', plain } };
  };
}
