/** Consecutive records refused alone for one reason, after which the reason counts for all records. */
const aloneInRow = 8;

/**
 * Distinguishes a refusal of single records from a refusal of all of them, such as an account without permission or a
 * field that every record lacks. After the latter, later requests are not searched for culprits.
 */
export interface Refusals {
  /** Call when the service accepted a request. */
  accepted(): void;
  /** Call when a record was refused alone. */
  refusedAlone(reason: string): void;
  /** True if `reason` refused consecutive records, and nothing was accepted since. */
  isGeneral(reason: string): boolean;
}

export function createRefusals(): Refusals {
  let inRow = 0;
  let last: string | undefined;
  return {
    accepted: () => {
      inRow = 0;
    },
    refusedAlone: (reason) => {
      inRow = reason === last ? inRow + 1 : 1;
      last = reason;
    },
    isGeneral: (reason) => reason === last && inRow >= aloneInRow,
  };
}
