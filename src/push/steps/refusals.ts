/**
 * After this many records in a row refused alone for one reason, the reason concerns all records.
 */
const aloneInRow = 8;

/**
 * Distinguishes a refusal of single records from a refusal of all of them (an account that may not create, a
 * field that every record lacks): after the second, later requests are not searched for culprits.
 */
export interface Refusals {
  /** The service took a request. */
  taken(): void;
  /** A record was refused alone. */
  refusedAlone(reason: string): void;
  /** Whether `reason` stopped one record after the other, and nothing has been taken since. */
  isGeneral(reason: string): boolean;
}

export function createRefusals(): Refusals {
  let inRow = 0;
  let last: string | undefined;
  return {
    taken: () => {
      inRow = 0;
    },
    refusedAlone: (reason) => {
      inRow = reason === last ? inRow + 1 : 1;
      last = reason;
    },
    isGeneral: (reason) => reason === last && inRow >= aloneInRow,
  };
}
