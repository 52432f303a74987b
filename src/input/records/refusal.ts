/** Why a cell is refused, and how to correct it. A value, so that parsing a cell never throws. */
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
