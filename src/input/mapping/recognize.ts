import type { HeaderShape } from '../formats/format.ts';
import { type FilePreview, previewFile } from '../formats/open-table.ts';
import type { InputFile } from '../open/input-file.ts';
import { HeaderIndex } from '../records/headers.ts';
import type { InputOptions } from '../records/options.ts';
import type { RecordKindName } from '../records/record-kinds.ts';
import type { ExportShape } from './presets/preset.ts';
import {
  type OtherExport,
  type RecognizedExport,
  recognizeExport,
  recognizeOtherExport,
} from './presets/recognize-export.ts';

/**
 * Everything that the first piece of a file reveals: format, export, and the start of its records. Each pass over the
 * file begins with it, and `inspect` shows it.
 */
export interface RecognizedFile extends FilePreview, HeaderShape {
  /** Line on which the header is expected; without `headerRow`, that of the first row that is not blank. */
  readonly headerLine: number;
  readonly preset: RecognizedExport | undefined;
  readonly otherExport: OtherExport | undefined;
}

/** A recognized file with its header. */
export interface FileHeader extends RecognizedFile {
  readonly header: readonly string[];
}

/**
 * Recognizes a file of records of `kind` by its first piece, which is read once in each pass. Without `kind`, exports
 * are not recognized. Flags take precedence.
 * @throws the failures of `previewFile` and `recognizeExport`.
 */
export async function recognize(
  file: InputFile,
  options: Partial<InputOptions>,
  kind?: RecordKindName,
): Promise<RecognizedFile> {
  const preview = await previewFile(file, options);
  const { rows } = preview;
  const given = options.headerRow;
  const from = given === undefined ? 0 : rows.findIndex(({ line }) => line >= given);
  const looked = (given === undefined ? rows : rows.slice(from, from + 1)).map(({ cells }) => cells);
  const preset = kind && recognizeExport(looked, kind, options.preset);
  const otherExport =
    kind && preset === undefined && options.preset !== 'none'
      ? recognizeOtherExport(looked, kind)
      : undefined;
  const row = preset?.row === undefined ? undefined : from + preset.row;
  const headerRow = given ?? (row === undefined || row === 0 ? undefined : rows[row]?.line);
  return {
    ...preview,
    preset,
    otherExport,
    headerRow,
    headerLine: rows.find(({ line }) => line >= (headerRow ?? 1))?.line ?? headerRow ?? 1,
    guideRows: preset === undefined || row === undefined ? 0 : countGuides(preset.shape, rows, row),
  };
}

/** Number of rows that explain the header, which is at index `row`. */
function countGuides({ guide, signature }: ExportShape, rows: FilePreview['rows'], row: number): number {
  if (guide === undefined) return 0;
  const labels = new HeaderIndex(rows[row - 1]?.cells ?? []);
  const isGuided = guide.labelsAbove.every((label) => labels.columnsNamed(label).length > 0);
  const [key = -1] = new HeaderIndex(rows[row]?.cells ?? []).columnsNamed(signature[0] ?? '');
  const keyCell = rows[row + 1]?.cells[key] ?? '';
  return isGuided && explanation.test(keyCell.trim()) ? guide.rowsBelow : 0;
}

/**
 * Matches the key column of a row that explains how to fill in the cells, but never a key: shop owners may delete the
 * explanation.
 */
const explanation = /^$|\s|필수|이내|숫자|입력/;
