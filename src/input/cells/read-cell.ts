import { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import type { FieldType } from '../field.ts';
import type { InputOptions } from '../place.ts';
import type { ProductCategory, SelectedOption } from '../record-kinds.ts';
import { offsetOf, readDateTime } from './date-time.ts';
import { readId } from './id.ts';
import { readCategories, readSelectedOptions } from './lists.ts';
import { readMoney } from './money.ts';
import type { Refusal } from './refusal.ts';
import { readImageUrl, readText } from './text.ts';
import { readBoolean, readInteger, readStatus } from './words.ts';

/** What cells become. */
export type CellValue = string | number | boolean | readonly ProductCategory[] | readonly SelectedOption[];

/** Turns a cell that is neither blank nor null into the document's value, or says why not. */
export type CellReader = (cell: Json) => CellValue | Refusal;

type CellSettings = Pick<InputOptions, 'timeZone' | 'imageBaseUrl'>;

export function cellReader(type: FieldType, { timeZone, imageBaseUrl }: CellSettings): CellReader {
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
