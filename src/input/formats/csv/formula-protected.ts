import type { Cell } from '../../records/cell.ts';

const formula = /^\s*="((?:[^"]|"")*)"\s*$/;

/**
 * What begins like a number or a date and holds nothing else, but for plain numbers of few digits: opened in Excel it loses
 * zeros or digits, or becomes a date, and is saved like that.
 */
const changedByExcel = /^(?!-?(?:0|[1-9]\d{0,10})$)[-+]?\d[\d\s.,:/-]*(?:E[-+]?\d+)?$/i;

/** A cell without the formula by which a file keeps Excel from changing text: `="007"` is `007`. */
export function withoutFormula<T extends Cell>(cell: T): T | string {
  if (typeof cell !== 'string' || !cell.includes('="')) return cell;
  return formula.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;
}

/** A cell in the form in which Excel keeps it as it is, and `withoutFormula` gives it back. */
export function keptByExcel(cell: string): string {
  return changedByExcel.test(cell) ? `="${cell}"` : cell;
}
