import type { FilePreview } from '../formats/preview.ts';
import type { InputFile } from '../open/input-file.ts';
import { HeaderIndex } from '../records/headers.ts';
import type { InputOptions } from '../records/options.ts';
import type { Problem } from '../records/problem.ts';
import type { RecordKindName } from '../records/record-kinds.ts';
import type { ExportShape } from './presets/preset.ts';
import { type RecognizedExport, recognizeExport, recognizeOtherExport } from './presets/recognize-export.ts';

/** A known export of another kind of record than the requested one. */
export interface OtherExport {
  readonly holds: RecordKindName;
  readonly problem: Problem;
}

/** The layout of a file: which export it is, and where its header is. */
export interface Layout {
  readonly preview: FilePreview;
  /** Whether it is a sheet of a workbook, which may have others. */
  readonly isSheet: boolean;
  readonly preset: RecognizedExport | undefined;
  readonly otherExport: OtherExport | undefined;
  /** How many rows below the header explain it and are not records. */
  readonly guideRows: number;
  /** The options to read it with, including the line of the header if a preset gives it. */
  readonly options: InputOptions;
}

/**
 * Finds the layout of a file by its first rows. Flags take precedence.
 * @throws as `recognizeExport`.
 */
export function findLayout(preview: FilePreview, kind: RecordKindName, options: InputOptions): Layout {
  const { headerRow } = options;
  const { file, rows, lines } = preview;
  const from = headerRow === undefined ? 0 : lines.findIndex((line) => line >= headerRow);
  const looked = headerRow === undefined ? rows : rows.slice(from, from + 1);
  const preset = recognizeExport(looked, kind, options.preset);
  const otherExport = preset || options.preset === 'none' ? undefined : otherExportOf(looked, kind, file);
  const found = { preview, isSheet: preview.format === 'xlsx', preset, otherExport };
  if (preset?.row === undefined) return { ...found, guideRows: 0, options };
  const row = from + preset.row;
  return {
    ...found,
    guideRows: countGuides(preset.shape, { above: rows[row - 1], header: rows[row], below: rows[row + 1] }),
    options: headerRow === undefined && row > 0 ? { ...options, headerRow: lines[row] ?? 1 } : options,
  };
}

function otherExportOf(
  rows: readonly (readonly string[])[],
  kind: RecordKindName,
  { shownAs: file }: InputFile,
): OtherExport | undefined {
  const other = recognizeOtherExport(rows, kind);
  const [holds] = other?.shape.holds ?? [];
  if (other === undefined || holds === undefined) return undefined;
  const problem = {
    file,
    code: 'other-export',
    reason: `this is a ${other.name} export of ${holds}, not of ${kind}: the header has ${other.signature.join(', ')}`,
    remedy: `push it with reviewctl ${holds} push; if it is meant to be read as ${kind}, add --preset none`,
  };
  return { holds, problem };
}

interface HeaderNeighbors {
  readonly above: readonly string[] | undefined;
  readonly header: readonly string[] | undefined;
  readonly below: readonly string[] | undefined;
}

function countGuides({ guide, signature }: ExportShape, rows: HeaderNeighbors): number {
  if (guide === undefined) return 0;
  const labels = new HeaderIndex(rows.above ?? []);
  const isGuided = guide.labelsAbove.every((label) => labels.columnsNamed(label).length > 0);
  if (!isGuided) return 0;
  const [key] = new HeaderIndex(rows.header ?? []).columnsNamed(signature[0] ?? '');
  const keyCell = rows.below?.[key ?? -1] ?? '';
  return explanation.test(keyCell.trim()) ? guide.rowsBelow : 0;
}

/**
 * Matches the key column of a row that explains how to fill in the cells, but no key: shop owners may delete that row.
 */
const explanation = /^$|\s|필수|이내|숫자|입력/;
