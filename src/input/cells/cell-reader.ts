import type { Json } from '../../base/json.ts';
import type { Refusal } from '../records/cell.ts';
import type { ProductCategory, SelectedOption } from '../records/record-kinds.ts';
import type { StatusWords } from './words.ts';

/** The value of a cell. */
export type CellValue = string | number | boolean | readonly ProductCategory[] | readonly SelectedOption[];

/**
 * Parses a cell that is neither blank nor null into the document's value, or refuses it; undefined leaves the field
 * alone, as a blank cell does.
 */
export type CellReader = (cell: Json) => CellValue | undefined | Refusal;

/** How one shop system writes the cells of its exports. */
export interface CellConventions {
  /** Its own words and codes for the status of an item. */
  readonly statuses?: StatusWords;
  /** Whether categories are paths, as in `A > B, C`. */
  readonly hasCategoryPaths?: boolean;
  /** Its own codes of carriers, `name=code`. */
  readonly carriers?: readonly string[];
  /** The name of options that are written without one. */
  readonly optionName?: string;
}
