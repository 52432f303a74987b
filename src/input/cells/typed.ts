import { type Cell, type Refusal, refuse, type TypedCell } from '../records/cell.ts';
import type { FieldType } from '../records/field.ts';
import { mangledByExcel } from './id.ts';

const idTypes: ReadonlySet<FieldType> = new Set(['id', 'memberId', 'carrier', 'trackingNumber', 'phone']);
const amountTypes: ReadonlySet<FieldType> = new Set(['money', 'integer']);
/** Types whose values do not depend on the displayed text. */
const plainTypes: ReadonlySet<FieldType> = new Set(['money', 'integer', 'dateTime', 'boolean']);

/** The plain value of a typed cell for a field of this type; undefined if the displayed text applies. */
export function plainCell(type: FieldType, typed: TypedCell): string | undefined {
  if (!plainTypes.has(type) || !('plain' in typed)) return undefined;
  return type === 'dateTime' && typed.kind === 'number' ? (typed.day ?? typed.plain) : typed.plain;
}

/** Refuses a typed cell of a workbook that cannot be a value of this type; undefined if it can. */
export function refuseTyped(type: FieldType, typed: TypedCell, shown: Cell): Refusal | undefined {
  const text = typeof shown === 'string' ? shown : '';
  if (typed.kind === 'error') return errorAt(typed.place, text);
  if (typed.kind === 'uncalculated') return uncalculatedAt(typed.place);
  if (typed.kind === 'merged') return mergedAt(typed.place);
  if (idTypes.has(type)) return refuseAsId(typed, text);
  if (typed.kind === 'unformatted') return plainTypes.has(type) ? undefined : unknownFormat;
  const isDisguised = typed.kind === 'number' && typed.plain === undefined;
  return isDisguised && amountTypes.has(type) ? disguised : undefined;
}

function refuseAsId(typed: TypedCell, text: string): Refusal | undefined {
  switch (typed.kind) {
    case 'date':
      return madeADate;
    case 'boolean':
      return truth;
    case 'too-long':
      return mangledByExcel;
    case 'unformatted':
      return unknownFormat;
    case 'number':
      if (/\d,\d|%/.test(text)) return grouped;
      return typed.isWhole ? undefined : hidden;
    default:
      return undefined;
  }
}

function errorAt(place: string, text: string): Refusal {
  return refuse(
    'excel-error',
    `${place} shows the error ${text} in place of a value`,
    'correct the formula in Excel and save the workbook, or type the value itself',
  );
}

function uncalculatedAt(place: string): Refusal {
  return refuse(
    'not-calculated',
    `${place} contains a formula, and the workbook was saved without its result`,
    'open the workbook in Excel, which calculates it, and save it; or replace the formula with its value',
  );
}

function mergedAt(range: string): Refusal {
  return refuse(
    'merged-cells',
    `the merged cells ${range} cover several columns, so it is unclear to which of them the value belongs`,
    'in Excel, unmerge them and type each value into its own column',
  );
}

const typeAgain = 'format the column as Text and type the value again';
const madeADate = refuse(
  'id-made-a-date',
  'the cell contains a date: Excel converts a code such as 10-24 to one, and what was typed is lost',
  typeAgain,
);
const truth = refuse('id-not-text', 'the cell contains TRUE or FALSE, which is not text', typeAgain);
const hidden = refuse(
  'id-not-text',
  'the cell contains a number with decimals, or its format hides digits: what was typed may be lost',
  typeAgain,
);
const grouped = refuse(
  'id-not-text',
  'the cell contains a number that is shown as an amount, with thousands separators or a percent sign',
  'in Excel, give the column the format 0, or format it as Text and type the value again',
);
const disguised = refuse(
  'shown-otherwise',
  'the cell displays a different number than it contains, such as a percentage or an amount in thousands',
  'in Excel, give the column the format 0 or 0.00',
);
const unknownFormat = refuse(
  'unknown-format',
  'the number format of the cell is missing or cannot be read, so its displayed value is unknown',
  'in Excel, give the column the format 0, or format it as Text and type the value again',
);
