/** Why a cell is not taken, and what to do about it. A value, so that reading a cell never throws. */
export class Refusal {
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;

  constructor(code: string, reason: string, remedy: string) {
    this.code = code;
    this.reason = reason;
    this.remedy = remedy;
  }
}
