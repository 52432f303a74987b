import { isJsonObject, type Json } from '../../base/json.ts';
import { textOf } from './fields.ts';
import type { View } from './view.ts';

/** What became of a reward in a settlement, or what would. */
export const rewardOutcomeView: View = {
  noun: 'reward',
  id: 'rewardId',
  csvColumns: ['rewardId', 'amount', 'memberOriginId', 'outcome', 'report', 'key', 'ref', 'reason'],
  columns: [
    { header: 'reward', path: 'rewardId', kind: 'word' },
    { header: 'amount', path: 'amount', kind: 'amount' },
    { header: 'member', path: 'memberOriginId', kind: 'word' },
    { header: 'outcome', path: 'outcome', kind: 'word' },
    { header: 'report', path: 'report', kind: 'word', isOptional: true },
    { header: 'ref', path: 'ref', kind: 'word', isOptional: true },
    { header: 'reason', path: 'reason', kind: 'note' },
  ],
};

/** A ledger that was made. */
export const newLedgerView: View = {
  noun: 'ledger',
  id: 'ledger',
  csvColumns: [
    'ledger',
    'shop',
    'origin',
    'queued.count',
    'queued.amount',
    'imported.count',
    'imported.queued.count',
    'imported.queued.amount',
  ],
  columns: [
    { header: 'ledger', path: 'ledger', kind: 'word' },
    { header: 'shop', path: 'shop', kind: 'word' },
    { header: 'queued', path: 'queued.count', kind: 'amount' },
    { header: 'amount', path: 'queued.amount', kind: 'amount', isOptional: true },
    { header: 'imported', path: 'imported.count', kind: 'amount', isOptional: true },
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
    { header: 'reward', path: 'rewardId', kind: 'word' },
    { header: 'payment', path: 'payment', kind: 'word' },
    { header: 'amount', path: 'amount', kind: 'amount' },
    { header: 'member', path: 'memberOriginId', kind: 'word', isOptional: true },
    { header: 'report', path: 'report', kind: 'word', isOptional: true },
    { header: 'last call', path: 'lastCallAt', kind: 'date', isOptional: true },
    { header: 'reason', path: 'reason', kind: 'note' },
    { header: 'key', path: 'key', kind: 'word', isOptional: true },
    { header: 'ref', path: 'ref', kind: 'word', isOptional: true },
    { header: 'owner', path: 'owner', kind: 'word', isOptional: true },
  ],
};

/** Rewards whose payment is unknown: what the payer has to be asked comes first. */
export const unknownEntryView: View = {
  ...entryView,
  columns: [
    { header: 'reward', path: 'rewardId', kind: 'word' },
    { header: 'key', path: 'key', kind: 'word' },
    { header: 'amount', path: 'amount', kind: 'amount' },
    { header: 'member', path: 'memberOriginId', kind: 'word', isOptional: true },
    { header: 'last call', path: 'lastCallAt', kind: 'date', isOptional: true },
    { header: 'pid', path: 'payerPid', kind: 'number', isOptional: true },
    { header: 'runs for (s)', path: 'payerSeconds', kind: 'number', isOptional: true },
    { header: 'payer', path: 'payer', kind: 'text', width: 12, isOptional: true },
    { header: 'reason', path: 'reason', kind: 'note' },
  ],
};

/** A booking of `ledger export`. */
export const bookingView: View = {
  noun: 'booking',
  id: 'seq',
  csvColumns: ['seq', 'date', 'time', 'rewardId', 'booking', 'debit', 'credit', 'amount', 'key', 'ref'],
  columns: [],
};

/** One line of the history of a reward. */
export const eventView: View = {
  noun: 'event',
  id: 'seq',
  csvColumns: ['seq', 'at', 'kind', 'payment', 'report', 'attempt', 'by', 'detail'],
  columns: [
    { header: 'event', path: 'seq', kind: 'number' },
    { header: 'what', path: 'kind', kind: 'word' },
    { header: 'payment', path: 'payment', kind: 'word' },
    { header: 'report', path: 'report', kind: 'word', isOptional: true },
    { header: 'at', path: 'at', kind: 'date', isOptional: true },
    { header: 'by', path: 'by', kind: 'word', isOptional: true },
    { header: 'detail', path: 'detail', kind: 'note', inWords: fieldsInWords },
  ],
};

/** `status QUEUED, amount 500`. */
function fieldsInWords(detail: Json | undefined): string {
  if (!isJsonObject(detail)) return textOf(detail);
  return Object.entries(detail)
    .map(([name, value]) => `${name} ${textOf(value)}`)
    .join(', ');
}

/** What a person's finding changed. */
export const resolvedView: View = {
  noun: 'reward',
  id: 'rewardId',
  csvColumns: ['rewardId', 'resolution', 'payment', 'report', 'key', 'next'],
  columns: [
    { header: 'reward', path: 'rewardId', kind: 'word' },
    { header: 'resolution', path: 'resolution', kind: 'word' },
    { header: 'payment', path: 'payment', kind: 'word' },
    { header: 'report', path: 'report', kind: 'word' },
    { header: 'next', path: 'next', kind: 'note' },
  ],
};

/** The whole of a ledger. */
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
    'runs',
    'events',
    'bytes',
  ],
  columns: [],
};

/** Something that is wrong with a ledger in itself. */
export const ledgerProblemView: View = {
  noun: 'problem',
  id: 'problem',
  csvColumns: ['problem'],
  columns: [{ header: 'problem', path: 'problem', kind: 'note' }],
};

/** In what ledger, service and payer differ about a reward. */
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
  columns: [
    { header: 'difference', path: 'kind', kind: 'word' },
    { header: 'reward', path: 'rewardId', kind: 'word' },
    { header: 'what', path: 'message', kind: 'note' },
    { header: 'next', path: 'next', kind: 'note' },
  ],
};
