import { isJsonObject, type Json } from '../../base/json.ts';
import { textOf } from './fields.ts';
import { amount, date, note, number, optional, text, type View, word } from './view.ts';

/** The outcome of a reward in a settlement, or of a dry run. */
export const rewardOutcomeView: View = {
  noun: 'reward',
  id: 'rewardId',
  csvColumns: ['rewardId', 'amount', 'memberOriginId', 'outcome', 'report', 'key', 'ref', 'reason'],
  columns: [
    word('reward', 'rewardId'),
    amount('amount'),
    note('member', 'memberOriginId'),
    word('outcome'),
    word('report', 'report', optional),
    word('ref', 'ref', optional),
    note('reason'),
  ],
};

/** A new ledger. */
export const newLedgerView: View = {
  noun: 'ledger',
  id: 'ledger',
  csvColumns: ['ledger', 'shop', 'origin', 'queued.count', 'queued.amount', 'imported.count'],
  columns: [
    word('ledger'),
    word('shop'),
    amount('queued', 'queued.count'),
    amount('amount', 'queued.amount', optional),
    amount('imported', 'imported.count', optional),
  ],
};

/** A reward in the ledger. */
export const entryView: View = {
  noun: 'reward',
  id: 'rewardId',
  csvColumns: [
    'rewardId',
    'payment',
    'report',
    'amount',
    'memberOriginId',
    'key',
    'attempt',
    'keyGeneration',
    'payer',
    'firstCallAt',
    'lastCallAt',
    'isInDoubt',
    'owner',
    'isOwnerAlive',
    'payerPid',
    'payerSeconds',
    'seenStatus',
    'seenAt',
    'ref',
    'reason',
  ],
  columns: [
    word('reward', 'rewardId'),
    word('payment'),
    amount('amount'),
    word('member', 'memberOriginId', optional),
    word('report', 'report', optional),
    date('last call', 'lastCallAt', optional),
    note('reason'),
    word('key', 'key', optional),
    word('ref', 'ref', optional),
    word('owner', 'owner', optional),
  ],
};

/** Rewards whose payment is unknown: the facts to look up at the payer come first. */
export const unknownEntryView: View = {
  ...entryView,
  columns: [
    word('reward', 'rewardId'),
    word('key'),
    amount('amount'),
    word('member', 'memberOriginId', optional),
    date('last call', 'lastCallAt', optional),
    number('pid', 'payerPid', optional),
    number('runs for (s)', 'payerSeconds', optional),
    text('payer', 'payer', { width: 12, isOptional: true }),
    note('reason'),
  ],
};

/** A booking of `ledger export`. */
export const bookingView: View = {
  noun: 'booking',
  id: 'seq',
  csvColumns: ['seq', 'date', 'time', 'rewardId', 'booking', 'debit', 'credit', 'amount', 'key', 'ref'],
  columns: [],
};

/** One event in the history of a reward. */
export const eventView: View = {
  noun: 'event',
  id: 'seq',
  csvColumns: ['seq', 'at', 'kind', 'payment', 'report', 'attempt', 'by', 'detail'],
  columns: [
    number('event', 'seq'),
    word('what', 'kind'),
    word('payment'),
    word('report', 'report', optional),
    date('at', 'at', optional),
    word('by', 'by', optional),
    note('detail', 'detail', { inWords: fieldsInWords }),
  ],
};

/** `status QUEUED, amount 500`. */
function fieldsInWords(detail: Json | undefined): string {
  if (!isJsonObject(detail)) return textOf(detail);
  return Object.entries(detail)
    .map(([name, value]) => `${name} ${textOf(value)}`)
    .join(', ');
}

/** The result of `ledger resolve`. */
export const resolvedView: View = {
  noun: 'reward',
  id: 'rewardId',
  csvColumns: ['rewardId', 'resolution', 'payment', 'report', 'key', 'next'],
  columns: [word('reward', 'rewardId'), word('resolution'), word('payment'), word('report'), note('next')],
};

/** The status of a ledger. */
export const ledgerStatusView: View = {
  noun: 'ledger',
  id: 'ledger',
  csvColumns: [
    'ledger',
    'shop',
    'origin',
    'createdAt',
    'frozen',
    'restoration.at',
    'restoration.acceptedAt',
    'restoration.comparedAt',
    'restoration.lostEvents',
    'standing',
    'states',
    'reversed.count',
    'reversed.amount',
    'oldestUnknown.rewardId',
    'oldestUnknown.since',
    'oldestUnknown.ageSeconds',
    'oldestUnknown.lastCallAt',
    'unpaidNotQueued.count',
    'unpaidNotQueued.amount',
    'unpaidNotQueued.rewardIds',
    'batches',
    'today.day',
    'today.spent.count',
    'today.spent.amount',
    'today.reserved.count',
    'today.reserved.amount',
    'today.cap',
    'events',
  ],
  columns: [],
};

/** A defect of the ledger itself. */
export const ledgerProblemView: View = {
  noun: 'problem',
  id: 'problem',
  csvColumns: ['problem'],
  columns: [note('problem')],
};

/** A difference between ledger, service and payer about a reward. */
export const differenceView: View = {
  noun: 'difference',
  id: 'rewardId',
  csvColumns: [
    'kind',
    'rewardId',
    'payment',
    'report',
    'status',
    'ledgerAmount',
    'otherAmount',
    'key',
    'line',
    'message',
    'next',
  ],
  columns: [word('difference', 'kind'), word('reward', 'rewardId'), note('what', 'message'), note('next')],
};
