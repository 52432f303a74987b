/** A workbook that violates the standard; the message describes the fault. */
export class BrokenWorkbook extends Error {
  override readonly name = 'BrokenWorkbook';
}
