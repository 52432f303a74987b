import type { PayerAnswer } from '../../src/payer/payer.ts';
import { byCalls } from '../../src/settle/flow/settle-turns.ts';
import {
  answered,
  claim,
  mayCall,
  observe,
  recordLookup,
  recordReport,
  recover,
  resolve,
} from '../../src/settle/rules/transitions.ts';
import type { LedgerEntry, Observation } from '../../src/store/ledger/ledger.ts';
import { isDecided, type Word } from './model-state.ts';

/**
 * All rules of the model: the production steps, and the order of actions between them. The protocol here is complete.
 */
export const protocol = {
  observe,
  claim,
  answered,
  recover,
  recordLookup,
  resolve,
  tell: recordReport,
  mayCall,
  /** True if a restored ledger opens frozen. */
  isRestoredFrozen: () => true,
  /** True if it can be unfrozen without a comparison with the payer's statement. */
  isUnfrozenUncompared: () => false,
  /** True if a copy of the ledger on another machine opens frozen until the ledger is moved there. */
  isFrozenElsewhere: () => true,
  /** True if an account has one ledger, whatever the address of its service. */
  hasOneLedger: () => true,
  /** True if each row of results names its payment, and a wrong row prevents the whole import. */
  isRowChecked: () => true,
  /** The order in which a run handles rewards, by number. */
  turns: (entries: readonly (LedgerEntry | undefined)[]) =>
    [...entries.keys()].sort((one, other) => byCalls(doubtOf(entries[one]), doubtOf(entries[other]))),
  /** True if a claim counts only once the mark outside the ledger has moved to it. */
  isFenced: () => true,
  firstAfter: (_answer: PayerAnswer): 'note' | 'tell' => 'note',
  /** The word that the service may receive about an entry; undefined if none yet. */
  wordOf: (entry: LedgerEntry) => (isDecided(entry) ? wordFor(entry) : undefined),
  /** The observation that a webhook records: the call's, or the service's reply; undefined if that is not QUEUED. */
  verified: (_carried: Observation, shown: Observation) => (shown.status === 'QUEUED' ? shown : undefined),
};

export type Protocol = Readonly<typeof protocol>;

/** In a run, rewards whose calls may have paid come last. */
function doubtOf(entry: LedgerEntry | undefined): Pick<LedgerEntry, 'attempt' | 'lastCallAtMs'> {
  return entry?.payment === 'unknown' ? entry : { attempt: 0, lastCallAtMs: 0 };
}

/** `CANCELLED` stands for any status that means not paid. */
export function wordFor({ payment }: Pick<LedgerEntry, 'payment'>): Word {
  return payment === 'paid' ? 'SUCCESS' : 'CANCELLED';
}
