import { type Cell, isFilled, isPlainId, isRefusal, type Refusal, refuse } from '../records/cell.ts';
import type { Field, FieldType } from '../records/field.ts';
import type { InputOptions } from '../records/options.ts';
import type { CellConventions, CellReader, CellValue } from './cell-reader.ts';
import { readDateTime } from './date-time.ts';
import { idReader, readId } from './id.ts';
import { categoriesReader, optionsReader } from './lists.ts';
import { readInteger, readMoney } from './numbers.ts';
import { carrierReader, readTrackingNumber } from './shipment.ts';
import { memberIdReader, readEmail, readImageUrl, readPhone, readText } from './text.ts';
import { traceFinder } from './traces.ts';
import { readBoolean, statusReader } from './words.ts';

/** The value that a cell gives to its field, or why it is refused. Undefined leaves the field unset. */
export type FieldValue = CellValue | null | undefined | Refusal;

/**
 * Creates the reader for the cells of a field. A blank cell leaves the field unset. Unpaired surrogates and traces of
 * failed programs are refused for every type.
 */
export function fieldReader(
  { type, isNullable }: Omit<Field, 'path'>,
  settings: InputOptions,
  conventions: CellConventions = {},
): (cell: Cell) => FieldValue {
  const { nullWord } = settings;
  const read = readerOfType(type, settings, conventions);
  const findTrace = traceFinder(type, settings.allow);
  const isId = type === 'id' || type === 'memberId';
  const reader = (cell: Cell): FieldValue => {
    if (cell === null) return isNullable ? null : undefined;
    if (!isFilled(cell)) return undefined;
    if (typeof cell === 'string') {
      if (nullWord !== undefined && cell.trim() === nullWord) return isNullable ? null : notNullable;
      if (isId && isPlainId(cell)) return cell;
    }
    const trace = findTrace(cell);
    if (trace !== undefined) return trace;
    const value = read(cell);
    return hasLoneSurrogate(value) ? loneSurrogate : value;
  };
  return repetitiveTypes.has(type) ? memoize(reader) : reader;
}

/** Types whose cells repeat a few values over many rows. */
const repetitiveTypes = new Set<FieldType>(['boolean', 'carrier', 'status', 'categories', 'selectedOptions']);
const keptMaximum = 500;
const longestKept = 100;

/** Caches the results of the first `keptMaximum` short texts. */
function memoize<T>(read: (cell: Cell) => T): (cell: Cell) => T {
  const known = new Map<Cell, T>();
  return (cell) => {
    const before = known.get(cell);
    if (before !== undefined) return before;
    const value = read(cell);
    const isShort = typeof cell === 'string' && cell.length <= longestKept;
    if (isShort && known.size < keptMaximum) known.set(cell, value);
    return value;
  };
}

/**
 * Creates a test for the parts of a template. It is true for a part that must be refused, because its fault would go
 * unnoticed in the whole value: `nan-1` looks like an id. `fieldReader` refuses the same cells.
 */
export function partRefuser(type: FieldType, { allow }: InputOptions): (cell: string) => boolean {
  const findTrace = traceFinder(type, allow);
  const isId = type === 'id' || type === 'memberId';
  return (cell) => findTrace(cell) !== undefined || (isId && isRefusal(readId(cell)));
}

/** True if a value contains an unpaired surrogate, which cannot be sent. Only a JSON escape can produce one. */
function hasLoneSurrogate(value: FieldValue): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null || isRefusal(value)) return false;
  return value.some((part) => Object.values(part).some(hasLoneSurrogate));
}

const loneSurrogate = refuse(
  'half-character',
  'this contains half of a character (an escape such as \\ud83d without its second half)',
  'write the whole character; a program that cuts text in the middle of an emoji leaves such halves',
);

const notNullable = refuse(
  'not-nullable',
  'this field cannot be sent as null',
  'leave the cell blank to keep the field unchanged',
);

function readerOfType(
  type: FieldType,
  { timeZone, imageBaseUrl, carriers, allow = [], decimal, dateOrder, openStatus }: InputOptions,
  conventions: CellConventions,
): CellReader {
  switch (type) {
    case 'id':
      return idReader(allow);
    case 'text':
      return readText;
    case 'imageUrl':
      return (cell) => readImageUrl(cell, imageBaseUrl);
    case 'memberId':
      return memberIdReader(idReader(allow));
    case 'phone':
      return readPhone;
    case 'email':
      return readEmail;
    case 'carrier':
      return carrierReader([...(conventions.carriers ?? []), ...(carriers ?? [])]);
    case 'trackingNumber':
      return readTrackingNumber;
    case 'money':
      return (cell) => readMoney(cell, decimal);
    case 'dateTime':
      return (cell) => readDateTime(cell, timeZone, dateOrder);
    case 'boolean':
      return readBoolean;
    case 'integer':
      return readInteger;
    case 'status':
      return statusReader(conventions.statuses, openStatus);
    case 'categories':
      return categoriesReader(conventions, traceFinder('id', allow));
    case 'selectedOptions':
      // Null and error words are ordinary values of options.
      return optionsReader(conventions, traceFinder('text', [...allow, 'null-words', 'error-words']));
  }
}
