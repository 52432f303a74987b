import type { Json } from '../../base/json.ts';
import type { ProductCategory, SelectedOption } from '../records/record-kinds.ts';
import type { Refusal } from '../records/refusal.ts';
import type { StatusWords } from './words.ts';

/** What cells become. */
export type CellValue = string | number | boolean | readonly ProductCategory[] | readonly SelectedOption[];

/** Turns a cell that is neither blank nor null into the document's value, or says why not. */
export type CellReader = (cell: Json) => CellValue | Refusal;

/** How the cells of one shop system differ from those of all others. */
export interface CellConventions {
  /** Its own words and codes for the status of an item. */
  readonly statuses?: StatusWords;
  /** Whether categories are written as paths, `A > B, C`. */
  readonly hasCategoryPaths?: boolean;
  /** Its own codes of carriers, `name=code`. */
  readonly carriers?: readonly string[];
  /** The name to give to an option that is written without one. */
  readonly optionName?: string;
}
