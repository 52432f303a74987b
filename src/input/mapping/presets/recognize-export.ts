import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { Fault } from '../../records/problem.ts';
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

/** The export recognized in a file. */
export interface RecognizedExport extends KnownExport {
  /** Index of the header among the rows; undefined if no row has the signature of the requested preset. */
  readonly row: number | undefined;
}

/**
 * Finds the export whose signature is in one of the first rows of a file; the longest signature wins. `wanted` names a
 * preset to use, or `none`.
 * @throws Failure('usage') if the preset does not exist, or has no export of this kind.
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
  return wanted !== undefined && first ? { ...first, row: undefined } : undefined;
}

/** A known export of a kind of record other than the requested one. */
export interface OtherExport {
  readonly holds: RecordKindName;
  readonly problem: Fault;
}

/** Finds an export of a kind of record other than `kind` whose signature is in one of the first rows. */
export function recognizeOtherExport(
  rows: readonly (readonly string[])[],
  kind: RecordKindName,
): OtherExport | undefined {
  const others = knownExports.filter(({ shape }) => !shape.holds.includes(kind));
  const { name, shape } = findSignature(rows, others) ?? {};
  const [holds] = shape?.holds ?? [];
  if (shape === undefined || holds === undefined) return undefined;
  const signature = shape.signature.join(', ');
  const reason = `this is a ${name} export of ${holds}, not of ${kind}: the header has ${signature}`;
  const remedy = hint`push it with ${reviewctl`${holds} push`}; if it is meant to be read as ${kind}, add
    --preset none`;
  return { holds, problem: { code: 'other-export', reason, remedy } };
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
    if (best) return { ...best, row };
  }
  return undefined;
}

/** Normalizes a header to compare signatures. Keeps parentheses, which may distinguish two exports. */
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
