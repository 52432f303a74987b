import { Failure } from '../../base/failure.ts';
import type { FieldType } from '../records/field.ts';
import type { InputOptions } from '../records/options.ts';
import { Refusal } from '../records/refusal.ts';
import type { CellConventions, CellReader, CellValue } from './cell-reader.ts';
import { readEmail, readMemberId, readPhone } from './contact.ts';
import { offsetOf, readDateTime } from './date-time.ts';
import { isUnusual, traceFinder } from './find-trace.ts';
import { idReader, readId } from './id.ts';
import { categoriesReader, optionsReader } from './lists.ts';
import { memoize } from './memoize.ts';
import { readMoney } from './money.ts';
import { carrierReader, readTrackingNumber } from './shipment.ts';
import { readImageUrl, readText } from './text.ts';
import { readBoolean, readInteger, statusReader } from './words.ts';

type CellSettings = Pick<InputOptions, 'timeZone' | 'imageBaseUrl' | 'carriers' | 'allow'>;

/** The reader for the cells of a field. It refuses unpaired surrogates and traces of failed programs for every type. */
export function cellReader(
  type: FieldType,
  settings: CellSettings,
  conventions: CellConventions = {},
): CellReader {
  const read = readerOfType(type, settings, conventions);
  const findTrace = traceFinder(type, settings.allow);
  const reader: CellReader = (cell) => {
    const isUsual = typeof cell === 'string' && !isUnusual(cell);
    const trace = findTrace(cell, isUsual);
    if (trace !== undefined) return trace;
    const value = read(cell);
    // A list may be given as JSON with escapes.
    const mayBeTorn = !isUsual || typeof value === 'object';
    return mayBeTorn && isTorn(value) ? halfCharacter : value;
  };
  return ofFewWords.has(type) ? memoize(reader) : reader;
}

/** Types with few different values in many rows. */
const ofFewWords: ReadonlySet<FieldType> = new Set(['boolean', 'carrier', 'status']);

/**
 * Tests whether a part of a template must be refused, because within the whole value the fault would go unnoticed:
 * `nan-1` looks like an id. `cellReader` refuses the same cells.
 */
export function partRefuser(type: FieldType, { allow }: CellSettings): (cell: string) => boolean {
  const findTrace = traceFinder(type, allow);
  const isId = type === 'id' || type === 'memberId';
  return (cell) => findTrace(cell) !== undefined || (isId && readId(cell) instanceof Refusal);
}

/** Whether a value has an unpaired surrogate, which only an escape in JSON can produce; it cannot be sent. */
function isTorn(value: CellValue | undefined | Refusal): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value instanceof Refusal) return false;
  return value.some((part) => Object.values(part).some(isTorn));
}

const halfCharacter = new Refusal(
  'half-character',
  'this contains half of a character (an escape such as \\ud83d without its second half)',
  'write the whole character; a program that cuts text in the middle of an emoji leaves such halves',
);

function readerOfType(
  type: FieldType,
  { timeZone, imageBaseUrl, carriers, allow = [] }: CellSettings,
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
      return readMemberId;
    case 'phone':
      return readPhone;
    case 'email':
      return readEmail;
    case 'carrier':
      return carrierReader([...(conventions.carriers ?? []), ...(carriers ?? [])]);
    case 'trackingNumber':
      return readTrackingNumber;
    case 'money':
      return readMoney;
    case 'dateTime':
      return (cell) => readDateTime(cell, timeZone);
    case 'boolean':
      return readBoolean;
    case 'integer':
      return readInteger;
    case 'status':
      return statusReader(conventions.statuses);
    case 'categories':
      return categoriesReader(conventions, traceFinder('id', allow));
    case 'selectedOptions':
      // In options, these words are ordinary values.
      return optionsReader(conventions, traceFinder('text', [...allow, 'null-words', 'error-words']));
  }
}

/** @throws Failure('usage') for an invalid time zone or base URL. */
export function checkCellSettings({ timeZone, imageBaseUrl }: CellSettings): void {
  if (offsetOf(timeZone) !== timeZone) {
    throw new Failure('usage', `'${timeZone}' is not an offset from UTC`, 'write it as -c time-zone=+09:00');
  }
  if (imageBaseUrl === undefined) return;
  if (!/^https?:\/\//i.test(imageBaseUrl) || !URL.canParse(imageBaseUrl)) {
    const hint = 'write it as -c image-base-url=https://shop.example/images/';
    throw new Failure('usage', `'${imageBaseUrl}' is not a web address`, hint);
  }
}
