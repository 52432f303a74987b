import type { Json } from '../../base/json.ts';
import type { FieldType } from '../field.ts';
import type { InputOptions } from '../place.ts';
import { readDateTime } from './date-time.ts';
import { readId } from './id.ts';
import { readCategories, readSelectedOptions } from './lists.ts';
import { readMoney } from './money.ts';
import type { Refusal } from './refusal.ts';
import { readImageUrl, readText } from './text.ts';
import { readBoolean, readInteger, readStatus } from './words.ts';

/** Turns a cell that is neither blank nor null into the document's value, or says why not. */
export type CellReader = (cell: Json) => unknown | Refusal;

export function cellReader(
  type: FieldType,
  { timeZone, imageBaseUrl }: Pick<InputOptions, 'timeZone' | 'imageBaseUrl'>,
): CellReader {
  switch (type) {
    case 'id':
      return readId;
    case 'text':
      return readText;
    case 'imageUrl':
      return (cell) => readImageUrl(cell, imageBaseUrl);
    case 'money':
      return readMoney;
    case 'dateTime':
      return (cell) => readDateTime(cell, timeZone);
    case 'boolean':
      return readBoolean;
    case 'integer':
      return readInteger;
    case 'status':
      return readStatus;
    case 'categories':
      return readCategories;
    case 'selectedOptions':
      return readSelectedOptions;
  }
}
