import type { ProblemCode } from './problem-codes.ts';

/** Why a cell is refused, and how to correct it. A value, so that parsing a cell never throws. */
export class Refusal {
  readonly code: ProblemCode;
  readonly reason: string;
  readonly remedy: string;

  constructor(code: ProblemCode, reason: string, remedy: string) {
    this.code = code;
    this.reason = reason;
    this.remedy = remedy;
  }
}
