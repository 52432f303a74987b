import type { CellConventions } from '../../cells/cell-reader.ts';
import type { RecordKindName } from '../../records/record-kinds.ts';

/*
 * The known exports of shop systems, as data. The user's flags and columns with the field's own name take precedence, and
 * if several columns may be meant, the user chooses.
 */

/** The exports of one shop system. */
export type Preset = readonly ExportShape[];

/** The columns a field may come from. The first one that a file has counts; of several in one place the user must choose. */
export type ColumnNames = readonly (string | readonly string[])[];

/** One kind of file that the system exports. */
export interface ExportShape {
  readonly holds: readonly RecordKindName[];
  /** Headers that together give it away. */
  readonly signature: readonly string[];
  /** The columns of fields, by the path of the field. */
  readonly columns: Readonly<Record<string, ColumnNames>>;
  /** Columns that are called like a field and are something else. */
  readonly misleading?: readonly string[];
  /** What to propose for fields that must be there and that no column gives, as `--map` takes it. */
  readonly proposals?: Readonly<Record<string, string>>;
  readonly guide?: HeaderGuide;
  readonly groups?: RowGroups;
  readonly conventions?: CellConventions;
  /** What image paths are relative to, with what the user must fill in; to be proposed. */
  readonly imageBaseUrl?: string;
  /** What whoever pushes such files should know. */
  readonly advice?: readonly string[];
}

/**
 * Rows that explain the header, the first mark of which is the key. Without the labels right above it, or with a key right
 * below it, no row below it is taken for anything but a record.
 */
export interface HeaderGuide {
  readonly labelsAbove: readonly string[];
  readonly rowsBelow: number;
}

/**
 * Rows that continue the one above: they say the same in the column `by`, and nothing in the column `lead`. With nothing
 * outside `by` and `images` either, they are a further image and no record.
 */
export interface RowGroups {
  readonly by: string;
  readonly lead: string;
  readonly images: readonly string[];
}
