import type { HintText } from '../../../base/hint.ts';
import type { CellConventions } from '../../cells/cell-reader.ts';
import type { RecordKindName } from '../../records/record-kinds.ts';

/*
 * The known exports of shop systems, as data. The user's flags and columns with the field's own name take precedence.
 * If several columns may be meant, the user chooses.
 */

/** The exports of one shop system. */
export type Preset = readonly ExportShape[];

/**
 * The possible columns of a field. The first entry that a file has applies. If it has several names of one entry, the
 * user chooses.
 */
export type ColumnNames = readonly (string | readonly string[])[];

/** One kind of file that a system exports. */
export interface ExportShape {
  readonly holds: readonly RecordKindName[];
  /** Headers that together identify it. */
  readonly signature: readonly string[];
  /** The columns of each field, by its path. */
  readonly columns: Readonly<Record<string, ColumnNames>>;
  /** Columns that have the name of a field but another meaning. */
  readonly misleading?: readonly string[];
  /** Values of `--map` to propose for required fields without a column. */
  readonly proposals?: Readonly<Record<string, string>>;
  readonly guide?: HeaderGuide;
  readonly groups?: RowGroups;
  readonly conventions?: CellConventions;
  /** Base URL to propose for image paths, with a placeholder for the name of the shop. */
  readonly imageBaseUrl?: string;
  /** Advice for pushing such files. */
  readonly advice?: readonly HintText[];
}

/**
 * Rows that explain the header. The first column of the signature is the key. If the row right above the header lacks
 * the labels, or the row right below it has a key, all rows below the header are records.
 */
interface HeaderGuide {
  readonly labelsAbove: readonly string[];
  readonly rowsBelow: number;
}

/**
 * Columns by which rows continue the one above: with the same value in `by` and none in `lead`. A row with values only
 * in `by` and `images` is a further image, not a record.
 */
export interface RowGroups {
  readonly by: string;
  readonly lead: string;
  readonly images: readonly string[];
}

/** The columns of `RowGroups`, as indexes into a header. */
export interface GroupColumns {
  readonly by: number;
  readonly lead: number;
  /** Columns that a row with a further image may fill, including `by`. */
  readonly ofImage: ReadonlySet<number>;
}

/** Finds the columns of `groups` in a header; undefined if it lacks `by` or `lead`. */
export function groupColumns(
  groups: RowGroups | undefined,
  header: readonly string[],
): GroupColumns | undefined {
  if (groups === undefined) return undefined;
  const [by, lead] = [header.indexOf(groups.by), header.indexOf(groups.lead)];
  if (by === -1 || lead === -1) return undefined;
  return { by, lead, ofImage: new Set([by, ...groups.images.map((name) => header.indexOf(name))]) };
}

/** The values of `--preset`. They are listed here so that the flags do not load the presets. */
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
