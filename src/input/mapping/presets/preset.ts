import type { HintText } from '../../../base/hint.ts';
import type { CellConventions } from '../../cells/cell-reader.ts';
import type { RecordKindName } from '../../records/record-kinds.ts';

/*
 * The known exports of shop systems, as data. The user's flags and columns with the field's own name take precedence,
 * and if several columns may be meant, the user chooses.
 */

/** The exports of one shop system. */
export type Preset = readonly ExportShape[];

/**
 * The possible columns of a field. The first one that a file has is used; among several of one entry the user chooses.
 */
export type ColumnNames = readonly (string | readonly string[])[];

/** A kind of file that the system exports. */
export interface ExportShape {
  readonly holds: readonly RecordKindName[];
  /** Headers that together identify it. */
  readonly signature: readonly string[];
  /** The columns of fields, by the path of the field. */
  readonly columns: Readonly<Record<string, ColumnNames>>;
  /** Columns that have the name of a field but another meaning. */
  readonly misleading?: readonly string[];
  /** Values of `--map` to propose for required fields without a column. */
  readonly proposals?: Readonly<Record<string, string>>;
  readonly guide?: HeaderGuide;
  readonly groups?: RowGroups;
  readonly conventions?: CellConventions;
  /** The base URL of image paths to propose, with a placeholder for the name of the shop. */
  readonly imageBaseUrl?: string;
  /** Advice for pushing such files. */
  readonly advice?: readonly HintText[];
}

/**
 * Rows that explain the header, whose first signature column is the key. Without the labels right above the header, or
 * with a key right below it, all rows below it are records.
 */
interface HeaderGuide {
  readonly labelsAbove: readonly string[];
  readonly rowsBelow: number;
}

/**
 * Rows that continue the one above: they have the same value in the column `by` and none in the column `lead`. If only
 * `by` and `images` have values, the row is a further image, not a record.
 */
export interface RowGroups {
  readonly by: string;
  readonly lead: string;
  readonly images: readonly string[];
}

/** The columns by which rows continue the one above. */
export interface GroupColumns {
  readonly by: number;
  readonly lead: number;
  /** The columns that a row with a further image fills in, including `by`. */
  readonly ofImage: ReadonlySet<number>;
}

/** The indexes of the columns of `groups`; undefined if the header lacks one. */
export function groupColumns(
  groups: RowGroups | undefined,
  header: readonly string[],
): GroupColumns | undefined {
  if (groups === undefined) return undefined;
  const [by, lead] = [header.indexOf(groups.by), header.indexOf(groups.lead)];
  if (by === -1 || lead === -1) return undefined;
  return { by, lead, ofImage: new Set([by, ...groups.images.map((name) => header.indexOf(name))]) };
}

/** The values of `--preset`. This file loads no preset, and neither do the flags. */
export const presetNames = [
  'cafe24',
  'smartstore',
  'coupang',
  'shopify',
  'woocommerce',
  'godomall',
  'none',
] as const;

export type PresetName = Exclude<(typeof presetNames)[number], 'none'>;
