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

/** Every rule that the model goes by: the steps production runs, and the order of what it does between them. */
export interface Protocol {
  readonly observe: typeof observe;
  readonly claim: typeof claim;
  readonly answered: typeof answered;
  readonly recover: typeof recover;
  readonly recordLookup: typeof recordLookup;
  readonly resolve: typeof resolve;
  readonly tell: typeof recordReport;
  readonly mayCall: typeof mayCall;
  /** Whether a restored ledger opens frozen. */
  isRestoredFrozen(): boolean;
  /** Whether it is unfrozen though nobody compared it with what the payer says. */
  isUnfrozenUncompared(): boolean;
  /** Whether a ledger that is copied to another machine opens frozen until it is moved there. */
  isFrozenElsewhere(): boolean;
  /** Whether an account has one ledger, whatever address its service is known by. */
  hasOneLedger(): boolean;
  /** Whether every row of results says of itself to which payment it belongs, and one that does not keeps all from being imported. */
  isRowChecked(): boolean;
  /** In which order a run takes the rewards, by number. */
  turns(entries: readonly (LedgerEntry | undefined)[]): readonly number[];
  /** Whether a claim counts only once the mark outside of the ledger has moved to it. */
  isFenced(): boolean;
  /** What is done first about an answer. */
  firstAfter(answer: PayerAnswer): 'note' | 'tell';
  /** What the service may be told of an entry; undefined for nothing yet. */
  wordOf(entry: LedgerEntry): Word | undefined;
  /** What a webhook notes: what its call carried, or what the service showed when asked; undefined where that waits for no payment. */
  verified(carried: Observation, shown: Observation): Observation | undefined;
}

/** Nothing removed. */
export const protocol: Protocol = {
  observe,
  claim,
  answered,
  recover,
  recordLookup,
  resolve,
  tell: recordReport,
  mayCall,
  isRestoredFrozen: () => true,
  isUnfrozenUncompared: () => false,
  isFrozenElsewhere: () => true,
  hasOneLedger: () => true,
  isRowChecked: () => true,
  turns: (entries) =>
    [...entries.keys()].sort((one, other) => byCalls(doubtOf(entries[one]), doubtOf(entries[other]))),
  isFenced: () => true,
  firstAfter: () => 'note',
  wordOf: (entry) => (isDecided(entry) ? wordFor(entry) : undefined),
  verified: (_, shown) => (shown.status === 'QUEUED' ? shown : undefined),
};

/** What a call may have paid has its turn last, in the order of a run. */
function doubtOf(entry: LedgerEntry | undefined): Pick<LedgerEntry, 'attempt' | 'lastCallAtMs'> {
  return entry?.payment === 'unknown' ? entry : { attempt: 0, lastCallAtMs: 0 };
}

/** `CANCELLED` stands for whichever status says that a reward was not paid. */
export function wordFor({ payment }: Pick<LedgerEntry, 'payment'>): Word {
  return payment === 'paid' ? 'SUCCESS' : 'CANCELLED';
}
