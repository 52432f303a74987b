import type { Json } from '../../base/json.ts';
import type { Refusal } from '../records/cell.ts';
import type { ProductCategory, SelectedOption } from '../records/record-kinds.ts';
import type { StatusWords } from './words.ts';

/** A parsed cell: the value of its field. */
export type CellValue = string | number | boolean | readonly ProductCategory[] | readonly SelectedOption[];

/**
 * Parses a cell that is neither blank nor null into the API's value, or refuses it. Undefined leaves the field unset,
 * as a blank cell does. Null states that the order has no value; another row of the order that has one contradicts it.
 */
export type CellReader = (cell: Json) => CellValue | null | undefined | Refusal;

/** The notation of cells in the exports of one shop system. */
export interface CellConventions {
  /** The system's own words and codes for the status of an item. */
  readonly statuses?: StatusWords;
  /** True if categories are paths, as in `A > B, C`. */
  readonly hasCategoryPaths?: boolean;
  /** The system's own codes of carriers, as `name=code`. */
  readonly carriers?: readonly string[];
  /** Name given to an option that is written without one. */
  readonly optionName?: string;
}
