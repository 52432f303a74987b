import type { Payer, PayerCapabilities } from './payer.ts';
import { programOutcome } from './program-outcome.ts';

/** What the ledger calls a person with a results file. */
export const resultsFilePayer = 'results-file';

/**
 * A payer as the ledger names it, which is not set up here, or is a person: it is never called, but what a program left behind of its
 * calls can be read.
 */
export function recordedPayer(capabilities: PayerCapabilities, callRecordsFolder: string): Payer {
  return {
    capabilities,
    timeoutMs: 0,
    pay: () => Promise.reject(new Error(`${capabilities.name} is not called here`)),
    recoveredOutcome: async (key, attempt) => programOutcome(callRecordsFolder, key, attempt),
    // What is left behind grows old by itself.
    forget: async () => undefined,
    lookUp: undefined,
    close: async () => undefined,
  };
}
