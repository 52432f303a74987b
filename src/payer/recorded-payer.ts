import type { Payer, PayerTraits } from './payer.ts';
import { programEvidence } from './program-evidence.ts';

/** What the ledger calls a person with a results file. */
export const resultsFilePayer = 'results-file';

/**
 * A payer as the ledger names it, which is not set up here, or is a person: it is never called, but what a program left behind of its
 * calls can be read.
 */
export function recordedPayer(traits: PayerTraits, evidenceFolder: string): Payer {
  return {
    traits,
    timeoutMs: 0,
    pay: () => Promise.reject(new Error(`${traits.name} is not called here`)),
    evidence: async (key, attempt) => programEvidence(evidenceFolder, key, attempt),
    // What is left behind grows old by itself.
    forget: async () => undefined,
    lookUp: undefined,
    close: async () => undefined,
  };
}
