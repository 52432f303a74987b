import { Failure } from '../../base/failure.ts';
import type { FieldType } from '../field.ts';
import type { InputOptions } from '../place.ts';
import type { CellHabits, CellReader, CellValue } from './cell-reader.ts';
import { readEmail, readMemberId, readPhone } from './contact.ts';
import { offsetOf, readDateTime } from './date-time.ts';
import { readId } from './id.ts';
import { categoriesReader, optionsReader } from './lists.ts';
import { readMoney } from './money.ts';
import { Refusal } from './refusal.ts';
import { remembering } from './remembering.ts';
import { carrierReader, readTrackingNumber } from './shipment.ts';
import { readImageUrl, readText } from './text.ts';
import { readBoolean, readInteger, statusReader } from './words.ts';

type CellSettings = Pick<InputOptions, 'timeZone' | 'imageBaseUrl' | 'carriers'>;

/** How to read the cells of a field. Whatever its type, a value holds whole characters only. */
export function cellReader(type: FieldType, settings: CellSettings, habits: CellHabits = {}): CellReader {
  const read = readerOfType(type, settings, habits);
  return (cell) => {
    const value = read(cell);
    return isTorn(value) ? halfCharacter : value;
  };
}

/** Half of a surrogate pair, which only an escape in JSON can bring; the text with it cannot be sent. */
function isTorn(value: CellValue | Refusal): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value instanceof Refusal) return false;
  return value.some((part) => Object.values(part).some(isTorn));
}

const halfCharacter = new Refusal(
  'half-character',
  'this holds half of a character (an escape such as \\ud83d without its second half)',
  'write the whole character; a program that cuts text in the middle of an emoji leaves such halves',
);

function readerOfType(
  type: FieldType,
  { timeZone, imageBaseUrl, carriers }: CellSettings,
  habits: CellHabits,
): CellReader {
  switch (type) {
    case 'id':
      return readId;
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
      return remembering(carrierReader([...(habits.carriers ?? []), ...(carriers ?? [])]));
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
      return remembering(statusReader(habits.statuses));
    case 'categories':
      return categoriesReader(habits);
    case 'selectedOptions':
      return optionsReader(habits);
  }
}

/** Throws `usage` for settings under which no cell could be read. */
export function checkCellSettings({ timeZone, imageBaseUrl }: CellSettings): void {
  if (offsetOf(timeZone) !== timeZone) {
    throw new Failure('usage', `'${timeZone}' is not an offset from UTC`, 'write it as --time-zone +09:00');
  }
  if (imageBaseUrl === undefined) return;
  if (!/^https?:\/\//i.test(imageBaseUrl) || !URL.canParse(imageBaseUrl)) {
    const hint = 'write it as --image-base-url https://shop.example/images/';
    throw new Failure('usage', `'${imageBaseUrl}' is not a web address`, hint);
  }
}
