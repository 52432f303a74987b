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
 * Every rule that the model goes by: the steps production runs, and the order of what it does between them. Nothing is
 * removed from it here.
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
  /** Whether a restored ledger opens frozen. */
  isRestoredFrozen: () => true,
  /** Whether it is unfrozen though nobody compared it with what the payer says. */
  isUnfrozenUncompared: () => false,
  /** Whether a ledger that is copied to another machine opens frozen until it is moved there. */
  isFrozenElsewhere: () => true,
  /** Whether an account has one ledger, whatever address its service is known by. */
  hasOneLedger: () => true,
  /** Whether every row of results says of itself to which payment it belongs, and one that does not keeps all from being imported. */
  isRowChecked: () => true,
  /** In which order a run takes the rewards, by number. */
  turns: (entries: readonly (LedgerEntry | undefined)[]) =>
    [...entries.keys()].sort((one, other) => byCalls(doubtOf(entries[one]), doubtOf(entries[other]))),
  /** Whether a claim counts only once the mark outside of the ledger has moved to it. */
  isFenced: () => true,
  /** What is done first about an answer. */
  firstAfter: (_answer: PayerAnswer): 'note' | 'tell' => 'note',
  /** What the service may be told of an entry; undefined for nothing yet. */
  wordOf: (entry: LedgerEntry) => (isDecided(entry) ? wordFor(entry) : undefined),
  /** What a webhook notes: what its call carried, or what the service showed when asked; undefined where that waits for no payment. */
  verified: (_carried: Observation, shown: Observation) => (shown.status === 'QUEUED' ? shown : undefined),
};

export type Protocol = Readonly<typeof protocol>;

/** What a call may have paid has its turn last, in the order of a run. */
function doubtOf(entry: LedgerEntry | undefined): Pick<LedgerEntry, 'attempt' | 'lastCallAtMs'> {
  return entry?.payment === 'unknown' ? entry : { attempt: 0, lastCallAtMs: 0 };
}

/** `CANCELLED` stands for whichever status says that a reward was not paid. */
export function wordFor({ payment }: Pick<LedgerEntry, 'payment'>): Word {
  return payment === 'paid' ? 'SUCCESS' : 'CANCELLED';
}
