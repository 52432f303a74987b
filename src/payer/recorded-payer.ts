import type { Payer, PayerCapabilities } from './payer.ts';
import { programOutcome } from './program-outcome.ts';

/** The payer of a results file in the ledger: a person. */
export const resultsFilePayer = 'results-file';

/**
 * A payer in the ledger that is not configured here, or is a person. It is never called, but its call records can be
 * read.
 */
export function recordedPayer(capabilities: PayerCapabilities, callRecordsFolder: string): Payer {
  return {
    capabilities,
    timeoutMs: 0,
    pay: () => Promise.reject(new Error(`${capabilities.name} is not called here`)),
    recoveredOutcome: async (payment) => programOutcome(callRecordsFolder, payment),
    // The records are removed when they are old.
    forget: async () => undefined,
    lookUp: undefined,
    close: async () => undefined,
  };
}
