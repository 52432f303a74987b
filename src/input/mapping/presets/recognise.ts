import { Failure } from '../../../base/failure.ts';
import type { RecordKindName } from '../../records/record-kinds.ts';
import { cafe24 } from './cafe24.ts';
import { coupang } from './coupang.ts';
import { godomall } from './godomall.ts';
import type { ExportShape, Preset } from './preset.ts';
import { shopify } from './shopify.ts';
import { smartstore } from './smartstore.ts';
import { woocommerce } from './woocommerce.ts';

const presets: readonly Preset[] = [cafe24, smartstore, coupang, shopify, woocommerce, godomall];

/** The preset a file is read with. */
export interface Recognised {
  readonly name: string;
  readonly shape: ExportShape;
  /** The headers that gave it away; none where the preset was only asked for. */
  readonly marks: readonly string[];
  /** Which of the rows is the header; undefined where none has the marks. */
  readonly row: number | undefined;
}

/**
 * Finds the export that one of the first rows of a file is the header of, by its marks; of several the one with the most.
 * `wanted` names the preset it must be, or `none`. Throws `usage` for a preset there is none of, or none for this kind.
 */
export function recognise(
  rows: readonly (readonly string[])[],
  kind: RecordKindName,
  wanted: string | undefined,
): Recognised | undefined {
  if (wanted === 'none') return undefined;
  const chosen = presets.filter(({ name }) => wanted === undefined || name === wanted);
  const candidates = shapesOf(chosen).filter(({ shape }) => shape.holds.includes(kind));
  const [first] = candidates;
  if (wanted !== undefined && first === undefined) throw noSuchPreset(wanted, kind);
  const found = findMarks(rows, candidates);
  if (found !== undefined) return found;
  return wanted !== undefined && first ? { ...first, marks: [], row: undefined } : undefined;
}

/** Finds the export that the first rows of a file show it to be, when it holds anything but `kind`. */
export function recogniseOther(
  rows: readonly (readonly string[])[],
  kind: RecordKindName,
): Recognised | undefined {
  return findMarks(
    rows,
    shapesOf(presets).filter(({ shape }) => !shape.holds.includes(kind)),
  );
}

interface Candidate {
  readonly name: string;
  readonly shape: ExportShape;
}

function shapesOf(chosen: readonly Preset[]): readonly Candidate[] {
  return chosen.flatMap(({ name, exports }) => exports.map((shape) => ({ name, shape })));
}

function findMarks(
  rows: readonly (readonly string[])[],
  candidates: readonly Candidate[],
): Recognised | undefined {
  for (const [row, cells] of rows.entries()) {
    const names = new Set(cells.map(markOf));
    const [best] = candidates
      .filter(({ shape }) => shape.marks.every((mark) => names.has(markOf(mark))))
      .toSorted((one, other) => other.shape.marks.length - one.shape.marks.length);
    if (best) return { ...best, marks: best.shape.marks, row };
  }
  return undefined;
}

/** A header as marks are compared: with its parenthesis, which may be all that tells two exports apart. */
function markOf(header: string): string {
  return header
    .normalize('NFC')
    .replace(/[\s_]+/g, '')
    .toLowerCase();
}

function noSuchPreset(wanted: string, kind: RecordKindName): Failure {
  const ofKind = presets
    .filter(({ exports }) => exports.some(({ holds }) => holds.includes(kind)))
    .map(({ name }) => name);
  const isKnown = presets.some(({ name }) => name === wanted);
  return new Failure(
    'usage',
    isKnown ? `the preset ${wanted} knows no file of ${kind}` : `there is no preset '${wanted}'`,
    `give one of ${ofKind.join(', ')}, or none; or leave --preset out`,
  );
}
