import { Refusal } from './refusal.ts';

const errorWord = /^(?:#(?:N\/A|REF!|NAME\?|VALUE!|DIV\/0!|NUM!|NULL!)|#{4,})$/;

/** Whether this is what Excel shows where a formula failed, or where a column is too narrow for its values. */
export function isExcelError(text: string): boolean {
  return text.startsWith('#') && errorWord.test(text);
}

export const excelError = new Refusal(
  'excel-error',
  'this is an error that Excel shows in place of a value',
  'in Excel, mend the formula, or widen a column that shows ####, and save again; or type the value itself',
);
