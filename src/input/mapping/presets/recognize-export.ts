import { Failure } from '../../../base/failure.ts';
import type { RecordKindName } from '../../records/record-kinds.ts';
import { cafe24 } from './cafe24.ts';
import { coupang } from './coupang.ts';
import { godomall } from './godomall.ts';
import type { ExportShape, Preset, PresetName } from './preset.ts';
import { shopify } from './shopify.ts';
import { smartstore } from './smartstore.ts';
import { woocommerce } from './woocommerce.ts';

const presets: Readonly<Record<PresetName, Preset>> = {
  cafe24,
  smartstore,
  coupang,
  shopify,
  woocommerce,
  godomall,
};

/** An export of one of the presets. */
interface KnownExport {
  readonly name: string;
  readonly shape: ExportShape;
}

const knownExports: readonly KnownExport[] = Object.entries(presets).flatMap(([name, shapes]) =>
  shapes.map((shape) => ({ name, shape })),
);

/** The known export that a file is. */
export interface RecognizedExport extends KnownExport {
  /** The matching headers; empty if the preset was only requested. */
  readonly signature: readonly string[];
  /** The index of the header among the rows; undefined if no row has the signature. */
  readonly row: number | undefined;
}

/**
 * Finds the export whose signature one of the first rows of a file has; the longest signature wins. `wanted` names a
 * preset to use, or `none`.
 * @throws Failure('usage') for a preset that does not exist, or has no export of this kind.
 */
export function recognizeExport(
  rows: readonly (readonly string[])[],
  kind: RecordKindName,
  wanted: string | undefined,
): RecognizedExport | undefined {
  if (wanted === 'none') return undefined;
  const candidates = knownExports.filter(
    ({ name, shape }) => (wanted === undefined || name === wanted) && shape.holds.includes(kind),
  );
  const [first] = candidates;
  if (wanted !== undefined && first === undefined) throw noSuchPreset(wanted, kind);
  const found = findSignature(rows, candidates);
  if (found !== undefined) return found;
  return wanted !== undefined && first ? { ...first, signature: [], row: undefined } : undefined;
}

/** Finds the export of another kind of record than `kind` whose signature one of the first rows has. */
export function recognizeOtherExport(
  rows: readonly (readonly string[])[],
  kind: RecordKindName,
): RecognizedExport | undefined {
  return findSignature(
    rows,
    knownExports.filter(({ shape }) => !shape.holds.includes(kind)),
  );
}

function findSignature(
  rows: readonly (readonly string[])[],
  candidates: readonly KnownExport[],
): RecognizedExport | undefined {
  for (const [row, cells] of rows.entries()) {
    const names = new Set(cells.map(signatureKey));
    const [best] = candidates
      .filter(({ shape }) => shape.signature.every((name) => names.has(signatureKey(name))))
      .toSorted((one, other) => other.shape.signature.length - one.shape.signature.length);
    if (best) return { ...best, signature: best.shape.signature, row };
  }
  return undefined;
}

/** A header in the form in which signatures are compared. It keeps parentheses, which may distinguish two exports. */
function signatureKey(header: string): string {
  return header
    .normalize('NFC')
    .replace(/[\s_]+/g, '')
    .toLowerCase();
}

function noSuchPreset(wanted: string, kind: RecordKindName): Failure {
  const ofKind = knownExports.filter(({ shape }) => shape.holds.includes(kind)).map(({ name }) => name);
  const isKnown = knownExports.some(({ name }) => name === wanted);
  return new Failure(
    'usage',
    isKnown ? `the preset ${wanted} has no export of ${kind}` : `there is no preset '${wanted}'`,
    `give one of ${[...new Set(ofKind)].join(', ')}, or none; or omit --preset`,
  );
}
