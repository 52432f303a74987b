/** A workbook that is not what the standard says; the message says in words what is wrong with it. */
export class BrokenWorkbook extends Error {
  override readonly name = 'BrokenWorkbook';
}
